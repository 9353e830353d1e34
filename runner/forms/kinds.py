"""Which kind of field a schema asks for: a dozen kinds, everything else is JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from catalog.schema import Schema, Shapes
from catalog.schema.coercion import choose, meanings
from catalog.schema.shape import ALL_TYPES, implied_types, type_of
from catalog.schema.strict import strict

from .choices import (
    Option,
    choice_kind,
    enum_options,
    labelled,
    members_of,
    options_of,
    text_of,
)

SCALARS = {"string", "integer", "number", "boolean"}
BY_FORMAT = {
    "date": "date",
    "time": "time",
    "date-time": "moment",
    "password": "secret",
    "textarea": "long",
}
ONE_LINE = {
    *("email", "idn-email", "uri", "iri", "uri-reference", "uuid", "hostname"),
    *("ipv4", "ipv6", "duration", "regex", "json-pointer", "path", "directory-path"),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """One alternative of a union; `index` is its place in `anyOf` or `oneOf`.

    `schema` is flat; `declared` still has its conditions, to be checked by.
    """

    index: int
    label: str
    schema: Schema
    declared: Schema


@dataclass(frozen=True, slots=True)
class Shape:
    """What the form needs to know of a schema."""

    kind: str
    flat: Schema
    nullable: bool = False
    options: tuple[Option, ...] = ()
    variants: tuple[Variant, ...] = ()
    refs: tuple[str, ...] = ()


def kinds_of(schema: Schema) -> "Kinds":
    """Return the shapes of a contract, remembered by its text."""
    return _kinds_of(json.dumps(schema))


@lru_cache(maxsize=64)
def _kinds_of(text: str) -> "Kinds":
    return Kinds(json.loads(text))


class Kinds:
    """The shapes of one contract, each worked out once."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.shapes = Shapes(root)
        self.check = strict(root)
        self._known: dict[int, tuple[Schema, Shape]] = {}

    def choose(self, value: Any, shape: Shape, hinted: str) -> int:
        """Return the place of the variant that takes `value`, a hinted one first."""
        schemas = [variant.declared for variant in shape.variants]
        order = list(range(len(schemas)))
        if hinted.isdecimal() and int(hinted) < len(order):
            order.insert(0, int(hinted))
        for place in order:
            if self.check.takes(value, schemas[place]):
                return place
        return choose(value, schemas, self.check)

    def pick_for(self, value: Any, text: str, shape: Shape) -> int | None:
        """Return the variant that a person must pick so that `text` means `value`."""
        if self.meaning(text, shape) == (type_of(value), value):
            return None
        types = [implied_types(variant.schema) for variant in shape.variants]
        name = type_of(value)
        return next((i for i, some in enumerate(types) if name in some), None)

    def meaning(self, text: str, shape: Shape) -> tuple[str, Any]:
        """Return what a text means where several types are let through, and its type.

        A number is one only if it reads the same again: 0012 and 12.0 stay texts
        where a text may stand.
        """
        types = {t for v in shape.variants for t in implied_types(v.schema)}
        for variant in shape.variants:
            for option in self.of(variant.schema).options:
                if option.token == text and not isinstance(option.value, str):
                    return type_of(option.value), option.value
        for found in meanings(text, tuple(types)):
            if json.dumps(found) == text or "string" not in types:
                return type_of(found), found
        return "string", text

    def members(self, flat: Schema) -> dict[str, Schema]:
        """Return every name a group has, those of alternatives around it included."""
        known = self.shapes.properties(flat)
        for key in ("anyOf", "oneOf"):
            for variant in flat.get(key, ()):
                known = {**self.shapes.properties(variant), **known}
        ordered = {**self.shapes.properties(flat), **known}
        demanded = flat.get("required", ())
        return {**ordered, **{name: {} for name in demanded if name not in ordered}}

    def of(self, schema: Schema) -> Shape:
        """Return the shape of a field with this schema."""
        if id(schema) not in self._known:
            self._known[id(schema)] = (schema, self._shape(schema))
        return self._known[id(schema)][1]

    def _shape(self, schema: Schema) -> Shape:
        flat = self.shapes.flat(schema)
        refs = tuple(flat.get("x-refs", ()))
        if flat.get("x-odd") or flat.get("not") == {}:
            return Shape("json", flat, refs=refs)
        if self.shapes.is_file(schema):
            return Shape("file", flat, "null" in implied_types(flat), refs=refs)
        variants = list(self._variants(flat))
        if variants:
            found = self._of_variants(flat, variants)
            return replace(found, refs=(*refs, *found.refs))
        return replace(self._of_one(flat), refs=refs)

    def _variants(self, flat: Schema) -> Iterator[Variant]:
        """Yield the alternatives, each of one kind: unions in unions laid open."""
        key = next((key for key in ("anyOf", "oneOf") if key in flat), None)
        if key is not None and not self._only_demands(flat, flat[key]):
            for index, sub in enumerate(flat[key]):
                around = {k: v for k, v in flat.items() if k in _AROUND}
                declared = {"allOf": [sub, around]} if around else sub
                inner = self.shapes.flat(declared)
                found = list(self._variants(inner)) or [self._named(inner, declared)]
                for variant in found:
                    yield replace(variant, index=index)
            return
        types = implied_types(flat)
        if "enum" in flat or "const" in flat or types == ALL_TYPES:
            return
        if len(types) > 1:
            for name in types:
                yield self._named({**flat, "type": name})

    def _only_demands(self, flat: Schema, variants: list[Schema]) -> bool:
        """Tell whether the alternatives merely ask for names of the object around."""
        known = self.shapes.properties(flat)
        if not known:
            return False
        shapes = [self.shapes.flat(sub) for sub in variants]
        return all(
            set(self.shapes.properties(shape)) <= set(known)
            and shape.get("type", "object") == "object"
            for shape in shapes
        )

    def _named(self, flat: Schema, declared: Schema | None = None) -> Variant:
        return Variant(
            0, self.title(flat), flat, flat if declared is None else declared
        )

    def title(self, flat: Schema) -> str:
        """Return what to call one alternative of a union."""
        if flat.get("title"):
            return str(flat["title"])
        if "const" in flat:
            return text_of(flat["const"])
        refs = flat.get("x-refs")
        if refs:
            return str(refs[0]).rsplit("/", 1)[-1]
        if "enum" in flat:
            return ", ".join(text_of(member) for member in flat["enum"][:3])
        types = implied_types(flat)
        return "anything" if types == ALL_TYPES else TYPE_LABELS[types[0]]

    def _of_variants(self, flat: Schema, variants: list[Variant]) -> Shape:
        rest = [v for v in variants if implied_types(v.schema) != ("null",)]
        nullable = len(rest) < len(variants)
        if not rest:
            return Shape("null", flat)
        if len(rest) == 1:
            inner = self.of(rest[0].schema)
            merged = {**inner.flat, **{k: flat[k] for k in _WORDS if k in flat}}
            return replace(inner, flat=merged, nullable=nullable or inner.nullable)
        members = [members_of(variant.schema) for variant in rest]
        if all(members):
            options = options_of(labelled(variant.schema for variant in rest))
            return Shape(choice_kind(options), flat, nullable, options)
        found = Shape("union", flat, nullable, variants=_numbered_labels(rest))
        if all(set(implied_types(v.schema)) <= SCALARS for v in rest):
            plain = all(self._is_mixable(v.schema) for v in rest)
            return replace(found, kind="mixed") if plain else found
        return found

    def _is_mixable(self, flat: Schema) -> bool:
        """Tell whether a text says by itself that it is meant as this alternative."""
        shape = self.of(flat)
        texts = [o for o in shape.options if isinstance(o.value, str)]
        plain = all(o.token == o.value for o in texts)
        numbers = ("number", "boolean")
        alone = not any(meanings(o.token, numbers) for o in texts)
        return shape.kind in _MIXABLE and plain and alone

    def _of_one(self, flat: Schema) -> Shape:
        if "const" in flat:
            kind = "null" if flat["const"] is None else "const"
            return Shape(kind, flat, options=options_of([(flat["const"], None)]))
        if "enum" in flat:
            options, nullable = enum_options(flat)
            without = "null" if nullable else "json"
            kind = choice_kind(options) if options else without
            return Shape(kind, flat, nullable and bool(options), options)
        types = implied_types(flat)
        if types == ALL_TYPES:
            return Shape("json", flat)
        return Shape(self._kind_of_type(types[0], flat), flat)

    def _kind_of_type(self, name: str, flat: Schema) -> str:
        match name:
            case "string":
                return _kind_of_text(flat)
            case "integer" | "number":
                return "number"
            case "boolean":
                return "flag"
            case "null":
                return "null"
            case "array":
                shaped = flat.get("prefixItems") or flat.get("items")
                return "list" if shaped else "json"
        return "group" if self._has_shape(flat) else "json"

    def _has_shape(self, flat: Schema) -> bool:
        if self.shapes.properties(flat) or flat.get("patternProperties"):
            return True
        more = flat.get("additionalProperties")
        return more is False or (isinstance(more, dict) and more != {})


_WORDS = ("title", "description", "default", "examples", "readOnly", "writeOnly")
_AROUND = {
    *("type", "properties", "required", "additionalProperties", "patternProperties"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "format", "items"),
}
_MIXABLE = {"text", "long", "number", "flag", "const", "radio", "select", "search"}
TYPE_LABELS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "null": "null",
    "array": "list",
    "object": "object",
}


def _kind_of_text(flat: Schema) -> str:
    named = str(flat.get("format", ""))
    if flat.get("writeOnly") is True:
        return "secret"
    if named in BY_FORMAT:
        return BY_FORMAT[named]
    return "text" if "pattern" in flat or named in ONE_LINE else "long"


def _numbered_labels(variants: list[Variant]) -> tuple[Variant, ...]:
    """Return the variants with labels that differ."""
    seen: dict[str, int] = {}
    out = []
    for variant in variants:
        seen[variant.label] = seen.get(variant.label, 0) + 1
        count = seen[variant.label]
        label = variant.label if count == 1 else f"{variant.label} ({count})"
        out.append(replace(variant, label=label))
    return tuple(out)
