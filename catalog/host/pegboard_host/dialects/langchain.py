"""LangChain: `BaseTool`s, toolkits, and what factories make of them."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import sys
import uuid
from collections.abc import Callable
from typing import Any

from . import files
from .awaiting import settle
from .base import (
    NOTHING,
    Context,
    Outcome,
    Schema,
    Tool,
    declaration,
    refuse_unknown,
    unusable,
)

SINGLE: Schema = {
    "type": "object",
    "properties": {"__arg1": {"type": "string"}},
    "required": ["__arg1"],
}
RUNTIME = "needs a runtime value Pegboard does not have"


def base_tool() -> Any:
    """`BaseTool`, if this process has imported it; no import of our own."""
    module = sys.modules.get("langchain_core.tools")
    return getattr(module, "BaseTool", None)


def is_tool(found: Any) -> bool:
    base = base_tool()
    return base is not None and isinstance(found, base)


def is_tool_class(found: Any) -> bool:
    base = base_tool()
    return base is not None and isinstance(found, type) and issubclass(found, base)


def is_toolkit(found: Any) -> bool:
    return callable(getattr(found, "get_tools", None)) and not isinstance(found, type)


def describe(tool: Any) -> Tool:
    """List one LangChain tool by what a model would be shown of it."""
    known = _known(tool)
    try:
        known["parameters"] = schema_of(tool)
    except Exception as error:
        reason = f"its arguments have no schema: {type(error).__name__}: {error}"
        return unusable(tool.name, "langchain", reason[:500], **known)
    if missing := needs(tool):
        reason = f"{RUNTIME}: {', '.join(missing)}"
        return unusable(tool.name, "langchain", reason, **known)
    declared = declaration(tool.name, "langchain", **known)
    return Tool(declared, _caller(tool, declared["parameters"]), tool)


def describe_class(kind: Any) -> Tool:
    """List what a class makes; unusable if it wants to be given something."""
    try:
        return describe(kind())
    except Exception as error:
        fields = getattr(kind, "model_fields", {})
        name = getattr(fields.get("name"), "default", None)
        if not isinstance(name, str):
            raise
        said = " ".join(str(error).split())[:300]
        reason = f"cannot be built from nothing; name a factory of your own: {said}"
        told = getattr(fields.get("description"), "default", None)
        known = {"description": told} if isinstance(told, str) else {}
        return unusable(name, "langchain", reason, **known)


def _known(tool: Any) -> dict[str, Any]:
    return {
        "description": tool.description or "",
        "return_direct": bool(tool.return_direct),
        "response_format": getattr(tool, "response_format", "content"),
        "tags": [str(tag) for tag in tool.tags or []],
        "is_async": _only_async(tool),
        "raw": _raw(tool),
    }


def _raw(tool: Any) -> Any:
    shown = {
        "class": f"{type(tool).__module__}.{type(tool).__qualname__}",
        "name": tool.name,
        "description": tool.description,
        "return_direct": tool.return_direct,
        "response_format": getattr(tool, "response_format", None),
        "handle_tool_error": tool.handle_tool_error,
        "handle_validation_error": tool.handle_validation_error,
        "tags": tool.tags,
        "metadata": tool.metadata,
        "extras": getattr(tool, "extras", None),
    }
    return json.loads(json.dumps(shown, default=repr))


def schema_of(tool: Any) -> Schema:
    """The arguments a model gives, injected ones left out."""
    if type(tool).__name__ == "Tool" and tool.args_schema is None:
        return SINGLE
    found = tool.tool_call_schema
    if isinstance(found, dict):
        schema = dict(found)
    elif hasattr(found, "model_json_schema"):
        from .hints_pydantic import schema_of_model

        schema = schema_of_model(found)
    else:
        schema = found.schema()
    schema.pop("description", None)
    schema.pop("title", None)
    return {**NOTHING, "additionalProperties": False, **schema}


def needs(tool: Any) -> list[str]:
    """Required arguments that a runtime would inject and Pegboard cannot."""
    from langchain_core.tools import InjectedToolArg, InjectedToolCallId
    from langchain_core.tools.base import get_all_basemodel_annotations

    found: dict[str, Any] = {}
    for function in (getattr(tool, "func", None), getattr(tool, "coroutine", None)):
        if function is not None:
            found |= _annotations(function)
    schema = tool.args_schema
    if isinstance(schema, type):
        found |= get_all_basemodel_annotations(schema)
    return [
        name
        for name, hint in found.items()
        if _is_injected(hint, InjectedToolArg)
        and not _is_injected(hint, InjectedToolCallId)
        and not _has_default(tool, name)
    ]


def _annotations(function: Any) -> dict[str, Any]:
    import typing

    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:
        return {}


def _is_injected(hint: Any, kind: type) -> bool:
    marks = [
        hint,
        getattr(hint, "__origin__", None),
        *getattr(hint, "__metadata__", ()),
    ]
    types = [mark if isinstance(mark, type) else type(mark) for mark in marks]
    direct = any(t.__name__ in ("_DirectlyInjectedToolArg", kind.__name__)
                 for each in types for t in each.__mro__)  # fmt: skip
    return (
        direct
        if kind.__name__ == "InjectedToolArg"
        else any(issubclass(t, kind) for t in types)
    )


def _has_default(tool: Any, name: str) -> bool:
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    parameters = inspect.signature(function or tool._run).parameters
    found = parameters.get(name)
    return found is not None and found.default is not inspect.Parameter.empty


def _only_async(tool: Any) -> bool:
    return getattr(tool, "coroutine", None) is not None and tool.func is None


def _caller(tool: Any, schema: Schema) -> Callable[[dict[str, Any], Context], Outcome]:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        refuse_unknown(schema, arguments)
        ready = files.place(schema, arguments, context)
        seen: list[Any] = []
        _watch(tool, seen)
        message = _invoke(tool, ready, context)
        return judge(tool, message, seen)

    return call


def _watch(tool: Any, seen: list[Any]) -> None:
    """Keep what the tool's own code returned, which a message no longer tells.

    Also awaits what a sync function hands back unawaited. The tool is changed
    for good, which is no harm in a process that ends after this call.
    """
    run, arun = tool._run, tool._arun

    @functools.wraps(run)
    def watched(*args: Any, **kwargs: Any) -> Any:
        seen.append(None)
        seen[-1] = settle(run(*args, **kwargs))
        return seen[-1]

    @functools.wraps(arun)
    async def awatched(*args: Any, **kwargs: Any) -> Any:
        seen.append(None)
        seen[-1] = await arun(*args, **kwargs)
        return seen[-1]

    object.__setattr__(tool, "_run", watched)
    object.__setattr__(tool, "_arun", awatched)


def _invoke(tool: Any, arguments: dict[str, Any], context: Context) -> Any:
    call = {
        "name": tool.name,
        "args": arguments,
        "id": f"call_{uuid.uuid4().hex}",
        "type": "tool_call",
    }
    config = {"callbacks": [_listener(context)]}
    if _only_async(tool):
        return asyncio.run(tool.ainvoke(call, config))
    try:
        return tool.invoke(call, config)
    except NotImplementedError:
        if type(tool)._arun is base_tool()._arun:
            raise
        return asyncio.run(tool.ainvoke(call, config))


def _listener(context: Context) -> Any:
    """A callback handler that hears `dispatch_custom_event("progress", …)`."""
    from langchain_core.callbacks import BaseCallbackHandler

    class Listener(BaseCallbackHandler):
        run_inline = True

        def on_custom_event(self, name: str, data: Any, **_: Any) -> None:
            if name == "progress":
                context.report(*_progress(data))

    return Listener()


def _progress(data: Any) -> tuple[Any, Any, Any]:
    if not isinstance(data, dict):
        return (data, None, "") if isinstance(data, int | float) else (None, None, data)
    done = next((data[k] for k in ("done", "current", "progress") if k in data), None)
    if done is None and "fraction" in data:
        return data["fraction"], 1, data.get("message", "")
    return done, data.get("total"), data.get("message", "")


def judge(tool: Any, message: Any, seen: list[Any]) -> Outcome:
    """Read the message: an error by its status, else what the tool returned."""
    content = getattr(message, "content", message)
    outcome = Outcome(content, model_text=_text(content))
    if getattr(message, "status", "success") == "error":
        outcome.failed = True
        outcome.reported_by = "tool" if seen else "arguments"
        outcome.error = _text(content)
        return outcome
    artifact = getattr(message, "artifact", None)
    if getattr(tool, "response_format", "") == "content_and_artifact":
        outcome.value = {"content": content, "artifact": artifact}
    elif seen:
        outcome.value = seen[-1]
    return outcome


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, default=repr)
