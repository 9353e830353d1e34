"""The host: keeps one source's tools imported and forks a guard per run."""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import select
import signal
import socket
import sys
import threading
import time
import warnings
from pathlib import Path

from . import dialects, processes, streams
from .child import run_call, run_fresh, run_fresh_child
from .frames import Channel, Message
from .guard import Pipes, guard

HERE = Path(__file__).resolve().parent.parent
FAREWELL = 5.0


class Host:
    """One source: its tools, and the guards of its runs."""

    def __init__(self, control: Channel) -> None:
        self.control = control
        self.guards: dict[int, tuple[int, Channel]] = {}  # pid: (pidfd, run channel)
        self.native: set[int] = set()  # what imports started, which is not a run's

    def serve(self) -> None:
        """Load the source, then answer calls until the worker is gone."""
        processes.adopt_orphans()
        source = self.control.receive()
        if source is None:
            return
        with _ending_with(self.control):
            catalog = dialects.load(source)
        self.source, self.catalog = source, catalog
        self.native = processes.children(os.getpid())
        self.control.send(_loaded(source, catalog))
        processes.libc.fflush(None)
        gc.collect()
        gc.freeze()
        while self._turn():
            pass
        self._end_all()

    def _turn(self) -> bool:
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        for pidfd, _ in self.guards.values():
            poll.register(pidfd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll()}
        for pid, (pidfd, _) in tuple(self.guards.items()):
            if pidfd in ready:
                self._bury(pid)
        return self.control.fileno() not in ready or self._accept()

    def _accept(self) -> bool:
        message, fds = self.control.receive_with_fds()
        if message is None:
            return False
        for fd in fds:
            self._fork_guard(Channel(socket.socket(fileno=fd)))
        return True

    def _fork_guard(self, run: Channel) -> None:
        me, pid = os.getpid(), _fork()
        if pid:
            # Kept until the guard has ended, so that the supervisor sees this
            # channel close only when nothing of the run is left.
            self.guards[pid] = os.pidfd_open(pid), run
            return
        code = 1
        try:
            self._close_in_guard()
            guard(run, me, self._start_child)
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)

    def _close_in_guard(self) -> None:
        self.control.close()
        for pidfd, channel in self.guards.values():
            os.close(pidfd)
            channel.close()

    def _start_child(self, start: Message, pipes: Pipes) -> int:
        pid = _fork()
        if not pid:
            try:
                if self.source.get("isolation") == "spawn":
                    run_fresh(HERE, self.source, start, pipes)
                run_call(self.catalog, start, pipes)
            finally:
                os._exit(1)
        return pid

    def _bury(self, pid: int) -> None:
        pidfd, run = self.guards.pop(pid)
        os.close(pidfd)
        _, status = os.waitpid(pid, 0)
        if status:
            self._sweep()
        run.close()

    def _sweep(self) -> None:
        """End what a dead guard left: children that are no guards and no import's."""
        me = os.getpid()
        while orphans := processes.children(me) - self.native - self.guards.keys():
            below = set[int]().union(*map(processes.descendants, orphans))
            processes.signal_all(orphans | below, signal.SIGKILL)
            for pid in orphans:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.001)

    def _end_all(self) -> None:
        processes.signal_all(set(self.guards), signal.SIGTERM)
        until = time.monotonic() + FAREWELL
        while self.guards and time.monotonic() < until:
            waiting = {pidfd: pid for pid, (pidfd, _) in self.guards.items()}
            for pidfd in select.select(list(waiting), [], [], FAREWELL)[0]:
                self._bury(waiting[pidfd])
        self.native.clear()
        self.guards.clear()
        self._sweep()


def _fork() -> int:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    with warnings.catch_warnings():  # threads of imports: told in `loaded` instead
        warnings.simplefilter("ignore")
        return os.fork()


def _loaded(source: Message, catalog: dialects.Catalog) -> Message:
    return {
        "op": "loaded",
        "source": source.get("source"),
        "tools": [tool.declaration for tool in catalog.tools.values()],
        "problems": catalog.problems,
        "threads": _threads(),
        "python": platform.python_version(),
        "pid": os.getpid(),
    }


def _threads() -> list[str]:
    """Threads that imports left, which a fork does not copy."""
    main = threading.main_thread()
    names = [thread.name for thread in threading.enumerate() if thread is not main]
    with contextlib.suppress(OSError):
        native = len(list(Path("/proc/self/task").iterdir())) - 1 - len(names)
        names += ["(native)"] * native
    return names


class _ending_with:  # noqa: N801
    """Exit when the worker goes away while a source is still being imported."""

    def __init__(self, control: Channel) -> None:
        self.control = control

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, self._look)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, 1, 1)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _look(self, *_: object) -> None:
        poll = select.poll()
        poll.register(self.control, 0)
        if poll.poll(0):
            below = processes.descendants(os.getpid())
            processes.signal_all(below, signal.SIGKILL)
            os._exit(1)


def main() -> None:
    """Run as a host, or as the fresh process of one run."""
    sys.path[0] = str(HERE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    streams.install()
    if sys.argv[1] == "--child":
        run_fresh_child(*map(int, sys.argv[2:]))
    sock = socket.socket(fileno=int(sys.argv[1]))
    sock.set_inheritable(False)
    Host(Channel(sock)).serve()
