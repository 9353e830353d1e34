"""GAIA's tools: functions marked with `@tool`, and the shape of their results."""

from __future__ import annotations

import json
import sys
from typing import Any

import pegboard_tool

from . import functions
from .base import Context, Outcome, Tool

REGISTRY = "gaia.agents.base.tools"
FAILURES = ("error", "denied")
SHADES = ("partial", "preview")


def is_marked(found: Any) -> bool:
    """Whether this is a function under `pegboard_tool.tool`."""
    return isinstance(getattr(found, "__pegboard_tool__", None), dict)


def marked_in(module: Any) -> list[Any]:
    """The marked functions of a module, in the order they stand there."""
    seen = [found for found in vars(module).values() if is_marked(found)]
    own = [f for f in pegboard_tool.declared if f.__module__ == module.__name__]
    return list({id(function): function for function in [*seen, *own]}.values())


def describe(function: Any) -> Tool:
    """List a function marked with `pegboard_tool.tool`."""
    options = function.__pegboard_tool__
    tool = functions.describe(
        function,
        "gaia",
        display_label=options["display_label"],
        timeout=options["timeout"],
        atomic=options["atomic"],
        hints=options["hints"],
        tags=options["tags"],
        raw=dict(options),
    )
    return Tool(tool.declaration, _judging(tool), function)


def entries() -> dict[str, dict[str, Any]]:
    """GAIA's own registry, as far as imports have filled it."""
    module = sys.modules.get(REGISTRY)
    return dict(getattr(module, "_TOOL_REGISTRY", {}))


def is_from(entry: dict[str, Any], module: Any) -> bool:
    return bool(getattr(entry.get("function"), "__module__", "") == module.__name__)


def describe_entry(entry: dict[str, Any]) -> Tool:
    """List one entry of GAIA's registry."""
    tool = functions.describe(
        entry["function"],
        "gaia",
        name=entry["name"],
        display_label=entry.get("display_label") or entry.get("display_name"),
        timeout=entry.get("timeout"),
        atomic=bool(entry.get("atomic")),
        needs_approval=bool(entry.get("requires_confirmation")),
        raw=json.loads(json.dumps(entry, default=repr)),
    )
    return Tool(tool.declaration, _judging(tool), entry["function"])


def _judging(tool: Tool) -> Any:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        return judge(tool.call(arguments, context).value)

    return call


def judge(value: Any) -> Outcome:
    """Read GAIA's `{status, message, data, error, …}`; anything else succeeded."""
    outcome = Outcome(value)
    if not isinstance(value, dict) or not isinstance(value.get("status"), str):
        return outcome
    status = value["status"]
    outcome.message = _text(value.get("message"))
    outcome.instruction = _text(value.get("instruction"))
    outcome.suggestion = _text(value.get("suggestion"))
    outcome.shade = status if status in SHADES else None
    if status in FAILURES:
        refused = value.get("error_type") == "invalid_arguments"
        outcome.failed = True
        outcome.reported_by = "arguments" if refused else "tool"
        said = (value.get(key) for key in ("error", "error_brief", "message"))
        outcome.error = next(filter(None, map(_text, said)), status)
    return outcome


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
