"""Values of libraries, known by their looks; none is imported for it."""

from __future__ import annotations

import dataclasses
import io
import os
import sys
import uuid
from typing import TYPE_CHECKING, Any

from . import values_tables

if TYPE_CHECKING:
    from .values import Encoder

CELLS = 100_000


def encode(encoder: Encoder, pointer: str, value: Any) -> Any:
    """Encode a dataclass, a model, a table, a picture, or anything by its repr."""
    if isinstance(value, type) or callable(value):
        return _by_repr(encoder, pointer, value)
    if dataclasses.is_dataclass(value):
        return encoder.record(pointer, value)
    if isinstance(value, uuid.UUID | os.PathLike):
        return encoder.as_text(pointer, value)
    shown = _by_library(encoder, pointer, value)
    if shown is not NotImplemented:
        return shown
    if hasattr(type(value), "__next__"):
        return encoder.iterator(pointer, value)
    return _by_repr(encoder, pointer, value)


def _by_library(encoder: Encoder, pointer: str, value: Any) -> Any:
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if library in LIBRARIES and library in sys.modules:
        return LIBRARIES[library](encoder, pointer, value)
    fields: Any = NotImplemented
    if callable(getattr(kind, "model_dump", None)):
        extra = getattr(value, "__pydantic_extra__", None) or {}
        fields = {name: getattr(value, name) for name in kind.model_fields} | extra
    elif hasattr(kind, "__fields__") and callable(getattr(kind, "dict", None)):
        fields = value.dict()
    if fields is NotImplemented:
        return NotImplemented
    return encoder.noted(pointer, "object", encoder.mapping(pointer, fields))


def _by_repr(encoder: Encoder, pointer: str, value: Any) -> Any:
    from .values import printed

    return encoder.noted(pointer, "object", printed(value))


def _numpy(encoder: Encoder, pointer: str, value: Any) -> Any:
    if not hasattr(value, "tolist"):
        return NotImplemented
    if getattr(value, "ndim", 0) == 0:
        plain = value.tolist()
        return NotImplemented if plain is value else encoder.at(pointer, plain)
    if value.size > CELLS:
        import numpy

        buffer = io.BytesIO()
        numpy.save(buffer, value, allow_pickle=False)
        return encoder.file(pointer, "size", buffer.getvalue(), "array.npy")
    return encoder.noted(pointer, "table", encoder.list(pointer, value.tolist()))


def _pillow(encoder: Encoder, pointer: str, value: Any) -> Any:
    if not hasattr(value, "getbands"):
        return NotImplemented
    buffer = io.BytesIO()
    plain = value.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
    mode = "I;16" if value.mode == "I" else "RGB"
    (value if plain else value.convert(mode)).save(buffer, "PNG")
    return encoder.file(pointer, "image", buffer.getvalue(), "image")


def _matplotlib(encoder: Encoder, pointer: str, value: Any) -> Any:
    figure = value if hasattr(value, "savefig") else getattr(value, "figure", None)
    if figure is None:
        return NotImplemented
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return encoder.file(pointer, "image", buffer.getvalue(), "plot")


def _secret(encoder: Encoder, pointer: str, value: Any) -> Any:
    if hasattr(value, "get_secret_value"):
        return encoder.noted(pointer, "object", str(value))
    return NotImplemented


LIBRARIES: dict[str, Any] = {
    "numpy": _numpy,
    "pandas": values_tables.pandas,
    "polars": values_tables.polars,
    "PIL": _pillow,
    "matplotlib": _matplotlib,
    "pydantic": _secret,
}
