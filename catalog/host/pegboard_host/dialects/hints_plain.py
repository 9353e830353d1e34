"""Schemas and values by the standard library alone, for sources without pydantic."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import types
import typing
import uuid
from collections import abc
from typing import Any, get_args, get_origin

from pegboard_tool import InputFile

EMPTY = inspect.Parameter.empty
SCALARS: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean",
    type(None): "null", None: "null",
}  # fmt: skip
TEXTS: dict[Any, tuple[str, Any]] = {
    datetime.datetime: ("date-time", lambda text: _moment(text)),
    datetime.date: ("date", datetime.date.fromisoformat),
    datetime.time: ("time", datetime.time.fromisoformat),
    uuid.UUID: ("uuid", uuid.UUID),
    pathlib.Path: ("path", pathlib.Path),
    decimal.Decimal: ("decimal", lambda text: decimal.Decimal(str(text))),
    InputFile: ("binary", lambda text: InputFile(text)),
}
LISTS = {list: list, set: set, frozenset: frozenset, abc.Sequence: list,
         abc.Iterable: list, abc.Collection: list, abc.Set: set}  # fmt: skip
UNIONS = (typing.Union, types.UnionType)


def is_scalar_enum(kind: type[enum.Enum]) -> bool:
    """Whether each value is a JSON scalar, so that members can travel by value."""
    values = [member.value for member in kind]
    return all(v is None or isinstance(v, str | int | float | bool) for v in values)


def by_name(kind: type[enum.Enum], value: Any) -> Any:
    return (
        kind[value] if isinstance(value, str) and value in kind.__members__ else value
    )


def nullable(schema: dict[str, Any]) -> bool:
    """Whether null is plainly allowed."""
    kinds = schema.get("type", [])
    options = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    return (
        not set(schema) - {"description", "title", "default"}
        or "null" in (kinds if isinstance(kinds, list) else [kinds])
        or None in schema.get("enum", [])
        or any(map(nullable, options))
    )


def undefaulted(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "default"}


class Adapter:
    """One type: its schema, and how its values come from JSON and go back."""

    def __init__(self, hint: Any, default: Any = EMPTY) -> None:
        self.hint, self.default = hint, default
        self.schema = schema_of(hint)
        if default is None and not nullable(self.schema):
            self.hint = typing.Optional[hint]
            self.schema = schema_of(self.hint)

    def build(self, value: Any) -> Any:
        return build(self.hint, value)

    def dump(self, value: Any) -> Any:
        return dump(value)

    def returns(self) -> dict[str, Any]:
        return self.schema


def schema_of(hint: Any, above: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Describe a type; Unbuildable if no value of it can come from JSON."""
    from .hints import Unbuildable

    if (
        hint in (Any, object, EMPTY)
        or hint in above
        or isinstance(hint, typing.TypeVar)
    ):
        return {}
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if hint in TEXTS:
        return {"type": "string", "format": TEXTS[hint][0]}
    if hint is bytes:
        return {"type": "string", "format": "binary", "contentEncoding": "base64"}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        scalar = is_scalar_enum(hint)
        members = [m.value for m in hint] if scalar else list(hint.__members__)
        return {"title": hint.__name__, "enum": members}
    schema = _schema_of_form(hint, (*above, hint))
    if schema is None:
        raise Unbuildable(f"cannot make a {_called(hint)} from JSON")
    return schema


def _called(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)


def _schema_of_form(hint: Any, above: tuple[Any, ...]) -> dict[str, Any] | None:
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin is typing.Annotated:
        return schema_of(arguments[0], above)
    if origin is typing.Literal:
        return {"enum": [dump(member) for member in arguments]}
    if origin in UNIONS:
        return {"anyOf": [schema_of(option, above) for option in arguments]}
    if origin in LISTS:
        found: dict[str, Any] = {"type": "array", "items": {}}
        if arguments:
            found["items"] = schema_of(arguments[0], above)
        return found | ({"uniqueItems": True} if LISTS[origin] is not list else {})
    if origin is tuple:
        return _schema_of_tuple(arguments, above)
    if origin in (dict, abc.Mapping, abc.MutableMapping):
        values = schema_of(arguments[1], above) if len(arguments) == 2 else {}
        return {"type": "object", "additionalProperties": values or True}
    return _schema_of_record(hint, above)


def _schema_of_tuple(arguments: Any, above: tuple[Any, ...]) -> dict[str, Any]:
    if not arguments:
        return {"type": "array", "items": {}}
    if arguments[-1] is Ellipsis:
        return {"type": "array", "items": schema_of(arguments[0], above)}
    items = [schema_of(item, above) for item in arguments]
    size = len(items)
    return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}


