"""What a tool may tell of its outcome, as the guard lets it through."""

from __future__ import annotations

from typing import Any

from .frames import BadFrame, Message

REPORTERS = {None, "tool", "arguments", "exception"}
SHADES = {None, "partial", "preview"}
TEXTS = ("message", "error", "suggestion", "instruction", "traceback", "exception")


def checked(frame: Message, spill: str) -> Message:
    """Return the fields of a value frame; BadFrame unless each is as documented."""
    verdict = frame.get("verdict")
    if not isinstance(verdict, dict) or not isinstance(verdict.get("failed"), bool):
        raise BadFrame("no verdict")
    reporter, shade = verdict.get("reported_by"), verdict.get("shade")
    if reporter not in REPORTERS or shade not in SHADES:
        raise BadFrame("no such verdict")
    told = {key: _text(verdict.get(key)) for key in TEXTS}
    value = {"value": frame.get("value")}
    if frame.get("spilled") is True:
        value = {"spilled": True, "preview": frame.get("preview")}
    return value | {
        "notes": _rows(frame, "notes", ("pointer", "kind")),
        "files": [
            row
            for row in _rows(frame, "files", ("name", "media_type", "path"))
            if row["path"].startswith(f"{spill}/files/") and "/.." not in row["path"]
        ],
        "verdict": {"failed": verdict["failed"], "reported_by": reporter}
        | {"shade": shade, **told},
        "model_text": _text(frame.get("model_text")),
    }


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BadFrame("no text")
    return value


def _rows(frame: Message, name: str, keys: tuple[str, ...]) -> list[dict[str, str]]:
    rows = frame.get(name) or []
    try:
        found = [{key: row[key] for key in keys} for row in rows]
    except (TypeError, KeyError):
        raise BadFrame(f"odd {name}") from None
    if not all(isinstance(value, str) for row in found for value in row.values()):
        raise BadFrame(f"odd {name}")
    return found
