"""Any value as plain strict JSON, with notes on what was changed."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import io
import itertools
import json
import math
import types
from collections import abc
from typing import Any

from .base import File
from .files import safe_name
from .media import media_type_by_name, media_type_of

DEPTH, NODES, NOTES, ITEMS, TEXT = 60, 1_000_000, 1000, 1000, 2000
AS_THEY_ARE = {str, bool, type(None)}  # exact types; what most parts of a value are
POINTER = 200
BIG_INTEGER = 14_000  # bits: what Python turns into digits without being told to


def is_plain(value: Any) -> bool:
    """Whether a value is JSON as it stands; quick, for what most tools return."""
    try:
        text = json.dumps(value, allow_nan=False)
        return _depth(value) < DEPTH and bool(json.loads(text) == value)
    except (ValueError, TypeError, RecursionError):
        return False


def _depth(value: Any) -> int:
    """How deep lists and dicts go, up to the limit."""
    level, depth = [value], 0
    while depth <= DEPTH:
        level = [one for one in level if isinstance(one, dict | list)]
        if not level:
            break
        depth += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


class Encoder:
    """Encodes one value; keeps its notes, and the files that its bytes become."""

    def __init__(self) -> None:
        self.notes: list[dict[str, str]] = []
        self.files: list[File] = []
        self.names: set[str] = set()
        self._above: list[int] = []
        self._nodes = 0

    def encode(self, value: Any) -> Any:
        """Return plain JSON, whatever comes; never raises."""
        return value if is_plain(value) else self.at("", value)

    def at(self, pointer: str, value: Any) -> Any:
        """Encode the part of a value that lies at a pointer."""
        self._nodes += 1
        if type(value) in AS_THEY_ARE and self._nodes < NODES:
            return value
        if self._nodes > NODES or len(self._above) > DEPTH:
            kind = "size" if self._nodes > NODES else "depth"
            return self.noted(pointer, kind, f"<{type(value).__name__}, not shown>")
        if id(value) in self._above:
            return self.noted(pointer, "cycle", "<cycle>")
        self._above.append(id(value))
        try:
            return self._encode(pointer, value)
        except Exception:
            return self.noted(
                pointer, "unprintable", f"<{type(value).__name__}, not shown>"
            )
        finally:
            self._above.pop()

    def noted(self, pointer: str, kind: str, shown: Any) -> Any:
        """Note what was done at a pointer."""
        if len(self.notes) < NOTES and len(pointer) <= POINTER:
            self.notes.append({"pointer": pointer, "kind": kind})
        return shown

    def _encode(self, pointer: str, value: Any) -> Any:
        if isinstance(value, enum.Enum):
            scalar = isinstance(value.value, str | int | float)
            shown = value.value if scalar else value.name
            return self.noted(pointer, "enum", self.at(pointer, shown))
        for kinds, write in KINDS:
            if isinstance(value, kinds):
                return write(self, pointer, value)
        from . import values_foreign

        return values_foreign.encode(self, pointer, value)

    def number(self, pointer: str, value: float) -> Any:
        value = float(value)
        if math.isfinite(value):
            return value
        name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        return self.noted(pointer, "number", name)

    def integer(self, pointer: str, value: int) -> Any:
        if value.bit_length() <= BIG_INTEGER:
            return int(value)
        text = f"<integer of {value.bit_length()} bits>"
        return self.noted(pointer, "size", text)

    def text(self, pointer: str, value: str) -> Any:
        return str.__str__(value)

    def binary(self, pointer: str, value: Any) -> Any:
        return self.file(pointer, "bytes", bytes(value), "data")

    def file(self, pointer: str, kind: str, content: bytes, name: str) -> Any:
        """Keep bytes as a file, and leave a marker in their place."""
        media_type, suffix = media_type_of(content)
        name, dot, own = name.partition(".")
        if dot:
            suffix, media_type = f".{own}", media_type_by_name(f"{name}.{own}")
        called = pointer.strip("/").replace("/", "-") or name
        name = safe_name(called + suffix, self.names)
        self.files.append(File(name, content, media_type))
        marker: dict[str, Any] = {"$file": name, "size": len(content)}
        marker |= {"media_type": media_type, "hex": content[:32].hex()}
        return self.noted(pointer, kind, marker)

    def mapping(self, pointer: str, value: Any) -> Any:
        shown: dict[str, Any] = {}
        keys = {key for key in value if type(key) is str}
        for key, item in value.items():
            name = key if type(key) is str else self._key(key, keys)
            inner = f"{pointer}/{escaped(name)}"
            shown[name] = self.at(inner, item)
            if name is not key:
                self.noted(inner, "key", None)
        return shown

    def _key(self, key: Any, taken: set[str]) -> str:
        if hasattr(key, "dtype") and hasattr(key, "item"):
            key = key.item()  # numpy's scalars, as the numbers they are
        text = str.__str__(key) if isinstance(key, str) else printed(key)
        if text in taken:
            text = f"{text} ({type(key).__name__})"
        while text in taken:
            text += "'"
        taken.add(text)
        return text

    def list(self, pointer: str, value: Any) -> Any:
        return [self.at(f"{pointer}/{n}", item) for n, item in enumerate(value)]

    def tuple(self, pointer: str, value: Any) -> Any:
        if hasattr(value, "_asdict"):
            return self.noted(pointer, "tuple", self.mapping(pointer, value._asdict()))
        return self.noted(pointer, "tuple", self.list(pointer, value))

    def set(self, pointer: str, value: Any) -> Any:
        try:
            ordered = sorted(value)
        except TypeError:
            ordered = sorted(value, key=lambda v: (type(v).__name__, printed(v)))
        return self.noted(pointer, "set", self.list(pointer, ordered))

    def date(self, pointer: str, value: Any) -> Any:
        missing = value != value  # pandas' NaT is a date by its type
        return self.noted(pointer, "date", None if missing else value.isoformat())

    def span(self, pointer: str, value: datetime.timedelta) -> Any:
        sign, value = ("-", -value) if value.days < 0 else ("", value)
        seconds = f"{value.seconds}.{value.microseconds:06d}".rstrip("0").rstrip(".")
        return self.noted(pointer, "date", f"{sign}P{value.days}DT{seconds}S")

    def decimal(self, pointer: str, value: Any) -> Any:
        return self.noted(pointer, "decimal", str(value))

    def as_text(self, pointer: str, value: Any) -> Any:
        return self.noted(pointer, "object", str(value))

    def record(self, pointer: str, value: Any) -> Any:
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return self.noted(pointer, "object", self.mapping(pointer, fields))

    def iterator(self, pointer: str, value: Any) -> Any:
        items = list(itertools.islice(value, ITEMS + 1))
        if len(items) > ITEMS:
            self.noted(pointer, "size", None)
        return self.noted(pointer, "generator", self.list(pointer, items[:ITEMS]))

    def error(self, pointer: str, value: BaseException) -> Any:
        return self.noted(pointer, "object", f"{type(value).__name__}: {value}")


KINDS: list[tuple[Any, Any]] = [
    (str, Encoder.text),
    (int, Encoder.integer),
    (float, Encoder.number),
    (bytes | bytearray | memoryview, Encoder.binary),
    (io.BytesIO, lambda e, p, v: e.binary(p, v.getvalue())),
    (io.StringIO, lambda e, p, v: e.noted(p, "object", v.getvalue())),
    (dict | collections.OrderedDict | types.MappingProxyType, Encoder.mapping),
    (list, Encoder.list),
    (tuple, Encoder.tuple),
    (set | frozenset, Encoder.set),
    (datetime.date | datetime.time, Encoder.date),
    (datetime.timedelta, Encoder.span),
    (decimal.Decimal, Encoder.decimal),
    (fractions.Fraction | complex, Encoder.as_text),
    (BaseException, Encoder.error),
    (
        collections.deque | array.array | range | abc.KeysView | abc.ValuesView,
        lambda e, p, v: e.noted(p, "tuple", e.list(p, itertools.islice(v, NODES))),
    ),
    (abc.ItemsView, lambda e, p, v: e.noted(p, "tuple", e.list(p, list(v)))),
    (types.GeneratorType | map | filter | zip, Encoder.iterator),
]


def escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def printed(value: Any) -> str:
    """A repr, bounded; any that fails is an exception for `Encoder.at`."""
    text = repr(value)
    return text if len(text) <= TEXT else text[:TEXT] + "…"


def preview(value: Any, room: int = 20) -> Any:
    """The head of a value too big to be shown whole."""
    if isinstance(value, str):
        return value if len(value) <= 500 else value[:500] + "…"
    if isinstance(value, list):
        return [preview(item, max(room // 4, 1)) for item in value[:room]]
    if isinstance(value, dict):
        items = itertools.islice(value.items(), room)
        return {preview(k): preview(v, max(room // 4, 1)) for k, v in items}
    return value
