"""The guard: leader of one run's session, owner of its clock and of the kill."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from . import processes
from .dialects.outcome import checked
from .dialects.slot import Slot, memory_file
from .frames import BadFrame, Channel, Message, encode

READ, BUFFER, FRAME = 32 * 1024, 256 * 1024, 8 * 1024 * 1024
STARTUP, TICK, WATCH, SWEEP, STUCK, NOTES = 60.0, 0.1, 0.25, 0.005, 5.0, 50
NEVER = float("inf")
YIELD = 0.002  # so that who waits for the end comes before the next fork


class Pipes:
    """What connects a guard and its tool."""

    def __init__(self, private: list[int]) -> None:
        self.private = private  # descriptors of the guard that no tool may have
        self.stdout, self.child_stdout = os.pipe()
        self.stderr, self.child_stderr = os.pipe()
        self.values, self.child_values = socket.socketpair()
        self.slot = Slot(memory_file())

    def keep(self, *, guard: bool) -> None:
        """Close the other side's ends."""
        ours = [] if guard else [self.stdout, self.stderr, *self.private]
        for fd in (self.child_stdout, self.child_stderr, *ours):
            os.close(fd)
        (self.child_values if guard else self.values).close()

    def close(self) -> None:
        """Close the guard's ends."""
        for fd in (self.stdout, self.stderr):
            os.close(fd)
        self.values.close()
        self.slot.close()


