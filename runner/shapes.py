"""How a returned value is shown: as text, table, list of facts or tree."""

from dataclasses import dataclass, field
from typing import Any

MAX_ROWS = 200
MAX_COLUMNS = 24
MAX_FACTS = 60
MAX_ITEMS = 100
MAX_DEPTH = 12
LONG = 20_000


@dataclass(frozen=True)
class Shape:
    """A value and the way to show it; `left_out` counts what is not shown."""

    kind: str
    text: str = ""
    columns: list[tuple[str, bool]] = field(default_factory=list)  # name, numbers?
    rows: list[list["Shape"]] = field(default_factory=list)
    items: list[tuple[str, "Shape"]] = field(default_factory=list)
    left_out: int = 0


def shape(value: Any, depth: int = 0) -> Shape:
    """Choose how to show a JSON value; never deeper or longer than a page bears."""
    match value:
        case None:
            return Shape("word", "null")
        case bool():
            return Shape("word", "true" if value else "false")
        case int() | float():
            return Shape("number", repr(value))
        case str():
            return Shape("text", value[:LONG], left_out=max(len(value) - LONG, 0))
        case list() if _is_table(value):
            return _table(value)
        case dict() | list() if depth >= MAX_DEPTH:
            return Shape("word", "…")
        case dict() if depth == 0 and value and len(value) <= MAX_FACTS:
            return _items("facts", value.items(), len(value), depth)
        case dict():
            return _items("object", value.items(), len(value), depth)
        case list():
            numbered = ((str(at), item) for at, item in enumerate(value))
            return _items("array", numbered, len(value), depth)
    return Shape("text", str(value))


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _is_table(value: list[Any]) -> bool:
    """Whether a list reads best as a table: flat objects that share their names."""
    if not value or not all(isinstance(row, dict) and row for row in value):
        return False
    names = {name for row in value for name in row}
    flat = all(_is_plain(cell) for row in value for cell in row.values())
    filled = sum(len(row) for row in value)
    return flat and len(names) <= MAX_COLUMNS and 2 * filled >= len(value) * len(names)


def _table(value: list[dict[str, Any]]) -> Shape:
    names = list(dict.fromkeys(name for row in value for name in row))
    missing = Shape("missing")
    rows = [
        [shape(row[name]) if name in row else missing for name in names]
        for row in value[:MAX_ROWS]
    ]
    columns = [(name, rows[0][at].kind == "number") for at, name in enumerate(names)]
    return Shape(
        "table", columns=columns, rows=rows, left_out=max(len(value) - MAX_ROWS, 0)
    )


def _items(kind: str, pairs: Any, count: int, depth: int) -> Shape:
    items = []
    for name, item in pairs:
        if len(items) == MAX_ITEMS:
            break
        items.append((name, shape(item, depth + 1)))
    return Shape(kind, str(count), items=items, left_out=count - len(items))
