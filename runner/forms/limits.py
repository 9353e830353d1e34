"""What a field asks for, said before there is a fault."""

from typing import Any

from catalog.schema import Schema

_NUMBERS = (
    ("minimum", "{} or more"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "{} or less"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
)
_COUNTS = {
    "text": ("minLength", "maxLength", "character"),
    "long": ("minLength", "maxLength", "character"),
    "secret": ("minLength", "maxLength", "character"),
    "list": ("minItems", "maxItems", "row"),
    "group": ("minProperties", "maxProperties", "name"),
}
_FORMATS = {
    "duration": "like PT1H30M",
    "uuid": "a UUID",
    "email": "like name@example.org",
    "uri": "like https://example.org",
    "date-time": "like 2024-03-10T14:30:00+01:00",
    "time": "like 14:30",
}


def limits(flat: Schema, kind: str, zone: str) -> str:
    """Return the limits of a field in words, or ""."""
    told = [_number(words, flat[key]) for key, words in _NUMBERS if key in flat]
    told += _count(flat, kind)
    if kind == "moment" and zone and zone != "-":
        told.append(f"time zone: {zone}")
    elif kind in ("text", "moment") and flat.get("format") in _FORMATS:
        told.append(_FORMATS[flat["format"]])
    if kind in ("text", "long") and "pattern" in flat:
        told.append(f"pattern {flat['pattern']}")
    if flat.get("uniqueItems") is True:
        told.append("no row twice")
    return " · ".join(told)


def _number(words: str, limit: Any) -> str:
    whole = isinstance(limit, float) and limit.is_integer() and abs(limit) < 1e15
    return words.format(int(limit) if whole else limit)


def _count(flat: Schema, kind: str) -> list[str]:
    if kind not in _COUNTS:
        return []
    low, high, noun = _COUNTS[kind]
    least, most = flat.get(low), flat.get(high)
    if least is not None and least == most:
        return [f"exactly {_of(least, noun)}"]
    told = [f"at least {_of(least, noun)}"] if least else []
    return told + ([f"at most {_of(most, noun)}"] if most is not None else [])


def _of(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
