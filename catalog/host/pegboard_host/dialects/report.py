"""From a call to the frame that tells its outcome; nothing is raised here."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from pegboard_tool import progress

from . import files, values
from .base import ArgumentsRefused, Context, File, Outcome, Tool
from .media import media_type_by_name

INLINE, TEXT, FILES = 256 * 1024, 64 * 1024, 1000
OURS = str(Path(__file__).resolve().parent.parent.parent)
FRAMEWORKS = tuple(
    f"/{name}/" for name in ("langchain_core", "langchain", "pydantic", "asyncio",
                             "gaia/agents/base", "tyler/utils", "weave/trace",
                             "contextlib")
)  # fmt: skip


def outcome_of(tool: Tool | None, start: dict[str, Any], note: Any) -> dict[str, Any]:
    """Call the tool and write down what came of it, be it an exception."""
    context = _context(start, note)
    try:
        outcome = _call(tool, start, context)
        return _frame(outcome, context)
    except BaseException as error:
        return _frame(raised(error), context)


def _context(start: dict[str, Any], note: Callable[[str], None]) -> Context:
    return Context(
        tool=start["tool"],
        folder=Path(start["folder"]),
        spill=Path(start["spill"]),
        confirm=bool(start.get("confirm")),
        uploads=start.get("uploads") or {},
        limit=(start.get("extends") or {}).get("cap") or start.get("limit"),
        report=progress,
        note=note,
    )


def _call(tool: Tool | None, start: dict[str, Any], context: Context) -> Outcome:
    if tool is None or tool.declaration["unusable"]:
        why = tool.declaration["unusable"] if tool else "it is not in this host"
        error = f"{start['tool']} cannot run: {why}"
        return Outcome(failed=True, reported_by="arguments", error=error)
    try:
        return tool.call(start.get("arguments") or {}, context)
    except ArgumentsRefused as error:
        return Outcome(failed=True, reported_by="arguments", error=str(error))
    except ValueError as error:
        if type(error).__name__ == "ValidationError" and _is_about_arguments(error):
            return Outcome(failed=True, reported_by="arguments", error=str(error))
        raise


def _is_about_arguments(error: BaseException) -> bool:
    """Whether a framework refused the arguments before the tool's code ran."""
    return not _own_frames(error.__traceback__)


def raised(error: BaseException) -> Outcome:
    """What to tell of an exception that the tool's code raised."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    text = _said(error)
    return Outcome(
        failed=True,
        reported_by="exception",
        error=text or kind.__name__,
        exception=name,
        traceback=_traceback(error)[-TEXT:],
        model_text=f"{kind.__name__}: {text}" if text else kind.__name__,
    )


def _said(error: BaseException) -> str:
    try:
        return str(error)[:TEXT]
    except Exception:
        return f"<{type(error).__name__}, not shown>"


def _traceback(error: BaseException) -> str:
    try:
        frames = _own_frames(error.__traceback__) or error.__traceback__
        told = traceback.TracebackException(type(error), error, frames, limit=-50)
        return "".join(told.format())
    except Exception:
        return f"{type(error).__name__}: its traceback cannot be shown\n"


def _own_frames(frames: TracebackType | None) -> TracebackType | None:
    """The frames from the tool's first one on."""
    while frames is not None:
        name = frames.tb_frame.f_code.co_filename
        if not name.startswith(OURS) and not any(part in name for part in FRAMEWORKS):
            return frames
        frames = frames.tb_next
    return None


def _frame(outcome: Outcome, context: Context) -> dict[str, Any]:
    encoder = values.Encoder()
    value = encoder.encode(outcome.value)
    text = json.dumps(value)
    told = {
        "kind": "value",
        "notes": encoder.notes,
        "files": _keep(encoder, outcome.files, context),
        "verdict": {
            "failed": outcome.failed,
            "reported_by": outcome.reported_by,
            "message": _cut(outcome.message),
            "error": _cut(outcome.error),
            "suggestion": _cut(outcome.suggestion),
            "instruction": _cut(outcome.instruction),
            "shade": outcome.shade,
            "traceback": outcome.traceback,
            "exception": outcome.exception,
        },
        "model_text": _cut(_model_text(outcome, value, text)),
    }
    if len(text) <= INLINE:
        return told | {"value": value}
    context.spill.mkdir(parents=True, exist_ok=True)
    (context.spill / "value.json").write_text(text, "ascii")
    return told | {"spilled": True, "preview": values.preview(value)}


def _model_text(outcome: Outcome, value: Any, text: str) -> str:
    """What the dialect says a model sees, else the value, else the failure."""
    if outcome.model_text is not None:
        return outcome.model_text
    if value is None and outcome.error is not None:
        return outcome.error
    return value if isinstance(value, str) else text


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= TEXT:
        return text
    return text[:TEXT] + f"\n… {len(text) - TEXT} characters more"


def _keep(
    encoder: values.Encoder, others: list[File], context: Context
) -> list[dict[str, str]]:
    """Write the files that came with a value; tell where they lie."""
    renamed = [
        replace(file, name=files.safe_name(file.name, encoder.names)) for file in others
    ]
    found = [*encoder.files, *renamed]
    if len(found) > FILES:
        context.note(f"Of {len(found)} files, the first {FILES} are kept.")
    folder = context.spill / "files"
    rows = []
    for file in found[:FILES]:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / file.name
        path.write_bytes(file.content)
        media_type = file.media_type or media_type_by_name(file.name)
        rows.append({"name": file.name, "media_type": media_type, "path": str(path)})
    return rows
