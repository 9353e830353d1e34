"""Schemas and values by pydantic, where the source's python has it."""

from __future__ import annotations

import enum
import functools
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BeforeValidator, TypeAdapter
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from .hints_plain import (
    EMPTY,
    UNIONS,
    by_name,
    is_scalar_enum,
    nullable,
    undefaulted,
)

REFUSALS = (PydanticUserError, PydanticUndefinedAnnotation, TypeError, AttributeError)


class _Schema(GenerateJsonSchema):
    """As pydantic's own, with bytes and files told apart from text."""

    def bytes_schema(self, schema: Any) -> dict[str, Any]:
        return super().bytes_schema(schema) | {"contentEncoding": "base64"}

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        kind = schema["cls"]
        if is_scalar_enum(kind):
            return super().enum_schema(schema)
        return {
            "title": kind.__name__,
            "type": "string",
            "enum": list(kind.__members__),
        }


class Adapter:
    """One type: its schema, and how its values come from JSON and go back."""

    def __init__(self, hint: Any, default: Any = EMPTY) -> None:
        if isinstance(default, FieldInfo):
            hint, default = Annotated[hint, default], _default_of(default)
        self.default = default
        self._adapter: TypeAdapter[Any] = TypeAdapter(_named_enums(hint))
        self.schema = self._schema("validation")
        if default is None and not nullable(self.schema):
            self._adapter = TypeAdapter(_named_enums(hint) | None)
            self.schema = self._schema("validation")
        self.schema = undefaulted(self.schema)

    def _schema(self, mode: Any) -> dict[str, Any]:
        schema = self._adapter.json_schema(mode=mode, schema_generator=_Schema)
        return cast("dict[str, Any]", _told_apart(schema))

    def build(self, value: Any) -> Any:
        return self._adapter.validate_python(value)

    def dump(self, value: Any) -> Any:
        if isinstance(value, enum.Enum) and not is_scalar_enum(type(value)):
            return value.name
        return self._adapter.dump_python(value, mode="json", warnings="error")

    def returns(self) -> dict[str, Any]:
        return self._schema("serialization")


@functools.cache
def shared(kind: Any) -> Adapter:
    """One adapter for all parameters of a plain type."""
    return Adapter(kind)


def _default_of(field: FieldInfo) -> Any:
    return (
        EMPTY if field.is_required() else field.get_default(call_default_factory=True)
    )


def _named_enums(hint: Any) -> Any:
    """Have enums whose values are no JSON scalars accepted by name."""
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint if is_scalar_enum(hint) else Annotated[hint, _by_name(hint)]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (None, Annotated, Literal):
        return hint
    changed = tuple(map(_named_enums, arguments))
    if changed == arguments:
        return hint
    return Union[changed] if origin in UNIONS else origin[changed]


def _by_name(kind: type[enum.Enum]) -> BeforeValidator:
    return BeforeValidator(lambda value: by_name(kind, value))


def _told_apart(schema: Any) -> Any:
    """A path to a file that must be there is a file: the caller uploads it."""
    if isinstance(schema, list):
        return [_told_apart(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    told = {key: _told_apart(item) for key, item in schema.items()}
    if told.get("format") == "file-path" and told.get("type") == "string":
        told["format"] = "binary"
    return told


def schema_of_model(model: Any) -> dict[str, Any]:
    """The schema of a model class, files told apart as above."""
    schema = model.model_json_schema(schema_generator=_Schema)
    return cast("dict[str, Any]", _told_apart(schema))
