"""The host: keeps one source's tools imported and forks a guard per run."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from . import dialects, processes
from .child import run_call, run_fresh, run_fresh_child, settled_in
from .dialects import streams
from .frames import Channel
from .guard import Pipes, guard

HOME = Path(__file__).resolve().parent.parent
FAREWELL = 5.0  # seconds
# Guards that wait for the next runs, each with a process for its tool; after so many
# milliseconds without anything to do just one is kept.
KEPT, QUIET = 8, 10_000


class Host:
    """One source: its tools, and the guards of its runs."""

    def __init__(self, control: Channel) -> None:
        self.control = control
        self.guards: dict[int, Channel] = {}
        # The runs that guards have now. Kept open until a guard is free or has ended,
        # so that the supervisor sees one close only when nothing of the run is left.
        self.runs: dict[int, Channel] = {}
        self.over = False
        self.native: set[int] = set()  # processes that imports started, no run's

    def serve(self) -> None:
        """Load the source, then answer calls until the worker is gone."""
        processes.set_here(processes.ADOPT_ORPHANS, 1)
        source = self.control.receive()
        if source is None:
            return
        _end_at_once(self.control, yes=True)
        self.source, self.catalog = source, dialects.load(source)
        _end_at_once(self.control, yes=False)
        self.native = processes.children(os.getpid())
        # That imports left threads is told in the listing, not at every fork.
        warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)
        self.control.send(self.catalog.listing())
        processes.libc.fflush(None)
        gc.collect()
        gc.freeze()
        self.alarm = processes.wake_on(signal.SIGCHLD)
        while not self.over:
            self._turn()
        self._end_all()

    def _turn(self) -> None:
        """Wait for a call, or for word of a guard."""
        channels = {guard.fileno(): pid for pid, guard in self.guards.items()}
        poll = select.poll()
        for fd in (self.control.fileno(), self.alarm[0], *channels):
            poll.register(fd, select.POLLIN)
        ready = poll.poll(QUIET if len(self._free()) > 1 else None)
        if not ready:
            self._end_free(1)
        for fd, _ in ready:
            if fd == self.alarm[0]:
                os.read(fd, 512)
                self._bury()
            elif fd == self.control.fileno():
                self._hear()
            elif channels[fd] in self.guards:
                self._on_free(channels[fd])

    def _hear(self) -> None:
        message, fds = self.control.receive_with_fds()
        for fd in fds:
            self._take_up(Channel(socket.socket(fileno=fd)))
        self.over = message is None

    def _take_up(self, run: Channel) -> None:
        """Hand a run to a guard that is free, else to a new one."""
        free = self._free()
        pid = free.pop() if free else self._fork_guard(run)
        self.runs[pid] = run
        with contextlib.suppress(OSError):  # it died just now: it will be buried
            self.guards[pid].send({"op": "call"}, [run.fileno()])

    def _on_free(self, pid: int) -> None:
        """A guard has seen its run to the end; some are kept for the next."""
        if self.guards[pid].receive() is None:
            self._bury(pid)
            return
        self.runs.pop(pid).close()
        self._end_free(KEPT)

    def _free(self) -> set[int]:
        return self.guards.keys() - self.runs.keys()

    def _end_free(self, kept: int) -> None:
        for pid in list(self._free())[kept:]:
            os.kill(pid, signal.SIGTERM)
            self._bury(pid)

    def _fork_guard(self, run: Channel) -> int:
        """Fork a guard that waits for runs, this one too; return its id."""
        host = os.getpid()
        ours, theirs = map(Channel, socket.socketpair())

        def be_guard() -> None:
            others = (*self.guards.values(), *self.runs.values())
            for channel in (self.control, ours, run, *others):
                channel.close()
            for fd in self.alarm:
                os.close(fd)
            guard(theirs, host, partial(_fork, self._be_tool))

        pid = _fork(be_guard)
        theirs.close()
        self.guards[pid] = ours
        return pid

    def _be_tool(self, pipes: Pipes) -> None:
        start = settled_in(pipes)
        if start is None:
            return
        if self.source.get("isolation") == "spawn":
            run_fresh(HOME, self.source, start, pipes)
        run_call(self.catalog, start, pipes)

    def _bury(self, only: int = 0) -> None:
        """Bury the guards that have ended; wait for `only`, which is about to."""
        for pid in (only,) if only else tuple(self.guards):
            try:
                ended, status = os.waitpid(pid, 0 if only else os.WNOHANG)
            except ChildProcessError:
                ended, status = pid, 1
            if ended:
                self.guards.pop(pid).close()
                if status:
                    self._sweep()
                if run := self.runs.pop(pid, None):
                    run.close()

    def _sweep(self) -> None:
        """End what a dead guard left: children that are no guards and no import's."""
        me = os.getpid()
        while orphans := processes.children(me) - self.native - self.guards.keys():
            processes.send(orphans | processes.descendants(orphans), signal.SIGKILL)
            for pid in orphans:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.001)

    def _end_all(self) -> None:
        processes.send(set(self.guards), signal.SIGTERM)
        until = time.monotonic() + FAREWELL
        while self.guards and time.monotonic() < until:
            select.select([self.alarm[0]], [], [], 0.05)
            self._bury()
        self.native.clear()
        self.guards.clear()
        self._sweep()


def _fork(work: Callable[..., None], *args: Any) -> int:
    """Fork a process that does the work and ends; return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    code = 1
    try:
        work(*args)
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _end_at_once(control: Channel, *, yes: bool) -> None:
    """Have the kernel end this process when the worker goes, whatever runs here."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(control, fcntl.F_GETFL)
    flags = flags | os.O_ASYNC if yes else flags & ~os.O_ASYNC
    fcntl.fcntl(control, fcntl.F_SETFL, flags)


def main() -> None:
    """Run as a host, or as the fresh process of one run."""
    sys.path[0] = str(HOME)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    streams.install()
    if sys.argv[1] == "--child":
        run_fresh_child(*map(int, sys.argv[2:]))
    sock = socket.socket(fileno=int(sys.argv[1]))
    sock.set_inheritable(False)
    with contextlib.suppress(BrokenPipeError):
        Host(Channel(sock)).serve()
