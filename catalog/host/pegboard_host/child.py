"""The tool's own process: set up, call, hand over the value, gone."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pegboard_tool

from . import dialects, processes
from .frames import Channel, Message
from .slot import Slot

if TYPE_CHECKING:
    from .guard import Pipes


def run_call(catalog: dialects.Catalog, start: Message, pipes: Pipes) -> NoReturn:
    """Call one tool in this forked process, and end it."""
    settle_in(start, pipes)
    call(catalog, start, Channel(pipes.child_values), pipes.slot)


def run_fresh(home: Path, source: Message, start: Message, pipes: Pipes) -> NoReturn:
    """Replace this forked process by a new one that imports just its tool."""
    settle_in(start, pipes)
    told = os.memfd_create("pegboard-start", 0)
    os.write(told, json.dumps([source, start]).encode("ascii"))
    fds = [pipes.child_values.fileno(), pipes.slot.fd, told]
    for fd in fds:
        os.set_inheritable(fd, True)
    os.execv(sys.executable, [sys.executable, str(home), "--child", *map(str, fds)])


def run_fresh_child(values: int, slot: int, told: int) -> NoReturn:
    """The new process of `run_fresh`."""
    for fd in (values, slot, told):
        os.set_inheritable(fd, False)
    with os.fdopen(told, "rb") as file:
        file.seek(0)
        source, start = json.load(file)
    channel = Channel(socket.socket(fileno=values))
    catalog = dialects.load(source, only=start["tool"])
    call(catalog, start, channel, Slot(slot))


def settle_in(start: Message, pipes: Pipes) -> None:
    """Leave nothing of the guard here but this tool's own ends."""
    os.setpgid(0, 0)
    processes.signal_when_parent_dies(signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(pipes.child_stdout, 1)
    os.dup2(pipes.child_stderr, 2)
    pipes.keep(guard=False)
    for folder in (start["folder"], start["spill"]):
        Path(folder).mkdir(parents=True, exist_ok=True)
    os.chdir(start.get("cwd") or start["folder"])
    os.environ.update(start.get("env") or {}, PEGBOARD_RUN_DIR=start["folder"])
    os.environ.setdefault("PYTHONUNBUFFERED", "1")


def call(
    catalog: dialects.Catalog, start: Message, channel: Channel, slot: Slot
) -> NoReturn:
    """Call the tool, send what came of it, and leave."""
    me = os.getpid()
    _forget_the_host()
    wake = {"kind": "progress"}
    pegboard_tool.connect(slot, lambda: channel.send(wake))
    channel.send({"kind": "started"})
    frame = dialects.run(catalog, start, lambda text: _note(channel, text))
    if os.getpid() == me:  # a tool may fork and return twice
        _flush()
        channel.send(frame)
        _leave_threads()
    os._exit(0)


def _note(channel: Channel, text: str) -> None:
    channel.send({"kind": "note", "text": text})


def _forget_the_host() -> None:
    """What a fork copies but no run may share: exit hooks, random numbers."""
    atexit._clear()
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    processes.libc.fflush(None)


def _leave_threads() -> None:
    """Let the tool's own threads and exit hooks end, as at an interpreter's exit."""
    with contextlib.suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    _flush()