def _schema_of_record(hint: Any, above: tuple[Any, ...]) -> dict[str, Any] | None:
    fields = fields_of(hint)
    if fields is None:
        return None
    return {
        "title": hint.__name__,
        "type": "object",
        "properties": {
            name: schema_of(kind, above) for name, (kind, _) in fields.items()
        },
        "required": [name for name, (_, required) in fields.items() if required],
        "additionalProperties": False,
    }


def fields_of(hint: Any) -> dict[str, tuple[Any, bool]] | None:
    """The fields of a dataclass or TypedDict: type, and whether required."""
    if dataclasses.is_dataclass(hint):
        types_ = typing.get_type_hints(hint, include_extras=True)
        return {
            f.name: (types_[f.name], f.default is f.default_factory)
            for f in dataclasses.fields(hint)
            if f.init
        }
    if not typing.is_typeddict(hint):
        return None
    required = hint.__required_keys__
    return {k: (v, k in required) for k, v in typing.get_type_hints(hint).items()}


def build(hint: Any, value: Any) -> Any:
    """Make a value of the type from JSON; ValueError or TypeError if it is none."""
    if hint in SCALARS:
        return _scalar(hint, value)
    if hint in TEXTS:
        return value if isinstance(value, hint) else TEXTS[hint][1](value)
    if hint is bytes:
        is_made = isinstance(value, bytes)
        return value if is_made else base64.b64decode(value, validate=True)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value) if is_scalar_enum(hint) else hint[value]
    return _build_form(get_origin(hint) or hint, get_args(hint), value)


def _build_form(origin: Any, arguments: Any, value: Any) -> Any:
    if origin is typing.Annotated:
        return build(arguments[0], value)
    if origin is typing.Literal:
        return _one_of(arguments, value)
    if origin in UNIONS:
        return _first_that_fits(arguments, value)
    if origin in LISTS:
        made = [build(arguments[0], item) for item in value] if arguments else value
        return LISTS[origin](made)
    if origin is tuple:
        return _tuple(arguments, value)
    return _record(origin, arguments, value)


def _scalar(hint: Any, value: Any) -> Any:
    wanted: dict[Any, Any] = {float: (int, float), None: type(None)}
    kinds = wanted.get(hint, hint)
    if not isinstance(value, kinds) or (isinstance(value, bool) and hint is not bool):
        raise ValueError(f"expects {SCALARS[hint]}, got {value!r:.80}")
    return float(value) if hint is float else value


def _one_of(members: tuple[Any, ...], value: Any) -> Any:
    for member in members:
        if type(dump(member)) is type(value) and dump(member) == value:
            return member
    raise ValueError(f"expects one of {', '.join(map(repr, members))}")


def _first_that_fits(options: tuple[Any, ...], value: Any) -> Any:
    for option in options:
        try:
            return build(option, value)
        except (ValueError, TypeError, KeyError):
            continue
    raise ValueError(f"fits none of {', '.join(map(_called, options))}")


def _tuple(arguments: Any, value: Any) -> tuple[Any, ...]:
    if not arguments:
        return tuple(value)
    if arguments[-1] is Ellipsis:
        return tuple(build(arguments[0], item) for item in value)
    if len(value) != len(arguments):
        raise ValueError(f"expects {len(arguments)} items, got {len(value)}")
    return tuple(map(build, arguments, value))


def _record(origin: Any, arguments: Any, value: Any) -> Any:
    if origin in (dict, abc.Mapping, abc.MutableMapping):
        if not isinstance(value, dict):
            raise ValueError(f"expects an object, got {value!r:.80}")
        kinds = arguments if len(arguments) == 2 else (Any, Any)
        return {build(kinds[0], k): build(kinds[1], v) for k, v in value.items()}
    fields = fields_of(origin)
    if fields is None:
        return value
    unknown = set(value) - set(fields)
    if unknown:
        raise ValueError(f"has no field {', '.join(sorted(unknown))}")
    made = {name: build(fields[name][0], item) for name, item in value.items()}
    return origin(**made)


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def dump(value: Any) -> Any:
    """Write a default as JSON; TypeError if it cannot be said."""
    if isinstance(value, enum.Enum):
        return value.value if is_scalar_enum(type(value)) else value.name
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [dump(item) for item in value]
    if isinstance(value, dict):
        return {str(key): dump(item) for key, item in value.items()}
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, uuid.UUID | pathlib.PurePath | decimal.Decimal):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: dump(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise TypeError(f"no JSON for a {type(value).__name__}")
