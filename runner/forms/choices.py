"""Choices: the members of an enum, told apart whatever their types."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from catalog.schema import Schema, canonical
from catalog.schema.shape import implied_types, type_of

FEW, MANY = 4, 60


@dataclass(frozen=True, slots=True)
class Option:
    """One member of a choice: its value, and how it is posted and read."""

    token: str
    label: str
    value: Any


def enum_options(flat: Schema) -> tuple[tuple[Option, ...], bool]:
    """Return the members of an enum that its type lets through, and whether null is."""
    types = implied_types({k: v for k, v in flat.items() if k != "enum"})
    members = [m for m in flat["enum"] if m is not None and _has_type(m, types)]
    labels = flat.get("enumNames", flat.get("x-enum-varnames"))
    if not isinstance(labels, list) or len(labels) != len(members):
        labels = [None] * len(members)
    nullable = None in flat["enum"] and "null" in types
    return options_of(zip(members, labels, strict=True)), nullable


def _has_type(member: Any, types: tuple[str, ...]) -> bool:
    name = type_of(member)
    return name in types or (name == "integer" and "number" in types)


def choice_kind(options: tuple[Option, ...]) -> str:
    """Return how to show a choice: all in view, in a list, or to be searched."""
    if len(options) <= FEW:
        return "radio"
    return "select" if len(options) <= MANY else "search"


def members_of(flat: Schema) -> list[Any]:
    """Return the values that a schema names, if it does."""
    return [flat["const"]] if "const" in flat else list(flat.get("enum", ()))


def labelled(schemas: Iterable[Schema]) -> Iterator[tuple[Any, str | None]]:
    """Yield the members of several enums or constants, with the titles of these."""
    for flat in schemas:
        title = flat.get("title") if "const" in flat else None
        for member in members_of(flat):
            yield member, title


def options_of(members: Iterable[tuple[Any, str | None]]) -> tuple[Option, ...]:
    """Return the members with tokens that tell them apart: a text is its own."""
    unique = {canonical(value): (value, label) for value, label in members}
    pairs = list(unique.values())
    taken = {json.dumps(value) for value, _ in pairs if not isinstance(value, str)}
    texts = {value for value, _ in pairs if isinstance(value, str)}
    return tuple(
        Option(_token(value, taken, texts), str(label or text_of(value)), value)
        for value, label in pairs
    )


def _token(value: Any, taken: set[str], texts: set[str]) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    plain = value and value not in taken and value == " ".join(value.split())
    quoted = json.dumps(value)
    return value if plain or quoted in texts | taken else quoted


def text_of(value: Any) -> str:
    """Return a value of the contract as a person reads it."""
    if value == "":
        return "(empty text)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
