"""What the kernel knows of processes: whose child is whose, and how big."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

LINUX = Path("/proc/self/statm").exists()  # elsewhere a run is its process group only
SIGNAL_WHEN_PARENT_DIES, ADOPT_ORPHANS = 1, 36
libc = ctypes.CDLL(None)


def set_here(option: int, value: int) -> None:
    """Set an option of this process (prctl)."""
    if LINUX:
        libc.prctl(option, value, 0, 0, 0)


def wake_on(*signals: int) -> tuple[int, int]:
    """Have signals make a pipe readable, and do nothing else; return its ends."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in signals:
        signal.signal(number, lambda *_: None)
    return reader, writer


def children(pid: int) -> set[int]:
    """The children of all threads of a process, zombies included."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found.update(map(int, (task / "children").read_text().split()))
    return found


def descendants(pids: set[int]) -> set[int]:
    """All processes below these, at whatever depth."""
    found: set[int] = set()
    while pids := set[int]().union(*map(children, pids)) - found:
        found |= pids
    return found


def has_ended(child: int) -> bool:
    """Whether a child of this process has ended; it is left to be buried."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child, look) is not None


def send(pids: set[int], number: int) -> set[int]:
    """Send a signal to each; return those it reached."""
    reached = set()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
            reached.add(pid)
    return reached


def memory(pids: set[int]) -> int:
    """Bytes in use, pages that a fork shares with its host counted by share."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            words = Path(f"/proc/{pid}/smaps_rollup").read_text().split()
            total += 1024 * int(words[words.index("Pss:") + 1])
    return total
