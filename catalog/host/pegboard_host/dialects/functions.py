"""Plain functions: the contract is their signature and docstring."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import files, hints
from .awaiting import settle
from .base import Context, Outcome, Tool, declaration

Function = Callable[..., Any]


FACTORY_WORDS = ("tool", "toolkit", "agent", "factory")


def is_plain(found: Any) -> bool:
    """Whether this is a function, or an object that is called like one."""
    if isinstance(found, type) or callable(getattr(found, "get_tools", None)):
        return False
    return callable(found) and not is_factory(found)


def is_factory(found: Any) -> bool:
    """Whether calling this, with nothing, makes tools; a tool itself does not."""
    if isinstance(found, type):
        return callable(getattr(found, "get_tools", None))
    if not inspect.isfunction(found):
        return False
    parameters = inspect.signature(found).parameters.values()
    if any(p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in parameters):
        return False
    told = str(found.__annotations__.get("return", "")) or found.__name__
    return any(word in told.lower() for word in FACTORY_WORDS)


def name_of(function: Any) -> str:
    inner = function.func if isinstance(function, functools.partial) else function
    return getattr(inner, "__name__", None) or type(inner).__name__


def describe(function: Function, dialect: str, **known: Any) -> Tool:
    """List a function as a tool."""
    signature = hints.read(function)
    name = known.pop("name", None) or name_of(function)
    docstring = own_docstring(function)
    unusable = signature.unusable
    if name == "<lambda>":
        unusable = unusable or "a lambda has no name"
    known.setdefault("description", docstring or "")
    known.setdefault("parameters", signature.schema)
    declared = declaration(
        name,
        dialect,
        docstring=docstring,
        returns=signature.returns,
        is_async=is_async(function),
        raw=known.pop("raw", None) or {"signature": _signature_text(function)},
        unusable=unusable,
        notes=signature.notes,
        **known,
    )
    return Tool(declared, _caller(function, signature), function)


def _caller(
    function: Function, signature: hints.Signature
) -> Callable[[dict[str, Any], Context], Outcome]:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        ready = files.place(signature.schema, arguments, context)
        positional, named = signature.bind(ready)
        return Outcome(settle(function(*positional, **named), context.report))

    return call


def own_docstring(function: Any) -> str | None:
    """The function's docstring, and not that of its type."""
    if isinstance(function, functools.partial):
        function = function.func
    text = getattr(function, "__doc__", None)
    if not inspect.isroutine(function) and text == type(function).__doc__:
        text = getattr(type(function).__call__, "__doc__", None)
    return text if isinstance(text, str) else None


def is_async(function: Any) -> bool:
    inner = inspect.unwrap(function)
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


def _signature_text(function: Function) -> str:
    try:
        return str(inspect.signature(function))
    except Exception:
        return "(…)"
