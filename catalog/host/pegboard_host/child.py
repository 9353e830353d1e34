"""The tool's own process: settle in, call, hand over the value, gone."""

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
from .dialects.slot import Slot, memory_file
from .frames import Channel, Message

if TYPE_CHECKING:
    from .guard import Pipes


def run_call(catalog: dialects.Catalog, start: Message, pipes: Pipes) -> NoReturn:
    """Call one tool in this forked process, and end it."""
    _settle_in(start, pipes)
    _call(catalog, start, pipes.child_values, pipes.slot)


def run_fresh(home: Path, source: Message, start: Message, pipes: Pipes) -> NoReturn:
    """Replace this forked process by a new one that imports just its tool."""
    _settle_in(start, pipes)
    told = memory_file()
    os.write(told, json.dumps([source, start]).encode("ascii"))
    os.lseek(told, 0, os.SEEK_SET)
    fds = [pipes.child_values.fileno(), pipes.slot.fd, told]
    for fd in fds:
        os.set_inheritable(fd, True)
    command = [sys.executable, str(home), "--child", *map(str, fds)]
    os.execv(sys.executable, command)  # noqa: S606


def run_fresh_child(values: int, slot: int, told: int) -> NoReturn:
    """The new process of `run_fresh`."""
    for fd in (values, slot):
        os.set_inheritable(fd, False)
    with os.fdopen(told, "rb") as file:
        source, start = json.load(file)
    catalog = dialects.load(source, only=start["tool"])
    _call(catalog, start, socket.socket(fileno=values), Slot(slot))


def _settle_in(start: Message, pipes: Pipes) -> None:
    """Leave nothing of host and guard here but this tool's own ends."""
    os.setpgid(0, 0)
    processes.set_here(processes.SIGNAL_WHEN_PARENT_DIES, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(pipes.child_stdout, 1)
    os.dup2(pipes.child_stderr, 2)
    pipes.keep(guard=False)
    os.close(pipes.child_stdout)
    os.close(pipes.child_stderr)
    for folder in (start["folder"], start["spill"]):
        Path(folder).mkdir(parents=True, exist_ok=True)
    os.chdir(start.get("cwd") or start["folder"])
    os.environ.update(start.get("env") or {}, PEGBOARD_RUN_DIR=start["folder"])


def _call(
    catalog: dialects.Catalog, start: Message, values: socket.socket, slot: Slot
) -> NoReturn:
    """Call the tool, send what came of it, and leave."""
    me, channel = os.getpid(), Channel(values)
    atexit._clear()  # neither the host's exit hooks nor its random numbers are a run's
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    pegboard_tool.connect(slot, lambda: channel.send({"kind": "progress"}))
    channel.send({"kind": "started"})
    frame = dialects.run(
        catalog, start, lambda text: channel.send({"kind": "note", "text": text})
    )
    if os.getpid() == me:  # a tool may fork, and return twice
        _flush()
        channel.send(frame)
        with contextlib.suppress(BaseException):  # as at an interpreter's exit
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
        _flush()
    os._exit(0)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    processes.libc.fflush(None)
