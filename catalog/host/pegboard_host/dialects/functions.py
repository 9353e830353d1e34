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


def is_function(found: Any) -> bool:
    return inspect.isroutine(found) or isinstance(found, functools.partial)


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
    declared = declaration(
        name,
        dialect,
        description=docstring or "",
        docstring=docstring,
        parameters=signature.schema,
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
