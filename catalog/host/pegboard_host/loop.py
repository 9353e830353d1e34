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
from pathlib import Path

from . import dialects, processes
from .child import run_call, run_fresh, run_fresh_child, settled_in
from .dialects import streams
from .frames import Channel
from .guard import Pipes, guard

HOME = Path(__file__).resolve().parent.parent
FAREWELL = 5.0


class Host:
    """One source: its tools, and the guards of its runs."""

    def __init__(self, control: Channel) -> None:
        self.control = control
        self.guards: dict[int, Channel] = {}
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
        while self._turn():
            self._bury()
        self._end_all()

    def _turn(self) -> bool:
        """Take a call, or hear of an end; whether the worker is still there."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.alarm[0], select.POLLIN)
        ready = {fd for fd, _ in poll.poll()}
        if self.alarm[0] in ready:
            os.read(self.alarm[0], 512)
        if self.control.fileno() not in ready:
            return True
        message, fds = self.control.receive_with_fds()
        for fd in fds:
            self._fork_guard(Channel(socket.socket(fileno=fd)))
        return message is not None

    def _fork_guard(self, run: Channel) -> None:
        host = os.getpid()

        def be_guard() -> None:
            for channel in (self.control, *self.guards.values()):
                channel.close()
            for fd in self.alarm:
                os.close(fd)
            guard(run, host, lambda pipes: _fork(lambda: self._be_tool(pipes)))

        # Kept open until the guard has ended, so that the supervisor sees this
        # channel close only when nothing of the run is left.
        self.guards[_fork(be_guard)] = run

    def _be_tool(self, pipes: Pipes) -> None:
        start = settled_in(pipes)
        if start is None:
            return
        if self.source.get("isolation") == "spawn":
            run_fresh(HOME, self.source, start, pipes)
        run_call(self.catalog, start, pipes)

    def _bury(self) -> None:
        for pid, run in tuple(self.guards.items()):
            try:
                ended, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                ended, status = pid, 1
            if ended:
                del self.guards[pid]
                if status:
                    self._sweep()
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


def _fork(work: Callable[[], None]) -> int:
    """Fork a process that does the work and ends; return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    code = 1
    try:
        work()
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
