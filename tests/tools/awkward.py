"""Values and exceptions that JSON cannot hold."""

import array
import collections
import dataclasses
import datetime
import enum
import io
import itertools
import uuid
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from pegboard_tool import tool
from pydantic import BaseModel, SecretStr


class Mute:
    def __repr__(self):
        raise RuntimeError("no repr")


class Hostile:
    """Lies about all it is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    @property
    def __class__(self):
        raise RuntimeError("no class")


class Loud(Exception):
    def __init__(self, code, *, detail):
        super().__init__(code)
        self.detail = detail


class Unsayable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Colour(enum.Enum):
    red = "r"
    pair = (1, 2)


class Place(NamedTuple):
    row: int
    column: int


@dataclasses.dataclass
class Item:
    name: str
    price: Decimal


class Model(BaseModel):
    item: str
    when: datetime.date
    key: SecretStr


@tool
def stats() -> dict:
    """Undefined numbers."""
    return {
        "mean": float("nan"), "hi": float("inf"), "lo": float("-inf"), "n": 3,
        "rows": [[1.0, float("nan")]],
    }  # fmt: skip


@tool
def thumb() -> bytes:
    """Not text."""
    return b"\x89PNG\r\n\x1a\n\x00\xff\xfe"


@tool
def nested() -> dict:
    """Bytes deeper down."""
    return {"ok": True, "parts": [b"\xff", b"plain"]}


@tool
def mixed(mode: str = "value"):
    """Awkward objects."""
    if mode == "error":
        raise Loud(3, detail=object())
    if mode == "unsayable":
        raise Unsayable
    if mode == "loop":
        a = []
        a.append(a)
        return a
    return {
        "when": datetime.datetime.now(datetime.UTC),
        "ids": {3, 1},
        ("a", "b"): Decimal("1.10"),
        1: "int key",
        "1": "text key",
        "m": Mute(),
        "gen": (i for i in range(3)),
    }


@tool
def zoo() -> dict:
    """One of each."""
    return {
        "tuple": (1, 2), "place": Place(1, 2), "set": frozenset("ba"),
        "mixed set": {1, "a"}, "date": datetime.date(2026, 1, 2),
        "time": datetime.time(1, 2), "span": datetime.timedelta(days=1, seconds=1.5),
        "decimal": Decimal("1.2300"), "fraction": Fraction(1, 3), "complex": 1 + 2j,
        "enum": Colour.red, "odd enum": Colour.pair, "item": Item("a", Decimal("0.1")),
        "model": Model(item="x", when=datetime.date(2026, 1, 2), key="s3cr3t-4711"),
        "uuid": uuid.UUID(int=1), "path": Path("a/b"), "range": range(3),
        "deque": collections.deque([1]), "array": array.array("i", [1, 2]),
        "keys": {"a": 1}.keys(), "items": {"a": 1}.items(), "buffer": io.StringIO("t"),
        "binary": io.BytesIO(b"\x00"), "error": ValueError("bad"), "type": int,
        "function": len, "hostile": Hostile(), "nul": "a\x00b", "surrogate": "\ud800",
        "big": 2**200, "huge": 1 << 100_000, "true": True, "endless": itertools.count(),
    }  # fmt: skip


@tool
def deep(levels: int = 500):
    """Lists in lists."""
    value = "bottom"
    for _ in range(levels):
        value = [value]
    return value


@tool
def large(rows: int = 20_000) -> list:
    """A large value."""
    return [{"i": i, "v": "z" * 20} for i in range(rows)]


@tool
def wide(count: int = 1_000_000) -> list:
    """More parts than anyone shows."""
    return [None, b"", *range(count)]


@tool
def long_keys() -> dict:
    """Keys that are longer than anyone shows, over values that are noted."""
    return {f"{number}" + "k" * 20_000: {number} for number in range(1500)}


@tool
def plain() -> dict:
    """Nothing but JSON."""
    return {"a": [1, 2.5, "x", None, True, {"b": []}], "status": "odd"}


@tool
def raises_deep():
    """Raise from a chain of calls."""

    def inner():
        raise KeyError("lost")

    try:
        inner()
    except KeyError as error:
        raise RuntimeError("gave up") from error


@tool
def shape(status: str) -> dict:
    """Answer in GAIA's form."""
    return {
        "status": status, "message": "m", "error": "e", "suggestion": "s",
        "instruction": "i", "data": [1],
    }  # fmt: skip


@tool
def brief() -> dict:
    """Fail as GAIA's own wrapper does."""
    return {"status": "error", "error_brief": "bad"}


@tool
def leaves_files() -> str:
    """Write into the run's folder."""
    Path("left.txt").write_text("left")
    return "left.txt"


def just_data() -> dict:
    """A plain function: what it returns is data, whatever it looks like."""
    return {"status": "error", "success": False, "error": "only a word"}
