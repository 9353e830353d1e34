"""Shared memory for the newest progress: written at will, read by the guard.

A write is a copy into memory, so a tool that reports without pause is hardly
slowed, and the newest report is there even if the tool then sleeps or dies.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import tempfile
from collections.abc import Iterator
from typing import Any

SIZE, HEAD = 16 * 1024, 12
TEXT = 1000


class Slot:
    """One place for [done, total, message, label]; the last one written wins."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._memory = mmap.mmap(fd, SIZE)
        self._state: list[Any] = [None, None, "", None]
        self._count = 0
        self._seen: tuple[int, Any, Any] = (0, None, None)

    @classmethod
    def create(cls) -> Slot:
        """Make the memory; its descriptor can be handed to a fresh process."""
        if hasattr(os, "memfd_create"):
            fd = os.memfd_create("pegboard-progress")
        else:
            with tempfile.TemporaryFile() as file:
                fd = os.dup(file.fileno())
        os.ftruncate(fd, SIZE)
        return cls(fd)

    def progress(self, done: Any, total: Any, message: Any) -> bool:
        """Write a report, what cannot be said left out; whether it is the first."""
        self._state[:3] = _number(done), _number(total), _text(message)
        return self._write()

    def label(self, text: Any) -> bool:
        self._state[3] = _text(text)
        return self._write()

    def _write(self) -> bool:
        body = json.dumps(self._state).encode("ascii")
        self._count += 1
        self._memory[HEAD : HEAD + len(body)] = body
        head = self._count.to_bytes(8, "big") + len(body).to_bytes(4, "big")
        self._memory[:HEAD] = head
        return self._count == 1

    def news(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what changed since the last look; nonsense is no news."""
        head = self._memory[:HEAD]
        count, length = int.from_bytes(head[:8], "big"), int.from_bytes(head[8:], "big")
        if count == self._seen[0] or length > SIZE - HEAD:
            return
        try:
            body = self._memory[HEAD : HEAD + length]
            done, total, message, label = json.loads(body)
            report = _report(done, total, message)
        except (ValueError, TypeError, RecursionError):
            return  # half written: the next look reads it whole
        seen, self._seen = self._seen, (count, report, label)
        if isinstance(label, str) and label != seen[2]:
            yield "label", {"text": label[:TEXT]}
        if report != seen[1] and list(report.values()) != [None, None, None, ""]:
            yield "progress", report


def _report(done: Any, total: Any, message: Any) -> dict[str, Any]:
    done, total = _finite(done), _finite(total)
    fraction = None
    if done is not None and total is not None and total > 0:
        fraction = min(max(done / total, 0.0), 1.0)
    text = message[:TEXT] if isinstance(message, str) else ""
    return {"fraction": fraction, "current": done, "total": total, "message": text}


def _finite(value: Any) -> int | float | None:
    if type(value) not in (int, float) or not math.isfinite(value):
        return None
    return value if abs(value) < 1e300 else None


def _number(value: Any) -> int | float | None:
    if type(value) is int or type(value) is float:
        return value if -1e300 < value < 1e300 else None
    try:
        return float(value)
    except Exception:
        return None


def _text(value: Any) -> str:
    try:
        return str(value)[:TEXT]
    except Exception:
        return ""
