"""Functions whose signatures are hard to read, or hard to call."""

# ruff: noqa: A002, B008, RUF013, UP007, UP045

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import functools
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypedDict, Union
from uuid import UUID

from pegboard_tool import InputFile, tool
from pydantic import BaseModel, Field, FilePath, SecretStr

if TYPE_CHECKING:
    from imaginary import Canvas


class Colour(Enum):
    red = "r"
    green = "g"


class Level(IntEnum):
    low = 1
    high = 2


class Shape(Enum):
    square = (4, 4)
    line = (2, 0)


class Address(BaseModel):
    street: str = Field(description="Street and number")
    city: str = "Oslo"


class Person(BaseModel):
    name: str
    addresses: list[Address] = []
    boss: Optional[Person] = None


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Options(TypedDict, total=False):
    deep: bool
    depth: int


@tool
def find_logs(pattern: str, days: int = 7) -> str:
    """Look for lines in the log store.

    Args:
        pattern: What to look for
        days (int, optional): How far back to go. Default: 7
    """
    return repr((pattern, days))


@tool
def resize(
    mode: Literal["fit", "fill"], width: int = 640, note: Optional[str] = None
) -> dict:
    """Resize a picture."""
    return {"mode": mode, "width": width, "note": note}


@tool
def paint(on: Canvas, colour: str = "red") -> str:
    """Paint something."""
    return colour


@tool
def sketch(colour: str, on: Canvas | None = None) -> str:
    """Sketch something, on paper unless told."""
    return repr((colour, on))


@tool
def half(n: int, /) -> float:
    """Halve."""
    return n / 2


@tool
def places(first: int, second: int = 2, /, *, third: int = 3) -> list[int]:
    """By place."""
    return [first, second, third]


@tool
def join(sep: str, *parts: str) -> str:
    """Join."""
    return sep.join(parts)


@tool
def note(title: str, **extra: str) -> str:
    """Note."""
    return repr((title, sorted(extra.items())))


class Desk:
    @tool
    def open(self, drawer: str) -> str:
        """Open a drawer."""
        return drawer


@tool
def everything(
    colour: Colour,
    level: Level = Level.low,
    shape: Shape = Shape.line,
    on: datetime.date = datetime.date(2026, 1, 2),
    at: datetime.datetime | None = None,
    price: Decimal = Decimal("1.10"),
    path: Path = Path(),
    point: Point = Point(1.0),
    options: Options | None = None,
    id: Optional[UUID] = None,
    pair: tuple[int, str] = (1, "a"),
    tags: set[str] = frozenset(),
    either: Union[int, list[int]] = 5,
    data: bytes = b"",
    anything: Any = None,
    count: Annotated[int, "How many", Field(ge=1, le=9)] = 3,
    name: str = None,
    size: int = Field(default=7, description="Size"),
) -> str:
    """Take everything."""
    return repr((colour, level, shape, on, at, price, path, point, options, id, pair,
                 tags, either, data, anything, count, name, size))  # fmt: skip


@tool
def hire(person: Person, at: Address) -> str:
    """Hire somebody."""
    return repr((person, at))


@tool
def shapes(wanted: list[Shape]) -> str:
    """Several shapes."""
    return repr(wanted)


@tool
def login(user: str, api_key: SecretStr) -> str:
    """Use a key."""
    return f"{user} {len(api_key.get_secret_value())}"


@tool
def read_input(file: InputFile, other: FilePath | None = None) -> str:
    """Read a file."""
    return repr(
        (file.name, file.media_type, Path(file).read_text(), other and other.name)
    )


@tool
def weigh(files: list[InputFile], raw: bytes = b"") -> list[int]:
    """Weigh files."""
    return [len(Path(file).read_bytes()) for file in files] + [len(raw)]


@tool
def call_me(back: functools.partial) -> str:
    """Nothing like this comes from JSON."""
    return repr(back)


def wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@tool
async def ping(host: str) -> str:
    """Async."""
    await asyncio.sleep(0)
    return "pong " + host


@tool
@wrapped
async def ping2(host: str) -> str:
    """Sync shell around async."""
    return "pong2 " + host


@tool
async def count(n: int):
    """Async generator."""
    for i in range(n):
        yield i


@tool
def letters(text: str):
    """Yield letters."""
    yield from text


@tool
def no_docstring(x):
    return x


@tool(
    atomic=True,
    display_label="Doing it all",
    timeout=12.5,
    hints={"read_only": True, "destructive": False},
    tags=["one", "two"],
)
def declared() -> None:
    """Declare everything."""
