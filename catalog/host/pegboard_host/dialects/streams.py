"""Standard streams that keep their order, line by line, across two pipes."""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import io
import os
import sys
import termios
import time
from typing import Any

from pegboard_host.processes import libc

PATIENCE = 0.02


class _Ordered(io.FileIO):
    """Writes after a reader has taken what the other stream wrote, within reason."""

    def __init__(self, fd: int, other: int) -> None:
        super().__init__(fd, "w", closefd=False)
        self._other = other

    def write(self, data: Any) -> int:
        if _unread(self._other):
            until = time.monotonic() + PATIENCE
            while _unread(self._other) and time.monotonic() < until:
                time.sleep(0.00005)
        return super().write(data)


def _unread(fd: int) -> int:
    """Bytes that wait in a pipe."""
    count = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def install() -> None:
    """Give this process, and all it forks, such streams, and nothing to read."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for name, fd, other in (("stdout", 1, 2), ("stderr", 2, 1)):
        buffer = io.BufferedWriter(_Ordered(fd, other))
        stream = io.TextIOWrapper(
            buffer, "utf-8", errors="backslashreplace", line_buffering=True
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
        with contextlib.suppress(ValueError):  # C's own buffer: by lines as well
            libc.setvbuf(ctypes.c_void_p.in_dll(libc, name), None, 1, 0)
