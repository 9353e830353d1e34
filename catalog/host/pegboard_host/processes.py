"""What the kernel knows of processes: whose child is whose, and how big."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

LINUX = sys.platform == "linux"
PROC = Path("/proc")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own."""
    if LINUX:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def signal_when_parent_dies(number: int) -> None:
    if LINUX:
        libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def line_buffer_c_output() -> None:
    """Have C code's `printf` arrive line by line, as on a terminal."""
    with contextlib.suppress(ValueError):
        for name in ("stdout", "stderr"):
            libc.setvbuf(ctypes.c_void_p.in_dll(libc, name), None, 1, 0)


def watch(pid: int) -> int | None:
    """Open a descriptor that is readable once the process has ended."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


def children(pid: int) -> set[int]:
    """The children of all threads of a process, zombies included."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in (PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                found.update(map(int, (task / "children").read_text().split()))
    return found


def descendants(pid: int) -> set[int]:
    """Children, their children, and so on."""
    found: set[int] = set()
    fresh = children(pid)
    while fresh:
        found |= fresh
        fresh = set().union(*map(children, fresh)) - found
    return found


def signal_all(pids: set[int], number: int) -> set[int]:
    """Send a signal to each; return those it reached."""
    reached = set()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
            reached.add(pid)
    return reached


def memory(pids: set[int], over: int) -> int:
    """Bytes in use: the cheap sum while it is not `over`, else the fair one.

    A forked process shares most pages with its host; only the proportional
    set size counts those once, and it costs milliseconds.
    """
    page = os.sysconf("SC_PAGE_SIZE")
    total = sum(page * _number(pid, "statm", 1) for pid in pids)
    if total <= over:
        return total
    return sum(1024 * _number(pid, "smaps_rollup", "Pss:") for pid in pids)


def _number(pid: int, name: str, key: int | str) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        words = (PROC / str(pid) / name).read_text().split()
        return int(words[words.index(key) + 1] if isinstance(key, str) else words[key])
    return 0


def kill_group(pid: int) -> None:
    """All that can be had where there is no /proc."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
