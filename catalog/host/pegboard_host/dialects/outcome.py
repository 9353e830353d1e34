"""What a tool may tell of its outcome, as the guard lets it through."""

from __future__ import annotations

from typing import Any

from pegboard_host.frames import BadFrame, Message

TEXTS = ("message", "error", "suggestion", "instruction", "traceback", "exception")
REPORTERS = (None, "tool", "arguments", "exception")
SHADES = (None, "partial", "preview")


def checked(frame: Message, spill: str) -> Message:
    """Return the fields of a value frame; BadFrame unless each is as documented."""
    verdict: Any = frame.get("verdict")
    _demand(isinstance(verdict, dict) and isinstance(verdict.get("failed"), bool))
    _demand(verdict.get("reported_by") in REPORTERS and verdict.get("shade") in SHADES)
    keys = ("failed", "reported_by", "shade")
    files = _rows(frame, "files", "name", "media_type", "path")
    spilled = frame.get("spilled") is True
    return {
        **({"spilled": True} if spilled else {"value": frame.get("value")}),
        **({"preview": frame.get("preview")} if spilled else {}),
        "notes": _rows(frame, "notes", "pointer", "kind"),
        "files": [row for row in files if _lies_in(f"{spill}/files/", row["path"])],
        "verdict": {key: verdict[key] for key in keys}
        | {key: _text(verdict.get(key)) for key in TEXTS},
        "model_text": _text(frame.get("model_text")),
    }


def _demand(true: Any) -> None:
    if not true:
        raise BadFrame("a value frame that is not as documented")


def _text(value: Any) -> Any:
    _demand(value is None or isinstance(value, str))
    return value


def _rows(frame: Message, name: str, *keys: str) -> list[dict[str, Any]]:
    rows: Any = frame.get(name)
    _demand(isinstance(rows, list) and all(isinstance(row, dict) for row in rows))
    _demand(all(isinstance(row.get(key), str) for row in rows for key in keys))
    return [{key: row[key] for key in keys} for row in rows]


def _lies_in(folder: str, path: str) -> bool:
    return path.startswith(folder) and "/.." not in path
