"""GAIA's tools: functions marked with `@tool`, and the shape of their results."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import pegboard_tool

from . import files, functions, gaia_agents, hints
from .base import Context, Outcome, Schema, Tool

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


def _judging(tool: Tool) -> Any:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        return judge(tool.call(arguments, context).value)

    return call


def named(mixin: str) -> Iterator[Tool]:
    """List the tools of a mixin of GAIA's own registry."""
    for tool in describe_agent(gaia_agents.made(gaia_agents.by_name(mixin))):
        tool.declaration["tags"] = [mixin]
        yield tool


def describe_agent(agent: Any) -> Iterator[Tool]:
    """List what an agent has registered."""
    for entry in gaia_agents.tools_of(agent):
        yield describe_entry(entry, agent)


def describe_entry(entry: dict[str, Any], agent: Any = None) -> Tool:
    """List one entry of GAIA's registry; without an agent, a bare one calls it."""
    agent, name = agent or bare_agent(), entry["name"]
    function = entry["function"]
    signature = hints.read(function)
    gated = bool(entry.get("requires_confirmation"))
    if agent is not None:
        gated = bool(agent._tool_requires_confirmation(name))
    known = {
        "name": name,
        "display_label": entry.get("display_label") or entry.get("display_name"),
        "timeout": entry.get("timeout"),
        "atomic": bool(entry.get("atomic")),
        "needs_approval": gated,
        "raw": json.loads(json.dumps(entry, default=repr)),
    }
    if not functions.own_docstring(function):
        known |= {"description": entry.get("description") or ""}
    if _takes_anything(signature):
        known |= {"parameters": schema_of(entry)}
    tool = functions.describe(function, "gaia", **known)
    if agent is None:
        return Tool(tool.declaration, _judging(tool), function)
    schema = tool.declaration["parameters"]

    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        ready = files.place(schema, arguments, context)
        if not _takes_anything(signature):
            positional, ready = signature.bind(ready)
            if positional:  # GAIA calls by name only
                return judge(tool.call(arguments, context).value)
        return run(agent, entry, ready, context)

    return Tool(tool.declaration, call, function)


@functools.cache
def bare_agent() -> Any:
    """An agent with no tools of its own, to call those of modules."""
    base = gaia_agents.agent_class()
    if base is None:
        return None
    members = {"_register_tools": lambda self: None, "pegboard_made": True}
    with gaia_agents.fresh_registry():
        return type("Host", (base,), members)(**gaia_agents.QUIET)


def _takes_anything(signature: hints.Signature) -> bool:
    """Whether the signature says nothing, as of tools made at run time."""
    kinds = {p.kind for p in signature.parameters}
    return bool(kinds) and kinds <= {hints.P.VAR_KEYWORD, hints.P.VAR_POSITIONAL}


def schema_of(entry: dict[str, Any]) -> Schema:
    """The parameters as GAIA's registry has them."""
    told = entry.get("parameters") or {}
    shapes = {}
    for name, info in told.items():
        shape = {key: value for key, value in info.items() if key != "required"}
        if shape.get("type") == "unknown":
            del shape["type"]
        shapes[name] = shape
    required = [name for name, info in told.items() if info.get("required")]
    return {
        "type": "object",
        "properties": shapes,
        "additionalProperties": not shapes,
        **({"required": required} if required else {}),
    }


def run(
    agent: Any, entry: dict[str, Any], arguments: dict[str, Any], context: Context
) -> Outcome:
    """Call a tool through an agent; what it raised is told with its traceback."""
    from .gaia_running import Call
    from .report import raised

    call = Call(agent, entry, context)
    outcome = judge(call.make(arguments))
    value = outcome.value
    if call.raised is None or not isinstance(value, dict) or "timeout" in value:
        return outcome
    told = raised(call.raised)
    told.value, told.model_text = value, None
    return told


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
