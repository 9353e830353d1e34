"""A real host process, started and spoken to as a worker does."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from catalog.host.pegboard_host.frames import Channel

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / "catalog" / "host"


class Run:
    """The supervisor's end of one run."""

    def __init__(self, channel, folder):
        self.channel, self.folder = channel, folder
        self.frames = []

    def next(self):
        frame = self.channel.receive()
        if frame is not None:
            self.frames.append(frame)
        return frame

    def wait_for(self, kind):
        """The next frame of a kind; fails if the run ends before."""
        while (frame := self.next()) is not None:
            if frame["kind"] == kind:
                return frame
        raise AssertionError(f"no {kind} in {self.frames}")

    def to_end(self):
        """Hear everything, till the channel closes."""
        while self.next() is not None:
            pass
        self.channel.close()
        return self

    def cancel(self):
        self.channel.send({"op": "cancel", "reason": "asked"})

    def of_kind(self, kind):
        return [frame for frame in self.frames if frame["kind"] == kind]

    @property
    def end(self):
        assert self.frames, "nothing was heard"
        assert self.frames[-1]["kind"] == "end", self.frames[-3:]
        return self.frames[-1]

    @property
    def told(self):
        """The frame with the value."""
        (frame,) = self.of_kind("value")
        return frame

    @property
    def value(self):
        assert not self.told["verdict"]["failed"], self.told
        return self.told["value"]

    @property
    def verdict(self):
        return self.told["verdict"]

    @property
    def notes(self):
        return {note["pointer"]: note["kind"] for note in self.told["notes"]}

    @property
    def remarks(self):
        return [frame["text"] for frame in self.of_kind("note")]

    def output(self, stream=None):
        return "".join(
            frame["text"]
            for frame in self.of_kind("output")
            if stream in (None, frame["stream"])
        )

    def file(self, name):
        (path,) = [f["path"] for f in self.told["files"] if f["name"] == name]
        return Path(path).read_bytes()


class HostProcess:
    """A host of some references, in a folder of its own."""

    def __init__(
        self, folder, tools, *, python=sys.executable, path=(), env=(), **source
    ):
        self.folder, self.count = folder, 0
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [python, str(HOST), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "LANG": "C.UTF-8",
                **dict(env),
            },
            start_new_session=True,
        )
        theirs.close()
        self.control = Channel(ours)
        self.control.send(
            {
                "op": "load",
                "source": "test",
                "tools": list(tools),
                "path": [str(ROOT), *map(str, path)],
                "mcp": None,
                "isolation": "fork",
                **source,
            }
        )
        self.loaded = self.control.receive()

    @property
    def tools(self):
        return {tool["name"]: tool for tool in self.loaded["tools"]}

    @property
    def problems(self):
        return self.loaded["problems"]

    def call(self):
        """Have a guard forked that waits for its run's start; return our end."""
        self.count += 1
        ours, theirs = socket.socketpair()
        with theirs:
            self.control.send({"op": "call", "run": self.count}, [theirs.fileno()])
        return Channel(ours)

    def start(self, tool, arguments=None, **start):
        """Start a run; hear it through what is returned."""
        channel = self.call()
        folder = self.folder / f"run-{self.count}"
        channel.send(
            {
                "op": "start",
                "run": self.count,
                "tool": tool,
                "arguments": arguments or {},
                "limit": 10,
                "grace": 0.2,
                "folder": str(folder / "work"),
                "spill": str(folder / "out"),
                "cwd": None,
                "env": {},
                "max_output": None,
                "memory": None,
                "processes": None,
                "confirm": False,
                "uploads": {},
                "timezone": None,
                "extends": None,
                **start,
            }
        )
        return Run(channel, folder / "work")

    def run(self, tool, arguments=None, **start):
        """Start a run and hear it to its end."""
        return self.start(tool, arguments, **start).to_end()

    def stop(self):
        self.control.close()
        try:
            self.process.wait(5)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


def alive(pid):
    """Whether a process is there and no zombie."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except OSError:
        return False


def until(true, seconds=3.0):
    """Look again and again; fail if it has not become true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.005)
    raise AssertionError("it did not happen in time")


def pids(run, count):
    """The processes that a tool of `tests.tools.deeds` wrote down."""

    def written():
        with suppress(FileNotFoundError):
            found = [int(n) for n in (run.folder / "pids").read_text().split()]
            return found if len(found) >= count else None

    return until(written)
