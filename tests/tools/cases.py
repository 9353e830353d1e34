"""The probes of docs' cases: they say what they received, or misbehave in one way."""

import asyncio
import functools
import os
import subprocess
import sys
import time
from datetime import datetime, timezone
from decimal import Decimal

from pegboard_tool import progress, tool


@tool
def add(a: int, b: int = 3) -> int:
    """Add two numbers."""
    return a + b


@tool
def book(
    room: str,
    guests: "int | None" = None,
    label: "str | None" = None,
    tags: "list[str] | None" = None,
    extra: "dict[str, int] | None" = None,
) -> str:
    """Echo what was really passed."""
    return repr((room, guests, label, tags, extra))


@tool
def slow_append(path: str, seconds: float = 1.0) -> str:
    """Append one line, slowly."""
    with open(path, "a") as f:
        f.write("x\n")
    time.sleep(seconds)
    return "done"


@tool(timeout=1)
def stubborn() -> str:
    """Never gives up."""
    while True:
        try:
            time.sleep(0.05)
        except BaseException:
            pass


@tool(timeout=1)
def busy() -> int:
    """One long call in C code."""
    return sum(range(10**13))


@tool(timeout=1)
def breed(path: str) -> str:
    """Double-fork a writer with a session of its own, and swallow every end."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                with open(path, "a") as f:
                    f.write("x")
                time.sleep(0.05)
        os._exit(0)
    while True:
        try:
            time.sleep(0.05)
        except BaseException:
            pass


@tool
def ticker(path: str) -> str:
    """Start a helper that writes twice a second."""
    script = f"( while :; do date >> {path}; sleep 0.1; done ) & wait"
    subprocess.run(["sh", "-c", script])
    return "end"


@tool
def die(how: str = "exit") -> str:
    """End without a value."""
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), 9)
    return "never"


@tool
async def ping(host: str) -> str:
    """Async."""
    await asyncio.sleep(0)
    return "pong " + host


def wrapped(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        return fn(*a, **k)

    return inner


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
def chatter(n: int = 500) -> str:
    """Print numbered lines."""
    for i in range(n):
        print(i)
        if i % 50 == 0:
            time.sleep(0.1)
    return "ok"


@tool
def report(n: int = 3) -> str:
    """Tell progress three times."""
    for i in range(n):
        progress(i + 1, n, f"step {i + 1}")
        time.sleep(0.15)
    return "ok"


@tool
def stats() -> dict:
    """Undefined numbers."""
    nan = float("nan")
    return {
        "mean": nan,
        "hi": float("inf"),
        "lo": float("-inf"),
        "n": 3,
        "rows": [[1.0, nan]],
    }


@tool
def thumb() -> bytes:
    """Not text."""
    return b"\x89PNG\r\n\x1a\n\x00\xff\xfe"


@tool
def nested() -> dict:
    """Bytes deeper down."""
    return {"ok": True, "parts": [b"\xff", b"plain"]}


class Mute:
    def __repr__(self):
        raise RuntimeError("no repr")


class Loud(Exception):
    def __init__(self, code, *, detail):
        super().__init__(code)
        self.detail = detail


@tool
def mixed(mode: str = "value"):
    """Awkward objects."""
    if mode == "error":
        raise Loud(3, detail=object())
    if mode == "loop":
        a = []
        a.append(a)
        return a
    return {
        "when": datetime(2026, 1, 2, tzinfo=timezone.utc),
        "ids": {3, 1},
        ("a", "b"): Decimal("1.10"),
        1: "int key",
        "1": "text key",
        "m": Mute(),
        "gen": (i for i in range(3)),
    }


@tool
def flood(lines: int = 1_000_000, wide: int = 0, rows: int = 300_000):
    """Much output."""
    for i in range(lines):
        print(i, "x" * 40)
    if wide:
        print("y" * wide)
    return [{"i": i, "v": "z" * 20} for i in range(rows)]


@tool
def both() -> str:
    """Write to both streams, from Python, from C and from a child."""
    print("out 1", flush=True)
    print("err 1", file=sys.stderr, flush=True)
    os.write(1, b"out 2\n")
    subprocess.run(["sh", "-c", "echo out 3; echo err 2 >&2"])
    return "ok"


@tool
def where() -> dict:
    """Tell where it runs, and leave a file behind."""
    with open("made.txt", "w") as f:
        f.write("made")
    return {"cwd": os.getcwd(), "env": sorted(os.environ), "argv": sys.argv}


@tool(hints={"destructive": True})
def delete(path: str, confirm: bool = False) -> dict:
    """Preview first, then delete.

    Args:
        path: What to delete.
        confirm: Must be true to really do it.
    """
    if not confirm:
        return {"status": "preview", "message": f"This would delete {path}"}
    return {"status": "success", "message": f"Deleted {path}"}


@tool
def broken(text: str = "") -> dict:
    """Report a failure as GAIA's tools do."""
    return {"status": "error", "error": f"No such thing: {text}", "suggestion": "Look."}


@tool
def clock(n: int = 60, pause: float = 0.25) -> str:
    """Print the time again and again."""
    for _ in range(n):
        print(time.time(), flush=True)
        time.sleep(pause)
    return "ok"
