"""Where in a value secrets and files stand, and how secrets are taken out."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from catalog.schema.coercion import member_schema
from catalog.schema.normal import Schema
from catalog.schema.shape import escape, steps
from catalog.schema.strict import Strict, strict

Mark = Callable[[Schema], bool]


def secret_pointers(schema: Schema, value: Any) -> list[str]:
    """Return the pointers of what is given in `value` at places marked secret."""
    check = strict(schema)
    return list(
        dict.fromkeys(_marked(value, [check.schema], "", check, check.shapes.is_secret))
    )


def file_pointers(schema: Schema, value: Any) -> list[str]:
    """Return the pointers of what is given in `value` at places that take a file."""
    check = strict(schema)

    def is_file(here: Schema) -> bool:
        return "x-file" in check.shapes.flat(here)

    return list(dict.fromkeys(_marked(value, [check.schema], "", check, is_file)))


def _marked(
    value: Any, schemas: list[Schema], path: str, check: Strict, mark: Mark
) -> Iterator[str]:
    """Follow every variant at once: a secret in any of them is a secret."""
    here = list(_variants(schemas, check))
    if value is not None and any(mark(schema) for schema in here):
        yield path
        return
    for step, item, below in _below(value, here, check):
        yield from _marked(item, below, f"{path}/{escape(step)}", check, mark)


def _variants(schemas: list[Schema], check: Strict) -> Iterator[Schema]:
    for schema in schemas:
        flat = check.shapes.flat(schema)
        yield schema
        more = [
            *flat.get("anyOf", ()),
            *flat.get("oneOf", ()),
            *flat.get("x-maybe", ()),
        ]
        yield from _variants(more, check)


def _below(
    value: Any, here: list[Schema], check: Strict
) -> Iterator[tuple[str, Any, list[Schema]]]:
    flats = [check.shapes.flat(schema) for schema in here]
    if isinstance(value, dict):
        for name, item in value.items():
            found = [member_schema(name, flat, check) for flat in flats]
            yield name, item, [schema for schema in found if schema is not None]
    if isinstance(value, list):
        for index, item in enumerate(value):
            listed = [_item_schema(index, flat) for flat in flats]
            yield str(index), item, [s for s in listed if isinstance(s, dict)]


def _item_schema(index: int, flat: Schema) -> Any:
    first = flat.get("prefixItems", ())
    return first[index] if index < len(first) else flat.get("items")


def take(value: Any, pointers: list[str]) -> tuple[Any, dict[str, Any]]:
    """Return a copy of `value` without what stands at `pointers`, and those parts.

    A member of an object goes away; a row of a list leaves null in its place.
    """
    rest = deepcopy(value)
    taken = {}
    for path in pointers:
        holder, step = _holder(rest, path)
        taken[path] = holder[step]
        if isinstance(holder, list):
            holder[step] = None
        else:
            del holder[step]
    return rest, taken


def put(value: Any, taken: dict[str, Any]) -> Any:
    """Return a copy of `value` with the parts that `take` took back in place."""
    whole = deepcopy(value)
    for path, part in taken.items():
        holder, step = _holder(whole, path)
        holder[step] = part
    return whole


def _holder(value: Any, path: str) -> tuple[Any, Any]:
    *before, last = steps(path)
    for step in before:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value, int(last) if isinstance(value, list) else last
