"""The tool's own process, until its tool is called: forked, or fresh."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from . import dialects, processes
from .dialects.calling import call
from .dialects.slot import Slot, memory_file
from .frames import Channel, Message

if TYPE_CHECKING:
    from .guard import Pipes


def run_call(catalog: dialects.Catalog, start: Message, pipes: Pipes) -> NoReturn:
    """Call one tool in this forked process, and end it."""
    call(catalog, start, Channel(pipes.child_values), pipes.slot)


def run_fresh(home: Path, source: Message, start: Message, pipes: Pipes) -> NoReturn:
    """Replace this forked process by a new one that imports just its tool."""
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
    call(catalog, start, Channel(socket.socket(fileno=values)), Slot(slot))


def settled_in(pipes: Pipes) -> Message | None:
    """Leave nothing of host and guard here but this tool's own ends; get its start."""
    os.setsid()
    processes.set_here(processes.SIGNAL_WHEN_PARENT_DIES, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.dup2(pipes.child_stdout, 1)
    os.dup2(pipes.child_stderr, 2)
    pipes.keep(guard=False)
    start = Channel(pipes.child_values).receive()
    if start is not None:
        os.makedirs(start["folder"], exist_ok=True)  # noqa: PTH103 - pathlib costs
        os.chdir(start.get("cwd") or start["folder"])
        os.environ.update(start.get("env") or {}, PEGBOARD_RUN_DIR=start["folder"])
    return start
