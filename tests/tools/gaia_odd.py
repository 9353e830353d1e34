"""Signatures that GAIA's own registry calls unknown, under GAIA's own `tool`."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import time
from pathlib import Path
from typing import Literal, Optional, Union

from gaia.agents.base.tools import tool
from pydantic import BaseModel


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Order(BaseModel):
    n: int
    note: str = ""


@tool
def kinds(
    c: Colour,
    d: datetime.date,
    p: Path,
    at: Point,
    o: Order,
    n: Optional[int] = None,
    f: float = 1.0,
    m: Literal["a", "b"] = "a",
    u: Union[int, str] = 1,
) -> list:
    """Tell the types that arrive."""
    return [type(one).__name__ for one in (c, d, p, at, o, n, f, m, u)]


@tool
def half(n: int, /) -> float:
    """Halve."""
    return n / 2


@tool
def join(sep: str, *parts: str) -> str:
    """Join."""
    return sep.join(parts)


@tool
def note(title: str, **extra: str) -> str:
    """Note."""
    return repr((title, extra))


@tool
async def count(n: int):
    """Count up."""
    for i in range(n):
        yield i


@tool
def leave() -> None:
    """End the process as scripts do."""
    raise SystemExit(3)


@tool(timeout=0.2, timeout_arg="patience")
def slow(patience: int = 1) -> str:
    """Take longer than GAIA's own limit for it."""
    time.sleep(0.6)
    return "done"


@tool
def lost(path: str, when: "Nowhere") -> str:  # noqa: F821
    """Want a type that cannot be found."""
    return path
