"""The conversation with a source's host: start it, list its tools, hand it runs."""

import logging
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings

from .errors import HostError
from .host.pegboard_host import processes
from .host.pegboard_host.frames import Channel
from .sources import SourceConfig

log = logging.getLogger(__name__)

HOST = Path(__file__).resolve().parent / "host"
START_SECONDS = 60.0


@dataclass(frozen=True)
class Listing:
    """What a host found."""

    tools: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)
    python: str = ""

    @cached_property
    def hashes(self) -> dict[str, str]:
        return {tool["name"]: tool.get("hash", "") for tool in self.tools}


class Host:
    """A source's host process; started once, never reloads its tools."""

    def __init__(self, config: SourceConfig) -> None:
        self.config = config
        self.listing = Listing()
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Channel | None = None
        self.sending = threading.Lock()
        self.calls = 0

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Count a run as this host's while it lasts."""
        with self.sending:
            self.calls += 1
        try:
            yield
        finally:
            with self.sending:
                self.calls -= 1

    def start(self) -> Listing:
        """Start the process and load the tools; raise HostError within 60 s."""
        ours, theirs = socket.socketpair()
        try:
            self.process = self._spawn(theirs)
        except OSError as fault:
            ours.close()
            raise HostError(f"{self.config.python}: {fault.strerror}") from fault
        finally:
            theirs.close()
        self.channel = Channel(ours)
        try:
            self.listing = self._load(ours)
        except BaseException:
            self.stop()
            raise
        return self.listing

    @property
    def log_path(self) -> Path:
        return Path(settings.DATA_DIR) / "hosts" / f"{self.config.name}.log"

    def _spawn(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        env = self.config.environment()
        with self.log_path.open("wb") as output:
            return subprocess.Popen(  # noqa: S603 - the command is the admin's
                [self.config.python, str(HOST), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.config.cwd or env["HOME"],
                env=env,
                start_new_session=True,
            )

    def _load(self, ours: socket.socket) -> Listing:
        assert self.channel is not None  # noqa: S101
        ours.settimeout(START_SECONDS)
        began = time.monotonic()
        try:
            self.channel.send(self._source())
            answer = self.channel.receive()
        except TimeoutError as fault:
            raise HostError(
                f"its host did not list its tools within {START_SECONDS:g} s"
            ) from fault
        except ConnectionError as fault:
            raise HostError(self._ended()) from fault
        except (OSError, ValueError) as fault:
            raise HostError(f"its host broke off: {fault}") from fault
        ours.settimeout(None)
        if answer is None:
            raise HostError(self._ended())
        log.info("host of %s up in %.1f s", self.config.name, time.monotonic() - began)
        return Listing(
            tools=answer.get("tools", []),
            problems=answer.get("problems", []),
            threads=answer.get("threads", []),
            python=answer.get("python", ""),
        )

    def _source(self) -> dict[str, Any]:
        config = self.config
        return {
            "op": "load",
            "source": config.name,
            "tools": list(config.tools),
            "path": [str(HOST), *config.path, *self._own_path()],
            "mcp": config.mcp,
            "isolation": config.isolation,
        }

    def _own_path(self) -> list[str]:
        """Pegboard's folder, for its examples, under Pegboard's own interpreter."""
        same = self.config.python == sys.executable
        return [str(settings.BASE_DIR)] if same else []

    def _ended(self) -> str:
        return f"its host ended at once: {self._last_words()}"

    def _last_words(self) -> str:
        try:
            lines = self.log_path.read_text(errors="replace").strip().splitlines()
        except OSError:
            lines = []
        return lines[-1][:300] if lines else "it said nothing"

    def call(self, run_id: int, run_channel: socket.socket) -> None:
        """Hand one end of a run's channel to the host, which forks its guard."""
        if self.channel is None:
            raise HostError
        try:
            with self.sending:
                self.channel.send(
                    {"op": "call", "run": run_id}, fds=[run_channel.fileno()]
                )
        except OSError as fault:
            raise HostError("its host has died") from fault

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self, seconds: float = 3.0) -> None:
        """Close the control channel, which ends all it runs; then make sure."""
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()

    def signal_guard(self, pid: int, number: int) -> bool:
        """Send a signal to a guard; False if it is none of this host's (any more)."""
        if self.process is None or pid not in processes.children(self.process.pid):
            return False
        return bool(processes.send({pid}, number))

    def kill(self) -> None:
        """Kill the process; its guards notice, stopped ones too, and end their runs."""
        if self.process is not None:
            guards = processes.children(self.process.pid)
            self.process.kill()
            processes.send(guards, signal.SIGCONT)
