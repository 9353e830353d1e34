"""Shared memory for the newest progress: written at will, read by the guard.

A write is a copy into memory, so a tool that reports without pause is hardly
slowed, and the newest report is there even if the tool then sleeps or dies.
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import tempfile
from collections.abc import Iterator
from typing import Any

SIZE, HEAD, TEXT = 16 * 1024, 12, 1000


def memory_file() -> int:
    """A file that is nowhere but in memory; its descriptor."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("pegboard")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Slot:
    """One place for [done, total, message, label]; the last one written wins."""

    def __init__(self, fd: int) -> None:
        os.ftruncate(fd, SIZE)
        self.fd, self._memory = fd, mmap.mmap(fd, SIZE)
        self._told: list[Any] = [None, None, "", None]
        self._writes, self._seen = 0, b""
        self._last: tuple[Any, Any] = (None, None)

    def close(self) -> None:
        self._memory.close()
        os.close(self.fd)

    def write(self, *progress: Any, label: Any = None) -> bool:
        """Write progress or a label, as far as possible; whether it is the first."""
        self._told[: len(progress)] = progress
        self._told[3] = self._told[3] if label is None else label
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            body = encoded(self._told).encode("ascii")
            self._writes += 1
            self._memory[HEAD : HEAD + len(body)] = body  # ValueError if too long
            head = self._writes.to_bytes(8, "big") + len(body).to_bytes(4, "big")
            self._memory[:HEAD] = head
        return self._writes == 1

    def news(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what changed since the last look; nonsense is no news."""
        head = self._memory[:HEAD]
        if head == self._seen:
            return
        end = HEAD + int.from_bytes(head[8:], "big")
        try:
            *progress, label = json.loads(self._memory[HEAD:end])
            report = _report(*progress)
        except (ValueError, TypeError, RecursionError):
            return  # half written: the next look finds it whole
        last, self._seen, self._last = self._last, head, (report, label)
        if isinstance(label, str) and label != last[1]:
            yield "label", {"text": label[:TEXT]}
        if report != last[0] and report != _report(None, None, ""):
            yield "progress", report


def _plain(value: Any) -> Any:
    try:
        return float(value) if hasattr(value, "__float__") else str(value)
    except Exception:
        return None


encoded = json.JSONEncoder(default=_plain).encode


def _report(done: Any, total: Any, message: Any) -> dict[str, Any]:
    done, total = (n if _is_number(n) else None for n in (done, total))
    fraction = None
    if done is not None and total is not None and total > 0:
        fraction = min(max(done / total, 0.0), 1.0)
    text = message[:TEXT] if isinstance(message, str) else ""
    return {"fraction": fraction, "current": done, "total": total, "message": text}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)
