"""The doorbells: tell open pages that there is something new to read.

A ring carries no data but the run's number, and may be lost; every stream also
looks by itself. One event loop per process is kept for it, because a fresh loop
per ring costs ten times the ring, and a kept connection cannot move between loops.
"""

import asyncio
import logging
import os
import threading

from channels.layers import get_channel_layer
from django.db import transaction

log = logging.getLogger(__name__)


class Bell:
    """Rings groups from its own thread; rings that wait for it are merged."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.waiting: dict[tuple[str, str, int], None] = {}
        self.busy = False
        threading.Thread(target=self.loop.run_forever, name="bell", daemon=True).start()

    def ring(self, group: str, kind: str, run: int) -> None:
        self.waiting[group, kind, run] = None
        if not self.busy:
            self.busy = True
            asyncio.run_coroutine_threadsafe(self._empty(), self.loop)

    async def _empty(self) -> None:
        """Ring for all that wait; rung meanwhile is rung in the next turn."""
        layer = get_channel_layer()
        assert layer is not None  # noqa: S101
        while self.waiting:
            (group, kind, run), _ = self.waiting.popitem()
            try:
                await layer.group_send(group, {"type": kind, "run": run})
            except Exception as fault:
                log.debug("the doorbell of %s was lost: %s", group, fault)
        self.busy = False
        if self.waiting:  # rung between the last look and the line above
            self.busy = True
            await self._empty()


_bell: Bell | None = None
_lock = threading.Lock()


def _current() -> Bell:
    global _bell
    if _bell is None or _bell.pid != os.getpid():
        with _lock:
            if _bell is None or _bell.pid != os.getpid():
                _bell = Bell()
    return _bell


def ring(group: str, kind: str, run: int = 0) -> None:
    """Ring a group once the transaction at hand is committed."""
    transaction.on_commit(lambda: _current().ring(group, kind, run))


def user_group(user_id: int | None) -> str:
    return f"user.{user_id or 0}"


# All runs' doorbells hang in one group; a ring says at which one.
RUNS = "runs"
CATALOG = "catalog"
