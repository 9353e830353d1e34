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
from .frames import BadFrame, Channel, Decoder, Message, encode
from .outcome import checked
from .slot import Slot

Start = Callable[[Message, "Pipes"], int]
READ, BUFFER, FRAME = 32 * 1024, 256 * 1024, 4 * 1024 * 1024
STARTUP, TICK, WATCH, SWEEP, STUCK = 60.0, 0.1, 0.25, 0.005, 5.0
INPUT = select.POLLIN | select.POLLHUP | select.POLLERR


class Pipes:
    """What connects a guard and its tool."""

    def __init__(self, private: list[int]) -> None:
        self.private = private  # descriptors of the guard that no tool may have
        self.stdout, self.child_stdout = os.pipe()
        self.stderr, self.child_stderr = os.pipe()
        self.values, self.child_values = socket.socketpair()
        self.slot = Slot.create()

    def keep(self, *, guard: bool) -> None:
        """Close the other side's ends."""
        ours, theirs = (
            [self.stdout, self.stderr],
            [self.child_stdout, self.child_stderr],
        )
        for fd in theirs if guard else ours + self.private:
            os.close(fd)
        (self.child_values if guard else self.values).close()


class Guard:
    """Watches one tool from its start until no descendant is left."""

    def __init__(self, supervisor: Channel, start: Message, pipes: Pipes) -> None:
        self.supervisor, self.start, self.pipes = supervisor, start, pipes
        self.limit = start.get("limit") or float("inf")
        self.born = time.monotonic()
        self.began: float | None = None
        self.deadline = self.born + STARTUP
        self.kill_at, self.give_up_at = float("inf"), float("inf")
        self.how: str | None = None
        self.limit_hit: str | None = None
        self.value_seen = self.gone = self.truncated = self.reporting = False
        self.exit_code: int | None = None
        self.signal: int | None = None
        self.killed: set[int] = set()
        self.out = bytearray()
        self.room = start.get("max_output")
        self.offset, self.notes_left = 0, 50
        self.next_tick, self.next_watch = 0.0, 0.0
        self.commands, self.frames = Decoder(), Decoder(FRAME)
        self.streams = {pipes.stdout: "stdout", pipes.stderr: "stderr"}
        decoder = codecs.getincrementaldecoder("utf-8")
        self.decoders = {fd: decoder("replace") for fd in self.streams}

    def run(self, child: int, alarm: int) -> None:
        """Guard the child to its end, and tell the supervisor each thing once."""
        self.child, self.alarm, self.pidfd = child, alarm, processes.watch(child)
        for fd in (self.supervisor.fileno(), self.pipes.values.fileno(), *self.streams):
            os.set_blocking(fd, False)
        while not self.gone:
            self._wait()
            self._look()
        self._drain()
        self._on_frames(0)
        self._report_progress()
        self._tell_end()
        while self.out and self.supervisor.fileno() >= 0:
            self._wait()

    # Waiting

    def _handlers(self) -> dict[int, tuple[int, Callable[[int], None]]]:
        handlers: dict[int, tuple[int, Callable[[int], None]]] = {}
        if self.supervisor.fileno() >= 0:
            wanted = INPUT | (select.POLLOUT if self.out else 0)
            handlers[self.supervisor.fileno()] = wanted, self._on_supervisor
        if self.gone:
            return handlers
        if len(self.out) < BUFFER:
            handlers |= {fd: (INPUT, self._on_output) for fd in self.streams}
        if self.pipes.values.fileno() >= 0:
            handlers[self.pipes.values.fileno()] = INPUT, self._on_frames
        if self.pidfd is not None and not self._ended():
            handlers[self.pidfd] = INPUT, lambda _: None
        handlers[self.alarm] = INPUT, self._on_alarm
        return handlers

    def _wait(self) -> None:
        handlers = self._handlers()
        poll = select.poll()
        for fd, (events, _) in handlers.items():
            poll.register(fd, events)
        for fd, events in poll.poll(self._patience() * 1000):
            handlers[fd][1](events if fd == self.supervisor.fileno() else fd)

    def _patience(self) -> float:
        """Seconds until the next thing that no descriptor will tell."""
        if self.gone:
            return 1.0
        if self.how is not None or self._ended() or self.pidfd is None:
            return SWEEP
        until = self.deadline
        if self.reporting:
            until = min(until, self.next_tick)
        if self.start.get("memory") or self.start.get("processes"):
            until = min(until, self.next_watch)
        return max(0.0, min(until - time.monotonic(), 60.0))

    def _ended(self) -> bool:
        return self.exit_code is not None or self.signal is not None

    # Looking after the processes

    def _look(self) -> None:
        now = time.monotonic()
        self._reap()
        if self.gone:
            return
        if self.how is None and not self._ended():
            self._check_clock(now)
            self._check_size(now)
        if now >= self.kill_at or (self._ended() and self.how is None):
            self._kill(now)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self.child:
                    code = os.waitstatus_to_exitcode(status)
                    self.exit_code, self.signal = (
                        (code, None) if code >= 0 else (None, -code)
                    )
        self.gone = True

    def _check_clock(self, now: float) -> None:
        if self.reporting and now >= self.next_tick:
            self.next_tick = now + TICK
            self._report_progress()
        if now < self.deadline:
            return
        if self.value_seen:
            self._note("Its result came in time; what it left running was ended.")
            self._stop("exited")
        elif self.began is None:
            self._note(f"The tool did not start within {STARTUP:g} seconds.")
            self._stop("crashed", at_once=True)
        else:
            self._stop("timed_out")

    def _check_size(self, now: float) -> None:
        memory, most = self.start.get("memory"), self.start.get("processes")
        if not (memory or most) or now < self.next_watch:
            return
        self.next_watch = now + WATCH
        pids = processes.descendants(os.getpid())
        if most and len(pids) > most:
            self.limit_hit = "processes"
        if memory and processes.memory(pids, memory) > memory:
            self.limit_hit = "memory"
        if self.limit_hit:
            self._stop("crashed", at_once=True)

    def _stop(self, how: str, *, at_once: bool = False) -> None:
        """Begin the end, once: SIGTERM, and SIGKILL after the grace."""
        if self.how is not None:
            if at_once:
                self.kill_at = time.monotonic()
            return
        self.how = how
        grace = 0.0 if at_once else float(self.start.get("grace", 0.5))
        self.kill_at = time.monotonic() + grace
        if not at_once:
            processes.signal_all(processes.descendants(os.getpid()), signal.SIGTERM)

    def _kill(self, now: float) -> None:
        self.give_up_at = min(self.give_up_at, now + STUCK)
        pids = processes.descendants(os.getpid())
        self.killed |= processes.signal_all(pids, signal.SIGKILL)
        if not processes.LINUX:
            processes.kill_group(self.child)
        if now >= self.give_up_at:
            self._note(f"Could not be ended: processes {sorted(pids)}.")
            self.gone = True

    # What comes in

    def _on_alarm(self, fd: int) -> None:
        os.read(fd, 64)
        self._note("The host of this run has ended.")
        self._stop("crashed", at_once=True)

    def _on_supervisor(self, events: int) -> None:
        if events & select.POLLOUT:
            self._flush()
        if not events & INPUT or self.supervisor.fileno() < 0:
            return
        try:
            data = self.supervisor.sock.recv(READ)
            for frame in self.commands.feed(data):
                if frame.get("op") == "cancel" and not self._ended():
                    self._stop("cancelled")
        except BlockingIOError:
            return
        except (OSError, BadFrame):
            data = b""
        if not data:
            self._lose_supervisor()

    def _lose_supervisor(self) -> None:
        self.supervisor.close()
        self.out.clear()
        self._stop("crashed", at_once=True)

    def _on_frames(self, _: int) -> None:
        try:
            while data := self.pipes.values.recv(1 << 20):
                for frame in self.frames.feed(data):
                    self._on_frame(frame)
        except BlockingIOError:
            return
        except OSError:
            pass
        except BadFrame as error:
            self._note(f"The tool wrote into Pegboard's own channel: {error}.")
            self._stop("crashed", at_once=True)
        self.pipes.values.close()

    def _on_frame(self, frame: Message) -> None:
        match frame.get("kind"):
            case "started":
                self._begin()
            case "progress":
                self.reporting = True
                self._report_progress()
            case "note" if isinstance(frame.get("text"), str):
                self._note(frame["text"][:2000])
            case "value":
                self._take_value(frame)
            case kind:
                raise BadFrame(f"no such frame: {kind!r}")

    def _begin(self) -> None:
        if self.began is None:
            self.began = time.monotonic()
            self.deadline = self.began + self.limit
            self._tell("started", pid=self.child, guard=os.getpid())

    def _take_value(self, frame: Message) -> None:
        value = checked(frame, self.start["spill"])
        if not self.value_seen:
            self._drain()
            self._report_progress()
            self.value_seen = True
            self._tell("value", **value)

    def _on_output(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(fd, READ)
            self._output(self.streams[fd], self.decoders[fd].decode(self._cut(data)))
            if not data:
                self._output(self.streams.pop(fd), self.decoders[fd].decode(b"", True))

    def _cut(self, data: bytes) -> bytes:
        """Keep what the cap leaves room for."""
        if self.room is None:
            return data
        kept = data[: self.room]
        self.room -= len(kept)
        if len(kept) < len(data) and not self.truncated:
            self.truncated = True
            self._note(f"Output beyond {self.start['max_output']} bytes is dropped.")
        return kept

    def _output(self, stream: str, text: str) -> None:
        if text:
            self._tell("output", stream=stream, text=text, offset=self.offset)
            self.offset += len(text)

    def _drain(self) -> None:
        """Take what lies in the pipes now, were it much."""
        for fd in tuple(self.streams):
            for _ in range(64):
                if fd not in self.streams or not select.select([fd], [], [], 0)[0]:
                    break
                self._on_output(fd)

    def _report_progress(self) -> None:
        for kind, data in self.pipes.slot.news():
            self._tell(kind, **data)
            extends = self.start.get("extends")
            if extends and self.began is not None and kind == "progress":
                latest = self.began + float(extends["cap"])
                self.deadline = min(time.monotonic() + self.limit, latest)

    # What goes out

    def _note(self, text: str) -> None:
        if self.notes_left:
            self.notes_left -= 1
            self._tell("note", text=text)

    def _tell_end(self) -> None:
        how = self.how or ("exited" if self.value_seen else "crashed")
        seconds = time.monotonic() - (self.began or self.born)
        self._tell(
            "end", how=how, exit_code=self.exit_code, signal=self.signal,
            limit_hit=self.limit_hit, seconds=round(seconds, 4),
            killed=len(self.killed), truncated_output=self.truncated,
        )  # fmt: skip

    def _tell(self, kind: str, **data: Any) -> None:
        if self.supervisor.fileno() >= 0:
            self.out += encode({"kind": kind, **data})
            self._flush()

    def _flush(self) -> None:
        try:
            del self.out[: self.supervisor.sock.send(self.out)]
        except BlockingIOError:
            return
        except OSError:
            self._lose_supervisor()


def guard(supervisor: Channel, host: int, start_child: Start) -> None:
    """Lead a session of its own, start the tool in it and see it to its end."""
    os.setsid()
    processes.adopt_orphans()
    alarm, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(ring)
    processes.signal_when_parent_dies(signal.SIGTERM)
    start = supervisor.receive() if os.getppid() == host else None
    if start is None:
        return
    pipes = Pipes([supervisor.fileno(), alarm, ring])
    child = start_child(start, pipes)
    pipes.keep(guard=True)
    Guard(supervisor, start, pipes).run(child, alarm)
