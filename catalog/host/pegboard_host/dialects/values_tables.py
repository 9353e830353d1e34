"""Tables of pandas and polars as rows; the whole as a file where they are cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .values import Encoder

ROWS = 2000
MISSING = ("NaTType", "NAType")


def pandas(encoder: Encoder, pointer: str, value: Any) -> Any:
    """Encode what pandas makes; NotImplemented for what is none of its data."""
    name = type(value).__name__
    if name in MISSING:
        return encoder.noted(pointer, "date" if name == "NaTType" else "number", None)
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        return _table(encoder, pointer, value)
    if name == "Series":
        rows = [{"index": k, "value": v} for k, v in value.head(ROWS).items()]
        _keep_whole(encoder, pointer, value, len(value))
        return encoder.noted(pointer, "table", encoder.list(pointer, rows))
    if hasattr(value, "tolist") and hasattr(value, "isna"):  # an index, an array
        return encoder.noted(pointer, "table", encoder.list(pointer, value.tolist()))
    if name in ("Period", "Interval"):
        return encoder.as_text(pointer, value)
    return NotImplemented


def _table(encoder: Encoder, pointer: str, frame: Any) -> Any:
    _keep_whole(encoder, pointer, frame, len(frame))
    head = frame.head(ROWS)
    columns = [_cells(head.iloc[:, at]) for at in range(head.shape[1])]
    labels = [*frame.columns]
    if type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None:
        columns.insert(0, head.index.tolist())
        labels.insert(0, _index_name(frame.index))
    names = unique(labels)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return encoder.noted(pointer, "table", encoder.list(pointer, rows))


def _keep_whole(encoder: Encoder, pointer: str, data: Any, count: int) -> None:
    if count > ROWS:
        encoder.noted(pointer, "size", None)
        encoder.file(pointer, "table", data.to_csv().encode(), "table.csv")


def _cells(column: Any) -> list[Any]:
    """A column's values; what is missing is None, but a number's NaN stays one."""
    values: list[Any] = column.tolist()
    if getattr(column.dtype, "kind", "") == "f":
        return values
    gaps = column.isna().tolist()
    return [None if gap else cell for cell, gap in zip(values, gaps, strict=True)]


def _index_name(index: Any) -> Any:
    names = [str(name) for name in index.names if name is not None]
    return ", ".join(names) or "index"


def unique(labels: Iterable[Any]) -> list[str]:
    """Name columns by text; two of one name stay two."""
    found: list[str] = []
    for label in labels:
        text = ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
        name, count = text, 1
        while name in found:
            count += 1
            name = f"{text} ({count})"
        found.append(name)
    return found


def polars(encoder: Encoder, pointer: str, value: Any) -> Any:
    """Encode what polars makes; NotImplemented for what is none of its data."""
    if hasattr(value, "to_dicts"):
        rows = value.head(ROWS).to_dicts()
        if len(value) > ROWS:
            encoder.noted(pointer, "size", None)
            encoder.file(pointer, "table", *_whole(value))
        return encoder.noted(pointer, "table", encoder.list(pointer, rows))
    if hasattr(value, "to_list"):
        return encoder.noted(pointer, "table", encoder.list(pointer, value.to_list()))
    return NotImplemented


def _whole(frame: Any) -> tuple[bytes, str]:
    try:
        return frame.write_csv().encode(), "table.csv"
    except Exception:  # CSV has no place for lists and records
        return frame.write_ndjson().encode(), "table.ndjson"
