"""One call in a process of its own: hear its progress, send its outcome, leave."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import pegboard_tool

from pegboard_host.frames import Channel, Message
from pegboard_host.processes import libc

from .report import outcome_of
from .slot import Slot

if TYPE_CHECKING:
    from . import Catalog


def call(catalog: Catalog, start: Message, values: Channel, slot: Slot) -> NoReturn:
    """Call the tool that a run names, send what came of it, and leave."""
    me = os.getpid()
    _forget_the_host()
    pegboard_tool.connect(slot, lambda: values.send({"kind": "progress"}))
    values.send({"kind": "started"})

    def note(text: Any) -> None:
        values.send({"kind": "note", "text": str(text)})

    frame = outcome_of(catalog.tools.get(start["tool"]), start, note)
    if os.getpid() == me:  # a tool may fork, and return twice
        _flush()
        values.send(frame)
        _let_threads_end()
    os._exit(0)


def _forget_the_host() -> None:
    """Drop what a fork copies but no run may share; `random` does so by itself."""
    atexit._clear()
    gc.enable()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _let_threads_end() -> None:
    """Wait for the tool's own threads and exit hooks, as at an interpreter's exit."""
    with contextlib.suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    _flush()


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    libc.fflush(None)
