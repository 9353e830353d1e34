"""How a returned value is shown: as text, table, list of facts or tree."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

MAX_ROWS = 200
MAX_COLUMNS = 24
MAX_FACTS = 60
MAX_ITEMS = 100
MAX_DEPTH = 12
LONG = 20_000


@dataclass(frozen=True)
class Shape:
    """A value and the way to show it; `left_out` counts what is not shown.

    The cells of a row are paired with whether their column is numeric.
    """

    kind: str
    text: str = ""
    columns: list[tuple[str, bool]] = field(default_factory=list)  # name, numeric
    rows: list[list[tuple["Shape", bool]]] = field(default_factory=list)
    items: list[tuple[str, "Shape"]] = field(default_factory=list)
    left_out: int = 0

    @property
    def folds(self) -> bool:
        """Whether it is shown as a branch of the tree, with its name on the fold."""
        return self.kind in ("array", "object") and bool(self.items)


def shape(value: Any, depth: int = 0) -> Shape:
    """Choose how to show a JSON value; never deeper or longer than a page bears."""
    if not isinstance(value, (dict, list)):
        return _scalar(value)
    if isinstance(value, list) and _is_table(value):
        return _table(value)
    if isinstance(value, dict) and isinstance(value.get("$file"), str):
        return _file(value)
    if depth >= MAX_DEPTH:
        return Shape("word", "…")
    if isinstance(value, list):
        kind = "line" if _is_line(value) else "array"
        return _items(kind, enumerate(value), len(value), depth)
    few = depth == 0 and 0 < len(value) <= MAX_FACTS
    return _items("facts" if few else "object", value.items(), len(value), depth)


def _file(marker: dict[str, Any]) -> Shape:
    """Show bytes that were kept as an artifact: name, size, the first of them."""
    size, head = marker.get("size"), str(marker.get("hex", ""))[:32]
    words = f"{size} byte{'' if size == 1 else 's'}: {head}"
    return Shape("file", marker["$file"], items=[("", Shape("word", words))])


def _scalar(value: Any) -> Shape:
    match value:
        case str():
            return Shape("text", value[:LONG], left_out=max(len(value) - LONG, 0))
        case None | bool():
            return Shape("word", {None: "null", True: "true"}.get(value, "false"))
        case _:
            return Shape("number", repr(value))


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (dict, list))


def _is_line(value: list[Any]) -> bool:
    """Whether a list is short enough to be read on one line."""
    plain = 0 < len(value) <= 12 and all(_is_plain(item) for item in value)
    return plain and sum(len(str(item)) for item in value) <= 80


def _is_table(value: list[Any]) -> bool:
    """Whether a list reads best as a table: flat objects that share their names."""
    if not value or not all(isinstance(row, dict) and row for row in value):
        return False
    names = {name for row in value for name in row}
    if "$file" in names:
        return False
    flat = all(_is_plain(cell) for row in value for cell in row.values())
    filled = sum(len(row) for row in value)
    return flat and len(names) <= MAX_COLUMNS and 2 * filled >= len(value) * len(names)


def _table(value: list[dict[str, Any]]) -> Shape:
    names = list(dict.fromkeys(name for row in value for name in row))
    missing = Shape("missing")
    columns = [(name, _is_numeric(value, name)) for name in names]
    rows = [
        [
            (shape(row[name]) if name in row else missing, right)
            for name, right in columns
        ]
        for row in value[:MAX_ROWS]
    ]
    return Shape(
        "table", columns=columns, rows=rows, left_out=max(len(value) - MAX_ROWS, 0)
    )


def _is_numeric(value: list[dict[str, Any]], name: str) -> bool:
    """Whether a column holds numbers, where it holds anything."""
    cells = [row[name] for row in value if row.get(name) is not None]
    return bool(cells) and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells
    )


def _items(
    kind: str, pairs: Iterable[tuple[Any, Any]], count: int, depth: int
) -> Shape:
    shown = list(islice(pairs, MAX_ITEMS))
    items = [(str(name), shape(item, depth + 1)) for name, item in shown]
    return Shape(kind, str(count), items=items, left_out=count - len(items))