class Guard:
    """Watches one tool from its start until no descendant is left."""

    def __init__(self, supervisor: Channel, start: Message, pipes: Pipes) -> None:
        self.supervisor, self.start, self.slot = supervisor, start, pipes.slot
        self.values = Channel(pipes.values, FRAME)
        self.streams = {pipes.stdout: "stdout", pipes.stderr: "stderr"}
        utf8 = codecs.getincrementaldecoder("utf-8")
        self.decoders = {fd: utf8("replace") for fd in self.streams}
        for fd in (supervisor.fileno(), self.values.fileno(), *self.streams):
            os.set_blocking(fd, False)
        self.limit = start.get("limit") or NEVER
        self.room, self.offset, self.out = start.get("max_output"), 0, bytearray()
        self.born, self.began = time.monotonic(), NEVER
        self.deadline, self.kill_at = self.born + STARTUP, NEVER
        self.next_report = self.next_watch = NEVER
        if start.get("memory") or start.get("processes"):
            self.next_watch = self.born
        self.how: str | None = None
        self.limit_hit: str | None = None
        self.why: str | None = None  # what made the guard end it, if that was no limit
        self.status: int | None = None
        self.killed: set[int] = set()
        self.notes_left, self.truncated = NOTES, False
        self.value_seen = self.gone = False

    def run(self, child: int, alarm: int) -> None:
        """Guard the child to its end, and tell the supervisor each thing once."""
        self.child, self.alarm = child, alarm
        while not self.gone:
            self._wait()
            self._look(time.monotonic())
        self._drain()
        self._on_values()
        self._report()
        self._tell_end()
        while self.out:
            self._wait()

    @property
    def ended_by_itself(self) -> bool:
        odd = self.how or self.status or self.killed
        return self.value_seen and not odd

    def _wait(self) -> None:
        """Sleep until a descriptor is ready or the next moment comes; handle it.

        While the supervisor does not read, output is left in the pipes.
        """
        handlers: dict[int, Callable[[], None]] = {}
        if self.supervisor.fileno() >= 0:
            handlers[self.supervisor.fileno()] = self._on_supervisor
        if not self.gone:
            handlers[self.alarm] = self._on_alarm
            for fd in self.streams if len(self.out) < BUFFER else ():
                handlers[fd] = lambda fd=fd: self._on_output(fd)  # type: ignore[misc]
            if self.values.fileno() >= 0:
                handlers[self.values.fileno()] = self._on_values
        poll = select.poll()
        for fd in handlers:
            poll.register(fd, select.POLLIN)
        if self.out:
            poll.register(self.supervisor, select.POLLIN | select.POLLOUT)
        for fd, _ in poll.poll(1000 * self._patience()):
            handlers[fd]()

    def _patience(self) -> float:
        """Seconds until the next thing that no descriptor will tell."""
        if self.how is not None or self.status is not None:
            return 1.0 if self.gone else SWEEP
        until = min(self.deadline, self.next_report, self.next_watch)
        return max(0.0, min(until - time.monotonic(), 60.0))

    def _look(self, now: float) -> None:
        """Do what the clock and the processes ask for."""
        self._reap()
        if self.how is None and self.status is None:
            if now >= self.next_report:
                self.next_report = now + TICK
                if len(self.out) < BUFFER:
                    self._report()
            if now >= self.next_watch:
                self.next_watch = now + WATCH
                self._check_size()
            if now >= self.deadline:
                self._on_deadline()
        ended = self.status is not None and self.how is None
        if not self.gone and (ended or now >= self.kill_at):
            self._kill(now)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.child:
                    self.status = os.waitstatus_to_exitcode(ended[1])
            return
        self.gone = True

    def _on_deadline(self) -> None:
        if self.value_seen:
            self._note("Its result came in time; what it left running was ended.")
            self._stop("exited")
        elif self.began is NEVER:
            self.why = f"the tool did not start within {STARTUP:g} seconds"
            self._stop("crashed", at_once=True)
        else:
            self._stop("timed_out")

    def _check_size(self) -> None:
        memory, most = self.start.get("memory"), self.start.get("processes")
        pids = processes.descendants({os.getpid()})
        if most and len(pids) > most:
            self.limit_hit = "processes"
        elif memory and processes.memory(pids) > memory:
            self.limit_hit = "memory"
        if self.limit_hit:
            self._stop("crashed", at_once=True)

    def _stop(self, how: str, *, at_once: bool = False) -> None:
        """Begin the end, SIGTERM first; what it is called stays as first said."""
        now = time.monotonic()
        if at_once:
            self.kill_at = now
        elif self.how is None:
            self.kill_at = now + float(self.start.get("grace", 0.5))
            processes.send(self._below(), signal.SIGTERM)
        self.how = self.how or how

    def _kill(self, now: float) -> None:
        self.kill_at = min(self.kill_at, now)
        pids = self._below()
        self.killed |= processes.send(pids, signal.SIGKILL)
        if now >= self.kill_at + STUCK:
            self._note(f"Could not be ended: processes {sorted(pids)}.")
            self.gone = True

    def _below(self) -> set[int]:
        group = {-self.child} if not processes.LINUX else set()
        return processes.descendants({os.getpid()}) | group

    def _on_alarm(self) -> None:
        if signal.SIGTERM in os.read(self.alarm, 512):
            self.why = self.why or "its host has ended"
            self._stop("crashed", at_once=True)

    def _on_supervisor(self) -> None:
        self._flush()
        try:
            for frame in self.supervisor.arrived():
                if frame.get("op") == "cancel" and self.status is None:
                    self._stop("cancelled")
        except BlockingIOError:
            return
        except (EOFError, OSError, BadFrame):
            self._lose_supervisor()

    def _lose_supervisor(self) -> None:
        self.supervisor.close()
        self.out.clear()
        self._stop("crashed", at_once=True)

    def _on_values(self) -> None:
        try:
            for frame in self.values.arrived():
                self._on_frame(frame)
        except BlockingIOError:
            return
        except BadFrame as error:
            self.why = f"the tool wrote into Pegboard's own channel: {error}"
            self._stop("crashed", at_once=True)
            self.values.close()
        except (EOFError, OSError):
            self.values.close()

    def _on_frame(self, frame: Message) -> None:
        match frame.get("kind"):
            case "started" if self.began is NEVER:
                self.began = time.monotonic()
                self.deadline = self.began + self.limit
                self._tell("started", pid=self.child, guard=os.getpid())
            case "progress":
                if self.next_report is NEVER:
                    self.next_report = 0.0
            case "note":
                self._note(str(frame.get("text"))[:2000])
            case "value" if not self.value_seen:
                value = checked(frame, self.start["spill"])
                self._drain()
                self._report()
                self.value_seen = True
                self._tell("value", **value)
            case kind:
                raise BadFrame(f"{kind!r} is not expected")

    def _on_output(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(fd, READ)
            text = self.decoders[fd].decode(self._cut(data), final=not data)
            stream = self.streams[fd]
            if not data:
                del self.streams[fd]
            if text:
                self._tell("output", stream=stream, text=text, offset=self.offset)
                self.offset += len(text)

    def _cut(self, data: bytes) -> bytes:
        if self.room is None:
            return data
        kept = data[: self.room]
        self.room -= len(kept)
        if len(kept) < len(data) and not self.truncated:
            self.truncated = True
            self._note(f"Output beyond {self.start['max_output']} bytes is dropped.")
        return kept

    def _drain(self) -> None:
        """Take what lies in the pipes now; they hold little, unless made larger."""
        for _ in range(64):
            poll = select.poll()
            for fd in self.streams:
                poll.register(fd, select.POLLIN)
            ready = poll.poll(0)
            for fd, _events in ready:
                self._on_output(fd)
            if not ready:
                return

    def _report(self) -> None:
        for kind, data in self.slot.news():
            self._tell(kind, **data)
            if (extends := self.start.get("extends")) and kind == "progress":
                latest = self.began + float(extends["cap"])
                self.deadline = min(time.monotonic() + self.limit, latest)

    def _note(self, text: str) -> None:
        if self.notes_left:
            self.notes_left -= 1
            self._tell("note", text=text)

    def _tell_end(self) -> None:
        status = self.status
        since = self.born if self.began is NEVER else self.began
        self._tell(
            "end",
            how=self.how or ("exited" if self.value_seen else "crashed"),
            exit_code=status if status is not None and status >= 0 else None,
            signal=-status if status is not None and status < 0 else None,
            limit_hit=self.limit_hit,
            why=self.why,
            seconds=round(time.monotonic() - since, 4),
            killed=len(self.killed),
            truncated_output=self.truncated,
        )

    def _tell(self, kind: str, **data: Any) -> None:
        if self.supervisor.fileno() >= 0:
            self.out += encode({"kind": kind, **data})
            self._flush()

    def _flush(self) -> None:
        try:
            del self.out[: self.supervisor.sock.send(self.out) if self.out else 0]
        except BlockingIOError:
            return
        except OSError:
            self._lose_supervisor()


def guard(host: Channel, pid: int, start_child: Callable[[Pipes], int]) -> None:
    """Lead a session of its own, and see one run after another to its end.

    `host` is where runs come from, `pid` that process. A tool's process is forked
    before its run is there: that takes as long as all else of a small run. A run
    that did not end all by itself is this guard's last.
    """
    os.setsid()
    processes.set_here(processes.ADOPT_ORPHANS, 1)
    alarm, ring = processes.wake_on(signal.SIGTERM, signal.SIGCHLD)
    processes.set_here(processes.SIGNAL_WHEN_PARENT_DIES, signal.SIGTERM)
    while True:
        pipes = Pipes([host.fileno(), alarm, ring])
        child = start_child(pipes)
        pipes.keep(guard=True)
        if os.getppid() != pid or not _guard_next(host, child, pipes, alarm):
            return
        pipes.close()
        host.send({"op": "free"})
        time.sleep(YIELD)


def _guard_next(host: Channel, child: int, pipes: Pipes, alarm: int) -> bool:
    """Guard the next run; whether it came and ended all by itself."""
    call, fds = _next(host, child, alarm)
    supervisor = Channel(socket.socket(fileno=fds[0])) if call else host
    start, _ = _next(supervisor, child, alarm) if call else (None, [])
    if start is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False
    Channel(pipes.values).send(start)
    guarding = Guard(supervisor, start, pipes)
    guarding.run(child, alarm)
    supervisor.close()
    return guarding.ended_by_itself and not start.get("secret")


def _next(channel: Channel, child: int, alarm: int) -> tuple[Message | None, list[int]]:
    """Wait for a frame; None when none comes, or guard or child are to end."""
    poll = select.poll()
    for fd in (channel.fileno(), alarm):
        poll.register(fd, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if alarm in ready:
            rung = os.read(alarm, 512)
            if signal.SIGTERM in rung or processes.has_ended(child):
                return None, []
        if channel.fileno() in ready:
            return channel.receive_with_fds()
