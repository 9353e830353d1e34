"""From a function's signature to a schema, and from arguments to a call of it."""

from __future__ import annotations

import functools
import inspect
import json
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

from . import hints_plain
from .base import ArgumentsRefused, Schema

EMPTY = inspect.Parameter.empty
P = inspect.Parameter


class Unbuildable(TypeError):
    """No value of this type can be made from JSON."""


@dataclass
class Parameter:
    """One parameter: its schema, and how its value is made from JSON."""

    name: str
    kind: Any
    schema: Schema
    build: Callable[[Any], Any]
    default: Any = EMPTY
    replaced: bool = False  # the signature's own default only describes this one

    @property
    def required(self) -> bool:
        variadic = self.kind in (P.VAR_POSITIONAL, P.VAR_KEYWORD)
        return self.default is EMPTY and not variadic


@dataclass
class Signature:
    """What a function takes, as far as JSON can say it."""

    parameters: list[Parameter] = field(default_factory=list)
    definitions: Schema = field(default_factory=dict)
    returns: Schema | None = None
    notes: list[str] = field(default_factory=list)
    unusable: str | None = None

    @property
    def schema(self) -> Schema:
        """The parameters as JSON Schema 2020-12."""
        schema: Schema = {
            "type": "object",
            "properties": {p.name: p.schema for p in self.parameters},
            "additionalProperties": False,
        }
        if required := [p.name for p in self.parameters if p.required]:
            schema["required"] = required
        if self.definitions:
            schema["$defs"] = self.definitions
        return schema

    def bind(self, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Build what the hints ask for; ArgumentsRefused names each that failed."""
        left, faults, built = dict(arguments), [], {}
        for parameter in self.parameters:
            if parameter.name not in left:
                continue
            try:
                built[parameter.name] = parameter.build(left.pop(parameter.name))
            except Exception as error:
                faults.append(f"{parameter.name}: {_fault(error)}")
        faults += [f"{name}: there is no such argument" for name in left]
        missing = [p.name for p in self.parameters if p.required]
        faults += [f"{n}: is missing" for n in missing if n not in arguments]
        if faults:
            raise ArgumentsRefused("\n".join(faults))
        return self._spread(built)

    def _spread(self, built: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        variadic = any(p.kind is P.VAR_POSITIONAL and p.name in built
                       for p in self.parameters)  # fmt: skip
        for p in self.parameters:
            by_place = p.kind is P.POSITIONAL_ONLY or (
                variadic and p.kind is P.POSITIONAL_OR_KEYWORD
            )
            if p.kind is P.VAR_POSITIONAL:
                positional.extend(built.get(p.name, []))
            elif p.kind is P.VAR_KEYWORD:
                named |= built.get(p.name, {})
            elif by_place:
                positional.append(built.get(p.name, p.default))
            elif p.name in built:
                named[p.name] = built[p.name]
            elif p.replaced:
                named[p.name] = p.default
        return positional, named


def read(function: Callable[..., Any], skip: frozenset[str] = frozenset()) -> Signature:
    """Read a callable's parameters; what cannot be had is a note or the reason."""
    signature = Signature()
    try:
        parameters = _parameters(function)
    except (TypeError, ValueError) as error:
        signature.unusable = f"its signature cannot be read: {error}"
        return signature
    if _is_method(function, parameters):
        signature.unusable = "needs an object: it is a method of a class"
        return signature
    for parameter in parameters:
        if parameter.name not in skip:
            _add(signature, function, parameter)
    _add_returns(signature, function)
    return signature


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    if sys.version_info >= (3, 14):
        import annotationlib

        lazy = annotationlib.Format.FORWARDREF
        found = inspect.signature(function, annotation_format=lazy)
    else:
        found = inspect.signature(function)
    return list(found.parameters.values())


def _is_method(function: Any, parameters: list[inspect.Parameter]) -> bool:
    if not parameters or parameters[0].name not in ("self", "cls"):
        return False
    outer = getattr(function, "__qualname__", "").split(".")[-2:-1]
    return outer not in ([], ["<locals>"])


def _add(signature: Signature, function: Any, parameter: inspect.Parameter) -> None:
    name, optional = parameter.name, parameter.default is not EMPTY
    try:
        hint = resolve(function, name, parameter.annotation)
        built = _build(signature, parameter, hint)
    except (NameError, Unbuildable) as error:
        reason = _reason(error)
        if not optional:
            signature.unusable = signature.unusable or f"argument {name!r}: {reason}"
            signature.notes.append(reason)
            built = Parameter(name, parameter.kind, {}, lambda value: value)
        else:
            signature.notes.append(f"{name} is left at its default: {reason}")
            return
    signature.parameters.append(built)


def _reason(error: Exception) -> str:
    if isinstance(error, NameError):
        return f"type not resolvable: {error.name or error}"
    return str(error)


def _build(signature: Signature, parameter: inspect.Parameter, hint: Any) -> Parameter:
    default = parameter.default
    if parameter.kind is P.VAR_POSITIONAL:
        hint = list[hint]
    if parameter.kind is P.VAR_KEYWORD:
        unpacked = get_origin(hint) is getattr(typing, "Unpack", object())
        hint = get_args(hint)[0] if unpacked else dict[str, hint]
    if hint is Any and parameter.annotation is EMPTY:
        signature.notes.append(f"the type of {parameter.name} is not declared")
    adapter = adapter_for(hint, default)
    schema = _define(signature, dict(adapter.schema))
    if text := _description(hint):
        schema.setdefault("description", text)
    if adapter.default is not EMPTY:
        _add_default(signature, parameter.name, schema, adapter)
    replaced = adapter.default is not default and adapter.default is not EMPTY
    return Parameter(
        parameter.name, parameter.kind, schema, adapter.build, adapter.default, replaced
    )


def _define(signature: Signature, schema: Schema) -> Schema:
    """Move a schema's definitions to the whole's; two of one name stay two."""
    for name, meant in schema.get("$defs", {}).items():
        if signature.definitions.get(name, meant) != meant:
            ref = json.dumps(f"#/$defs/{name}")
            text = json.dumps(schema).replace(ref, ref[:-1] + '_"')
            schema = json.loads(text)
            schema["$defs"][f"{name}_"] = schema["$defs"].pop(name)
            return _define(signature, schema)
    signature.definitions |= schema.pop("$defs", {})
    return schema


def _add_default(signature: Signature, name: str, schema: Schema, adapter: Any) -> None:
    try:
        schema["default"] = adapter.dump(adapter.default)
    except Exception:
        signature.notes.append(f"the default of {name} is not JSON")


def adapter_for(hint: Any, default: Any = EMPTY) -> Any:
    """Find who can make values of this type: pydantic where it is there."""
    try:
        from . import hints_pydantic
    except ImportError:
        return hints_plain.Adapter(hint, default)
    try:
        if default is EMPTY and hint in hints_plain.SCALARS:
            return hints_pydantic.shared(hint)
        return hints_pydantic.Adapter(hint, default)
    except hints_pydantic.REFUSALS:
        return hints_plain.Adapter(hint, default)


def resolve(function: Any, name: str, annotation: Any) -> Any:
    """Turn one annotation into a type; NameError if its text names nothing."""
    if annotation is EMPTY:
        return Any
    inner = _innermost(function)
    probe: Any = lambda: None  # noqa: E731
    probe.__annotations__ = {name: annotation}
    known = getattr(inner, "__globals__", {})
    try:
        nearby = inspect.getclosurevars(inner).nonlocals if annotation else {}
    except (TypeError, ValueError):
        nearby = {}
    return typing.get_type_hints(probe, known, dict(nearby), include_extras=True)[name]


def _innermost(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__globals__") and not inspect.isroutine(function):
        return inspect.unwrap(type(function).__call__)
    return function


def _description(hint: Any) -> str | None:
    """Text that stands in `Annotated[...]`, bare or as `Doc`."""
    for extra in get_args(hint)[1:] if get_origin(hint) is typing.Annotated else ():
        text = extra if isinstance(extra, str) else getattr(extra, "documentation", 0)
        if isinstance(text, str):
            return text
    return None


def _add_returns(signature: Signature, function: Any) -> None:
    annotation = getattr(_innermost(function), "__annotations__", {}).get("return")
    if annotation is None:
        return
    try:
        hint = resolve(function, "return", annotation)
        signature.returns = adapter_for(hint).returns()
    except Exception:
        signature.returns = None


def _fault(error: Exception) -> str:
    errors = getattr(error, "errors", None)
    if not callable(errors):
        return str(error) or type(error).__name__
    said = []
    for fault in errors():
        place = ".".join(map(str, fault.get("loc", ())))
        said.append(f"{place}: {fault['msg']}" if place else str(fault["msg"]))
    return "; ".join(said)
