"""Standard streams that keep their order, line by line, across two pipes."""

from __future__ import annotations

import array
import contextlib
import fcntl
import io
import os
import sys
import termios
import time
from typing import Any

from . import processes

PATIENCE = 0.02


class Ordered(io.FileIO):
    """Writes after a reader has taken what the other stream wrote, within reason."""

    def __init__(self, fd: int, other: int) -> None:
        super().__init__(fd, "w", closefd=False)
        self._other = other

    def write(self, data: Any) -> int | None:
        if unread(self._other):
            until = time.monotonic() + PATIENCE
            while unread(self._other) and time.monotonic() < until:
                time.sleep(0.00005)
        return super().write(data)


def unread(fd: int) -> int:
    """Bytes that wait in a pipe."""
    count = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def install() -> None:
    """Give this process, and all it forks, such streams, and nothing to read."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    for name, fd, other in (("stdout", 1, 2), ("stderr", 2, 1)):
        stream = io.TextIOWrapper(
            io.BufferedWriter(Ordered(fd, other)),
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    processes.line_buffer_c_output()
