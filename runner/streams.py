"""Live reading of a run: what is stored now, then what follows, to the end.

All followers of one run in one process share one reader, which looks into the
database once per ring (and by itself every 2 s, because rings may be lost) and
keeps a bounded tail. Whoever is further behind reads the database alone.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import Context
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, connection

from catalog.fields import dumps

from . import bell, events
from .models import ENDED, Run

log = logging.getLogger(__name__)

TAIL_BYTES = 2_000_000


class Frame(dict[str, Any]):
    """A frame that is written as JSON once, however many sockets send it."""

    @cached_property
    def text(self) -> str:
        return dumps(self)


@contextmanager
def kept_connection() -> Iterator[None]:
    """Read on this thread's kept connection; a broken one is given up."""
    try:
        yield
    except DatabaseError:
        connection.close()
        raise


@sync_to_async
def read_since(run_id: int, after: int) -> list[Frame]:
    with kept_connection():
        return [Frame(frame) for frame in events.since(run_id, after)]


@sync_to_async
def read_end(run_id: int) -> tuple[int, bool]:
    """Return a run's last number, and whether none will follow."""
    runs = Run.objects.filter(pk=run_id).values_list("last_seq", "state")
    with kept_connection():
        last, state = runs.first() or (0, None)
    return last, state is None or state in ENDED


def ends(frame: Frame) -> bool:
    """Whether this frame is the last status of its run."""
    return frame["kind"] == "status" and frame["data"]["state"] in ENDED


async def until(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, or for so long."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return


class Reader:
    """Reads one run's events for all its followers in this process."""

    def __init__(self, run_id: int, after: int) -> None:
        self.run_id = run_id
        self.seq = after
        self.tail: deque[Frame] = deque()
        self.size = 0
        self.start = after  # numbers after this one are in the tail
        self.placed = False
        self.final: int | None = None  # the last number, once it is known
        self.ended = False
        self.followers = 0
        self.changed = asyncio.Event()
        self.rung = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def read_on(self) -> None:
        """Read and wait in turns until the run has ended."""
        try:
            while not self.ended:
                self.rung.clear()
                frames = await self._read()
                for frame in frames:
                    self._keep(frame)
                if frames:
                    self._tell()
                if len(frames) < events.MAX_READ and not self.ended:
                    await until(self.rung, settings.STREAM_BEAT)
        finally:
            self.ended = True
            self._tell()

    async def _read(self) -> list[Frame]:
        """Read what is new; nothing while the database is away."""
        try:
            if not self.placed:
                await self._place()
            return await read_since(self.run_id, self.seq)
        except DatabaseError as fault:
            log.warning("the database did not answer: %s", fault)
            await asyncio.sleep(settings.STREAM_BEAT)
            return []

    async def _place(self) -> None:
        """Begin where events are, not where who came first asked to begin.

        A run that has ended may have no status left to tell it: all was sent, or
        was pruned.
        """
        last, ended = await read_end(self.run_id)
        self.seq = self.start = min(self.seq, last)
        self.final = last if ended else None
        self.ended = self.seq == self.final
        self.placed = True
        self._tell()

    def _keep(self, frame: Frame) -> None:
        self.tail.append(frame)
        self.size += len(frame.text)
        self.seq = frame["seq"]
        self.ended = self.ended or ends(frame) or self.seq == self.final
        while self.size > TAIL_BYTES and len(self.tail) > 1:
            dropped = self.tail.popleft()
            self.size -= len(dropped.text)
            self.start = dropped["seq"]

    def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    def after(self, seq: int) -> list[Frame] | None:
        """Return the kept frames after `seq`; None when the tail starts later."""
        if seq < self.start:
            return None
        if seq >= self.seq:
            return []
        return [frame for frame in self.tail if frame["seq"] > seq]


Topic = tuple[str, int]
CATALOG: Topic = ("catalog", 0)
EVERYBODY: Topic = ("strips", -1)


def strips_of(user_id: int) -> Topic:
    return "strips", user_id


def end_of(run_id: int) -> Topic:
    return "end", run_id


class Ear:
    """What an event loop follows, and the one subscription that wakes it.

    A subscription for each reader would cost more than a short run's stream.
    """

    def __init__(self) -> None:
        self.readers: dict[int, Reader] = {}
        self.waiting: dict[Topic, set[asyncio.Event]] = {}
        # Not in the context of whoever came first: that request's own thread goes
        # when it is answered, ear and readers stay for the others.
        self.task = asyncio.create_task(self._listen(), context=Context())

    async def _listen(self) -> None:
        """Hear rings for as long as the loop lives; without a layer, try again."""
        while True:
            try:
                await self._hear()
            except Exception as fault:
                log.debug("the doorbell cannot be heard: %s", fault)
                await asyncio.sleep(settings.STREAM_BEAT)

    async def _hear(self) -> None:
        layer = get_channel_layer()
        assert layer is not None  # noqa: S101
        channel = await layer.new_channel()
        await layer.group_add(bell.GROUP, channel)
        for reader in self.readers.values():
            reader.rung.set()  # what came before we listened
        while True:
            for ring in (await layer.receive(channel))["rings"]:
                self._wake(bell.Ring(*ring))

    def _wake(self, ring: bell.Ring) -> None:
        if (reader := self.readers.get(ring.run)) is not None:
            reader.rung.set()
        if ring.strip_of >= 0:
            self._tell(strips_of(ring.strip_of))
            self._tell(EVERYBODY)
        if ring.ended:
            self._tell(end_of(ring.run))
        if ring.catalog:
            self._tell(CATALOG)

    def _tell(self, topic: "Topic") -> None:
        for event in self.waiting.get(topic, ()):
            event.set()

    @contextmanager
    def heard(self, topic: "Topic") -> Iterator[asyncio.Event]:
        """Give an event that is set at each ring for this topic."""
        event = asyncio.Event()
        self.waiting.setdefault(topic, set()).add(event)
        try:
            yield event
        finally:
            self.waiting[topic].discard(event)
            if not self.waiting[topic]:
                del self.waiting[topic]

    def join(self, run_id: int, after: int) -> Reader:
        reader = self.readers.get(run_id)
        if reader is None or reader.ended:
            reader = self.readers[run_id] = Reader(run_id, after)
            reader.task = asyncio.create_task(reader.read_on(), context=Context())
        reader.followers += 1
        return reader

    def leave(self, reader: Reader) -> None:
        reader.followers -= 1
        if reader.followers:
            return
        if reader.task is not None:
            reader.task.cancel()
        if self.readers.get(reader.run_id) is reader:
            del self.readers[reader.run_id]


_ears: WeakKeyDictionary[asyncio.AbstractEventLoop, Ear] = WeakKeyDictionary()


def ear() -> Ear:
    """Return the ear of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _ears:
        _ears[loop] = Ear()
    return _ears[loop]


async def follow(run_id: int, after: int) -> AsyncIterator[list[Frame]]:
    """Yield lists of frames after number `after`, in order, until the run has ended."""
    here = ear()
    reader = here.join(run_id, after)
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
        here.leave(reader)
