"""JSON Schema as Pegboard uses it: normalise, coerce, validate, point at the fault."""

import math
from collections.abc import Mapping
from typing import Any

from catalog.schema.coercion import coerce as _coerce
from catalog.schema.faults import Fault, find_faults
from catalog.schema.marks import file_pointers, put, secret_pointers, take
from catalog.schema.normal import Schema, normalise
from catalog.schema.shape import Shapes, escape, pointer, steps
from catalog.schema.strict import canonical, strict
from catalog.schema.text import MAX_DEPTH, JSONFault, dumps, loads

__all__ = [
    "Fault",
    "JSONFault",
    "Schema",
    "Shapes",
    "canonical",
    "dumps",
    "escape",
    "file_pointers",
    "loads",
    "normalise",
    "pointer",
    "put",
    "secret_pointers",
    "steps",
    "take",
    "validate",
]


def validate(
    value: Any,
    schema: Schema,
    *,
    coerce: bool = True,
    chosen: Mapping[str, int] | None = None,
) -> tuple[Any, list[Fault]]:
    """Return `value` as the tool will get it, and what is wrong with it.

    `schema` is a normalised one. `chosen` names, by pointer, the variant of a union
    that the person picked, so that faults speak of that variant alone.
    """
    unsound = _unsound(value, "", 0)
    if unsound is not None:
        return value, [unsound]
    check = strict(schema)
    try:
        if coerce:
            value = _coerce(value, check.schema, check)
        return value, find_faults(value, check, chosen or {})
    except RecursionError:
        return value, [Fault("", "is nested too deeply", "depth")]


def _unsound(value: Any, path: str, depth: int) -> Fault | None:
    """Return the first part that is no JSON value that can be stored."""
    if depth > MAX_DEPTH:
        return Fault(path, f"has more than {MAX_DEPTH} levels", "depth")
    if isinstance(value, float) and not math.isfinite(value):
        return Fault(path, "must be a finite number", "number")
    if isinstance(value, str):
        return _unsound_text(value, path)
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    for step, item in pairs:
        below = f"{path}/{escape(str(step))}"
        found = _unsound_text(str(step), below) or _unsound(item, below, depth + 1)
        if found is not None:
            return found
    return None


def _unsound_text(text: str, path: str) -> Fault | None:
    if "\0" in text:
        return Fault(path, "holds the character NUL, which cannot be stored", "text")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        return Fault(_printable(path), "holds half of a character", "text")
    return None


def _printable(path: str) -> str:
    return path.encode("utf-8", "replace").decode()
