"""Strings that can only mean a number or a boolean, taken as such."""

import math
import re
from typing import Any

from catalog.schema.normal import Schema
from catalog.schema.shape import declared_types
from catalog.schema.strict import Strict, canonical

WHOLE = re.compile(r"-?(0|[1-9]\d*)\Z")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\Z")
BOOLEANS = {"true": True, "false": False, "True": True, "False": False}
MAX_DIGITS = 4000  # Python refuses to read more than 4,300


def coerce(value: Any, schema: Schema, check: Strict) -> Any:
    """Return a copy of `value` with each such string replaced; nothing lossy."""
    flat = check.shapes.flat(schema)
    variants = flat.get("anyOf") or flat.get("oneOf")
    if variants:
        chosen = variants[choose(value, variants, check)]
        value = coerce(value, chosen, check)
    match value:
        case str():
            return _from_text(value, flat)
        case float():
            return _whole(value, flat)
        case list():
            return _items(value, flat, check)
        case dict():
            return _members(value, flat, check)
    return value


def choose(value: Any, variants: list[Schema], check: Strict) -> int:
    """Return the index of the variant that `value` is or was meant to be."""
    for index, variant in enumerate(variants):
        if check.fits(value, variant):
            return index
    if isinstance(value, str):
        return _choose_for_text(value, variants, check)
    if isinstance(value, dict):
        return _choose_for_object(value, variants, check)
    kind = "array" if isinstance(value, list) else "number"
    likely = [i for i, v in enumerate(variants) if kind in check.shapes.types(v)]
    return likely[0] if likely else 0


def _choose_for_text(text: str, variants: list[Schema], check: Strict) -> int:
    for index, variant in enumerate(variants):
        meant = _from_text(text, check.shapes.flat(variant))
        if meant is not text and check.fits(meant, variant):
            return index
    likely = [i for i, v in enumerate(variants) if "string" in check.shapes.types(v)]
    return likely[0] if likely else 0


def _choose_for_object(value: Schema, variants: list[Schema], check: Strict) -> int:
    found = check.shapes.discriminator(variants)
    tag = value.get(found[0]) if found else None
    if found and isinstance(tag, str) and tag in found[1]:
        return found[1][tag]
    return max(range(len(variants)), key=lambda i: _alike(value, variants[i], check))


def _alike(value: Schema, variant: Schema, check: Strict) -> tuple[bool, int, int]:
    flat = check.shapes.flat(variant)
    known = check.shapes.properties(variant)
    missing = [name for name in flat.get("required", ()) if name not in value]
    is_object = "object" in check.shapes.types(variant)
    return is_object, len(known.keys() & value.keys()) - len(missing), -len(known)


def _from_text(text: str, flat: Schema) -> Any:
    types = declared_types(flat)
    members = [flat["const"]] if "const" in flat else flat.get("enum")
    if "string" in types and (members is None or text in members):
        return text
    for meant in meanings(text, types):
        if members is None or canonical(meant) in map(canonical, members):
            return meant
    return text


def meanings(text: str, types: tuple[str, ...]) -> list[Any]:
    """Return what `text` may mean as a number or a boolean; at most one in practice."""
    found: list[Any] = []
    whole = WHOLE.match(text) and len(text) < MAX_DIGITS
    if whole and ("integer" in types or "number" in types):
        found.append(int(text))
    elif "number" in types and NUMBER.match(text) and math.isfinite(float(text)):
        found.append(float(text))
    if "boolean" in types and text in BOOLEANS:
        found.append(BOOLEANS[text])
    return found


def _whole(value: float, flat: Schema) -> float | int:
    """Hand 5.0 on as 5 where only whole numbers are let through."""
    types = declared_types(flat)
    if "integer" in types and "number" not in types and value.is_integer():
        return int(value)
    return value


def _items(value: list[Any], flat: Schema, check: Strict) -> list[Any]:
    first, rest = flat.get("prefixItems", ()), flat.get("items")
    out = list(value)
    for index, item in enumerate(value):
        schema = first[index] if index < len(first) else rest
        if isinstance(schema, dict):
            out[index] = coerce(item, schema, check)
    return out


def _members(value: Schema, flat: Schema, check: Strict) -> Schema:
    return {name: _member(name, item, flat, check) for name, item in value.items()}


def _member(name: str, item: Any, flat: Schema, check: Strict) -> Any:
    schema = member_schema(name, flat, check)
    return item if schema is None else coerce(item, schema, check)


def member_schema(name: str, flat: Schema, check: Strict) -> Schema | None:
    """Return the schema of the member called `name`, or None if there is none."""
    known = check.shapes.properties(flat)
    if name in known:
        return known[name]
    for pattern, schema in flat.get("patternProperties", {}).items():
        if re.search(pattern, name):
            return schema if isinstance(schema, dict) else None
    more = flat.get("additionalProperties")
    return more if isinstance(more, dict) else None
