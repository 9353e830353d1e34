"""The processes of one board: started together, ended together, none left over."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from types import FrameType
from typing import IO

from catalog.host.pegboard_host.processes import (
    ADOPT_ORPHANS,
    SIGNAL_WHEN_PARENT_DIES,
    descendants,
    send,
    set_here,
)

KILL_SECONDS = 5.0
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class PartDied(Exception):
    """A part of the board that must live has ended."""


class Asked(Exception):
    """Somebody asked us to end."""


class Wish:
    """Whether somebody asked us to end: noted when it comes, acted on when fit.

    An exception out of a signal handler would be lost in some places.
    """

    def __init__(self) -> None:
        self.came = False
        for ending in ENDINGS:
            signal.signal(ending, self.note)

    def note(self, _signum: int, _frame: FrameType | None) -> None:
        self.came = True


def offspring(pid: int) -> set[int]:
    """Return every process below this one, at whatever depth."""
    return descendants({pid})


def die_with(parent: int) -> Callable[[], None]:
    """Return what a child runs before its program: no parent, no child."""

    def before_exec() -> None:
        set_here(SIGNAL_WHEN_PARENT_DIES, signal.SIGKILL)
        if os.getppid() != parent:  # it went before we asked
            os._exit(1)

    return before_exec


class Children:
    """What this process started, by name, and whatever these started."""

    def __init__(self, wish: Wish) -> None:
        set_here(ADOPT_ORPHANS, 1)
        self.wish = wish
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.known: dict[int, subprocess.Popen[bytes]] = {}

    def start(
        self,
        name: str,
        command: list[str],
        *,
        env: dict[str, str],
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        output: IO[bytes] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> None:
        """Start a part; it dies with us, but hears no Ctrl-C of the terminal."""
        part = subprocess.Popen(  # noqa: S603 - our own commands
            command,
            env=env,
            stdin=stdin,
            stdout=output,
            stderr=output,
            pass_fds=pass_fds,
            start_new_session=True,
            preexec_fn=die_with(os.getpid()),  # before there are threads
        )
        self.parts[name] = self.known[part.pid] = part

    def reap(self) -> None:
        """Collect the ended, ours and adopted ones."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.known:
                self.known.pop(pid).returncode = os.waitstatus_to_exitcode(status)

    def check(self) -> None:
        """Raise Asked when we are to end, PartDied if one of the parts has ended."""
        if self.wish.came:
            raise Asked
        self.reap()
        for name, part in self.parts.items():
            if part.returncode is not None:
                raise PartDied(f"{name} ended ({how(part.returncode)})")

    def finish(self, name: str) -> int:
        """Wait for a part that ends by itself and return its exit code."""
        part = self.parts.pop(name)
        while part.returncode is None:
            self.check()
            time.sleep(0.02)
        return part.returncode

    def stop(self, *names: str, seconds: float) -> None:
        """Ask parts to end, together, and give them so long."""
        parts = [self.parts[name] for name in names if name in self.parts]
        for part in parts:
            if part.returncode is None:
                os.kill(part.pid, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while any(part.returncode is None for part in parts):
            if time.monotonic() > deadline:
                return
            self.reap()
            time.sleep(0.02)

    def kill_all(self) -> None:
        """Kill every descendant until none is left."""
        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline:
            self.reap()
            left = offspring(os.getpid()) or self.unended()
            if not left:
                return
            send(left, signal.SIGKILL)
            time.sleep(0.01)

    def unended(self) -> set[int]:
        """Our own parts that still run: all we know of where there is no /proc."""
        return set(self.known)


def how(code: int) -> str:
    """Say an exit code in words."""
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
