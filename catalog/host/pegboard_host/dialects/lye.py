"""Lye and Tyler: a dict of `definition` and `implementation`."""

from __future__ import annotations

import base64
import binascii
import importlib
import inspect
import json
from typing import Any

from . import files, functions
from .awaiting import settle
from .base import NOTHING, Context, File, Outcome, Schema, Tool, declaration, positive

CONTEXTS = ("ctx", "context", "_agent_ctx")
# Where a shipped definition says less than its implementation takes.
WIDER: dict[tuple[str, str], tuple[str, ...]] = {
    ("lye.files", "files-write_file"): ("content",),
}


def opened(reference: str) -> list[str]:
    """Name Lye's modules for its lists, which are silent on a failed import."""
    name, _, attribute = reference.partition(":")
    if name != "lye" or not (attribute or "TOOLS").endswith("TOOLS"):
        return [reference]
    try:
        modules = list(importlib.import_module("lye").TOOL_MODULES.keys())
    except (ImportError, AttributeError):
        return [reference]
    wanted = attribute.removesuffix("TOOLS").lower().strip("_")
    return [f"lye.{one}" for one in modules if one.startswith(wanted)] or [reference]


def is_dict_tool(found: Any) -> bool:
    if not isinstance(found, dict) or "definition" not in found:
        return False
    function = found["definition"]
    return isinstance(function, dict) and isinstance(function.get("function"), dict)


def describe(found: dict[str, Any]) -> Tool:
    """List one dict tool; what is wrong with it is the reason it cannot run."""
    told, implementation = found["definition"]["function"], found.get("implementation")
    name = str(told.get("name") or "")
    reason = positive(found.get("timeout"), name)
    if not callable(implementation):
        reason = "it has no implementation that can be called"
    category, hyphen, _ = name.partition("-")
    parameters, notes = _parameters(name, implementation, told.get("parameters"))
    declared = declaration(
        name,
        "lye",
        description=inspect.cleandoc(str(told.get("description") or "")),
        parameters=parameters,
        notes=notes,
        timeout=found.get("timeout") if reason is None else None,
        tags=[category] if hyphen and category else [],
        is_async=callable(implementation) and functions.is_async(implementation),
        raw=_raw(found),
        unusable=reason,
    )
    return Tool(declared, _caller(found, declared["parameters"]), implementation)


def _parameters(name: str, function: Any, told: Any) -> tuple[Schema, list[str]]:
    """The schema as declared, wider where it is known to be too narrow."""
    if not isinstance(told, dict):
        return NOTHING, []
    wider = WIDER.get((getattr(function, "__module__", ""), name), ())
    shapes = dict(told.get("properties") or {})
    for argument in wider:
        kept = ("description", "title")
        shape = shapes.get(argument, {})
        shapes[argument] = {key: shape[key] for key in kept if key in shape}
    notes = [f"{one} takes more than its definition says" for one in wider]
    return (told | {"properties": shapes} if wider else told), notes


def _raw(found: dict[str, Any]) -> Any:
    shown = {key: value for key, value in found.items() if key != "implementation"}
    return json.loads(json.dumps(shown, default=repr))


def _caller(found: dict[str, Any], schema: dict[str, Any]) -> Any:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        implementation = found["implementation"]
        ready = files.place(schema, arguments, context)
        given = [ToolContext(context)] if _wants_context(implementation, schema) else []
        result = implementation(*given, **ready)
        return judge(settle(result, context.report), context)

    return call


def _wants_context(implementation: Any, schema: dict[str, Any]) -> bool:
    """Whether the first parameter is the runtime's to fill, by Tyler's rule."""
    try:
        first = next(iter(inspect.signature(implementation).parameters), None)
    except (TypeError, ValueError):
        return False
    return first in CONTEXTS and first not in schema.get("properties", {})


class ToolContext(dict):  # type: ignore[type-arg]
    """What Tyler hands to a tool that asks for it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.tool_name = context.tool
        self.tool_call_id = None
        self.deps = self
        self._report = context.report

    def __missing__(self, key: str) -> Any:
        raise KeyError(f"this run has no {key!r} in its context")

    async def progress_callback(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        self._report(progress, total, message or "")


def judge(value: Any, context: Context) -> Outcome:
    """Read `(message, files)`, and the ways in which a Lye tool says it failed."""
    outcome = Outcome(value, model_text=str(value[0] if _is_tuple(value) else value))
    if is_pair(value):
        outcome.value = value[0]
        outcome.files = [_file(row, context) for row in value[1]]
    told = outcome.value
    if not isinstance(told, dict):
        return outcome
    error = told.get("error")
    if told.get("success") is False or (
        error and "exit_code" not in told and told.get("success") is not True
    ):
        outcome.failed, outcome.reported_by = True, "tool"
        outcome.error = str(error or told.get("message") or "success: false")
    outcome.message = str(told["message"]) if "message" in told else None
    return outcome


def _is_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0


def is_pair(value: Any) -> bool:
    """Whether this is `(message, files)` and no other tuple."""
    if not (isinstance(value, tuple) and len(value) == 2):
        return False
    rows = value[1]
    return isinstance(rows, list) and all(
        isinstance(row, dict) and ("filename" in row or "content" in row)
        for row in rows
    )


def _file(row: dict[str, Any], context: Context) -> File:
    name = str(row.get("filename") or "file")
    content, odd = decoded(row.get("content"))
    if odd:
        context.note(f"{name}: {odd}")
    return File(name, content, str(row.get("mime_type") or ""))


def decoded(content: Any) -> tuple[bytes, str | None]:
    """The bytes of a file entry, and what is odd about it."""
    if isinstance(content, bytes | bytearray):
        return bytes(content), None
    if content is None:
        return b"", "it has no content"
    text = str(content)
    if text.startswith("data:") and ";base64," in text[:200]:
        text = text.partition(";base64,")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True), None
    except (binascii.Error, ValueError):
        return text.encode("utf-8", "surrogatepass"), "not base64, kept as text"
