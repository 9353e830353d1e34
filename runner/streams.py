"""Live reading of a run: what is stored now, then what follows, to the end.

All followers of one run in one process share one reader, which looks into the
database once per ring (and by itself every 2 s, because rings may be lost) and
keeps a bounded tail. Whoever is further behind reads the database alone.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextvars import Context
from functools import cached_property
from typing import Any

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, connection

from catalog.fields import dumps

from . import bell, events
from .models import ENDED

log = logging.getLogger(__name__)

TAIL_BYTES = 2_000_000


class Frame(dict[str, Any]):
    """A frame that is written as JSON once, however many sockets send it."""

    @cached_property
    def text(self) -> str:
        return dumps(self)


@sync_to_async
def read_since(run_id: int, after: int) -> list[Frame]:
    """Read on this thread's kept connection; a broken one is given up."""
    try:
        return [Frame(frame) for frame in events.since(run_id, after)]
    except DatabaseError:
        connection.close()
        raise


def ends(frame: Frame) -> bool:
    """Whether this frame is the last status of its run."""
    return frame["kind"] == "status" and frame["data"]["state"] in ENDED


class Reader:
    """Reads one run's events for all its followers in this process."""

    def __init__(self, run_id: int, after: int) -> None:
        self.run_id = run_id
        self.seq = after
        self.tail: deque[Frame] = deque()
        self.size = 0
        self.start = after  # numbers after this one are in the tail
        self.ended = False
        self.followers = 0
        self.changed = asyncio.Event()
        self.rung = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def read_on(self) -> None:
        """Read and wait in turns until the run has ended."""
        listening = asyncio.create_task(self._listen())
        try:
            while not self.ended:
                self.rung.clear()
                frames = await self._read()
                for frame in frames:
                    self._keep(frame)
                if frames:
                    self._tell()
                if len(frames) < events.MAX_READ and not self.ended:
                    await self._wait()
        finally:
            listening.cancel()
            self.ended = True
            self._tell()

    async def _read(self) -> list[Frame]:
        """Read what is new; nothing while the database is away."""
        try:
            return await read_since(self.run_id, self.seq)
        except DatabaseError as fault:
            log.warning("the database did not answer: %s", fault)
            await asyncio.sleep(settings.STREAM_BEAT)
            return []

    def _keep(self, frame: Frame) -> None:
        self.tail.append(frame)
        self.size += len(frame.text)
        self.seq = frame["seq"]
        self.ended = self.ended or ends(frame)
        while self.size > TAIL_BYTES and len(self.tail) > 1:
            dropped = self.tail.popleft()
            self.size -= len(dropped.text)
            self.start = dropped["seq"]

    def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def _wait(self) -> None:
        try:
            await asyncio.wait_for(self.rung.wait(), settings.STREAM_BEAT)
        except TimeoutError:
            return

    async def _listen(self) -> None:
        """Hear the doorbell; without a channel layer the beat alone remains."""
        layer = get_channel_layer()
        assert layer is not None  # noqa: S101
        while True:
            try:
                await self._hear(layer)
            except asyncio.CancelledError:
                raise
            except Exception:
                await asyncio.sleep(settings.STREAM_BEAT)

    async def _hear(self, layer: Any) -> None:
        group, channel = bell.run_group(self.run_id), await layer.new_channel()
        await layer.group_add(group, channel)
        try:
            self.rung.set()  # what came before we listened
            while True:
                await layer.receive(channel)
                self.rung.set()
        finally:
            await layer.group_discard(group, channel)

    def after(self, seq: int) -> list[Frame] | None:
        """Return the kept frames after `seq`; None when the tail starts later."""
        if seq < self.start:
            return None
        if seq >= self.seq:
            return []
        return [frame for frame in self.tail if frame["seq"] > seq]


_readers: dict[tuple[int, int], Reader] = {}


def _join(run_id: int, after: int) -> Reader:
    key = (id(asyncio.get_running_loop()), run_id)
    reader = _readers.get(key)
    if reader is None or reader.ended:
        reader = _readers[key] = Reader(run_id, after)
        # Not in the context of whoever came first: that request's own thread
        # goes when it is answered, the reader stays for the others.
        reader.task = asyncio.create_task(reader.read_on(), context=Context())
    reader.followers += 1
    return reader


def _leave(reader: Reader) -> None:
    reader.followers -= 1
    if reader.followers:
        return
    if reader.task is not None:
        reader.task.cancel()
    key = (id(asyncio.get_running_loop()), reader.run_id)
    if _readers.get(key) is reader:
        del _readers[key]


async def follow(run_id: int, after: int) -> AsyncIterator[list[Frame]]:
    """Yield lists of frames after number `after`, in order, until the run has ended."""
    reader = _join(run_id, after)
    try:
        while True:
            changed, ended = reader.changed, reader.ended
            frames = reader.after(after)
            if frames is None or (ended and not frames):
                frames = await read_since(run_id, after)
            if frames:
                yield frames
                after = frames[-1]["seq"]
                if any(ends(frame) for frame in frames):
                    return
            elif ended:
                return
            else:
                await changed.wait()
    finally:
        _leave(reader)
