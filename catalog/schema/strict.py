"""The check behind every door: jsonschema, with Pegboard's stricter rules added."""

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import referencing
from jsonschema import Draft202012Validator, ValidationError, validators

from catalog.schema.formats import CHECKER
from catalog.schema.normal import Schema, walk
from catalog.schema.shape import Shapes, declared_types

UNIONS = ("anyOf", "oneOf")


class Strict:
    """A normalised schema, ready to check values; made once per schema."""

    def __init__(self, root: Schema) -> None:
        self._closing = _Closing(root)
        self._parts: dict[int, tuple[Schema, Schema]] = {}
        self.schema = self._closing.close()
        self.shapes = Shapes(self.schema)
        self.validator = _Validator(
            self.schema, format_checker=CHECKER, registry=referencing.Registry()
        )

    def fits(self, value: Any, schema: Schema) -> bool:
        """Tell whether `value` is valid under a part of this schema."""
        return bool(self.validator.evolve(schema=schema).is_valid(value))

    def takes(self, value: Any, part: Schema) -> bool:
        """Tell whether `value` is valid under a schema that is not closed yet."""
        if id(part) not in self._parts:
            self._parts[id(part)] = (part, self._closing.at_value(part))
        return self.fits(value, self._parts[id(part)][1])


def strict(schema: Schema) -> Strict:
    """Return the check for `schema`, remembered by its text."""
    return _strict(json.dumps(schema, sort_keys=False))


@lru_cache(maxsize=256)
def _strict(text: str) -> Strict:
    return Strict(json.loads(text))


class _Closing:
    """Refuse unknown names wherever a value stands, unless the contract allows more.

    JSON Schema lets unknown names through when `additionalProperties` is absent, and
    most tools then drop them in silence. `x-names` is the keyword of our own that
    says which names there are, seen through `$ref`, `allOf` and variants.
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.shapes = Shapes(root)

    def close(self) -> Schema:
        out = self.at_value(self.root)
        names = self._names(self.root, always=True)
        return out if names is None else {**out, "x-names": names}

    def at_value(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        if self.shapes.is_file(schema):
            return self._file(schema)
        names = self._names(schema)
        out = self._inside(schema)
        return out if names is None else {**out, "x-names": names}

    def _file(self, schema: Schema) -> Schema:
        flat = self.shapes.flat(schema)
        nullable = "null" in declared_types(flat)
        return {"x-file": {"nullable": nullable}, "title": flat.get("title", "")}

    def _inside(self, schema: Any) -> Any:
        """Close what lies below `schema`, not the names it has itself."""
        if not isinstance(schema, dict):
            return schema
        held: Schema = {
            key: {name: self._inside(sub) for name, sub in schema[key].items()}
            for key in ("$defs", "dependentSchemas")
            if key in schema
        }
        held |= {key: self._inside(schema[key]) for key in _SAME_VALUE if key in schema}
        if "allOf" in schema:
            held["allOf"] = [self._inside(sub) for sub in schema["allOf"]]
        for key in UNIONS:
            if key in schema:
                held[key] = self._variants(schema, key)
        return {**walk(_without(schema, held), self.at_value), **held}

    def _variants(self, schema: Schema, key: str) -> list[Any]:
        """Close each variant by itself, unless the union adds to names around it."""
        mixed = self.shapes.properties(schema)
        change = self._inside if mixed else self.at_value
        return [change(variant) for variant in schema[key]]

    def _names(self, schema: Schema, *, always: bool = False) -> Schema | None:
        known = self.shapes.properties(schema)
        if not (known or always) or self._is_open(schema):
            return None
        for key in UNIONS:
            for variant in self.shapes.flat(schema).get(key, ()):
                if self._is_open(variant):
                    return None
                known |= self.shapes.properties(variant)
        required = self.shapes.flat(schema).get("required", ())
        return {"known": sorted({*known, *required})}

    def _is_open(self, schema: Schema) -> bool:
        flat = self.shapes.flat(schema)
        more = ("additionalProperties", "patternProperties", "unevaluatedProperties")
        conditional = any(self._is_open(sub) for sub in flat.get("x-maybe", ()))
        return conditional or any(key in flat for key in more)


_SAME_VALUE = ("if", "then", "else", "not", "contains")


def _without(schema: Schema, keys: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


def _check_names(
    validator: Any, names: Schema, instance: Any, schema: Schema
) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and set(instance) - set(names["known"]):
        yield ValidationError("unknown names")


def _check_file(
    validator: Any, options: Schema, instance: Any, schema: Schema
) -> Iterator[ValidationError]:
    if instance is None and options["nullable"]:
        return
    if isinstance(instance, dict):
        if set(instance) == {"upload"} and isinstance(instance["upload"], int | str):
            return
    elif isinstance(instance, str) and is_base64(instance):
        return
    yield ValidationError("not a file")


def is_base64(text: str) -> bool:
    """Tell whether `text` is base64 as RFC 4648 section 4 has it."""
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _check_pattern(
    validator: Any, pattern: str, instance: Any, schema: Schema
) -> Iterator[ValidationError]:
    # In JSON Schema `$` is the very end; in Python it is also before a last newline.
    strict = re.sub(r"(?<!\\)\$$", r"\\Z", pattern)
    if isinstance(instance, str) and re.search(strict, instance) is None:
        yield ValidationError("pattern")


def _check_multiple(
    validator: Any, step: Any, instance: Any, schema: Schema
) -> Iterator[ValidationError]:
    """Count in decimals, as people do: 0.3 is a multiple of 0.1."""
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    if math.isfinite(instance) and exact(instance) % exact(step):
        yield ValidationError("not a multiple")


def exact(number: float) -> Fraction:
    """Return the number as it is written, not as it is stored."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _check_unique(
    validator: Any, wanted: bool, instance: Any, schema: Schema
) -> Iterator[ValidationError]:
    if not wanted or not isinstance(instance, list):
        return
    seen: dict[str, int] = {}
    for index, item in enumerate(instance):
        first = seen.setdefault(canonical(item), index)
        if first != index:
            yield ValidationError(str(first), path=[index])


def canonical(value: Any) -> str:
    """Return one text for all spellings of the same JSON value (1 is 1.0)."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value


_Validator: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "x-names": _check_names,
        "x-file": _check_file,
        "pattern": _check_pattern,
        "multipleOf": _check_multiple,
        "uniqueItems": _check_unique,
    },
)
