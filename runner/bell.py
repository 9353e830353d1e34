"""The doorbell: tell open pages that there is something new to read.

A ring says at which run, whose, or that the catalog moved; it carries no data and
may be lost: every stream also looks by itself. One event loop per process is kept
for ringing, because a fresh loop per ring costs ten times the ring, and a kept
connection cannot move between loops.
"""

import asyncio
import logging
import os
import threading
from typing import NamedTuple

from channels.layers import get_channel_layer
from django.db import transaction

log = logging.getLogger(__name__)

# All doorbells hang in one group: a process hears them with one subscription.
GROUP = "pegboard"


class Ring(NamedTuple):
    """What changed: a run, with it perhaps its person's strips; or the catalog."""

    run: int = 0
    ended: bool = False
    strip_of: int = -1  # a user's id, 0 for nobody's run, -1 for no strip
    catalog: bool = False


class Bell:
    """Rings from its own thread; rings that wait for it are merged."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.waiting: dict[Ring, None] = {}
        self.busy = False
        threading.Thread(target=self.loop.run_forever, name="bell", daemon=True).start()

    def ring(self, ring: Ring) -> None:
        self.waiting[ring] = None
        if not self.busy:
            self.busy = True
            asyncio.run_coroutine_threadsafe(self._empty(), self.loop)

    async def _empty(self) -> None:
        """Ring for all that wait; rung meanwhile is rung in the next turn."""
        layer = get_channel_layer()
        assert layer is not None  # noqa: S101
        while self.waiting:
            ring, _ = self.waiting.popitem()
            try:
                await layer.group_send(GROUP, {"type": "rung", **ring._asdict()})
            except Exception as fault:
                log.debug("a ring was lost: %s", fault)
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


def ring(rung: Ring) -> None:
    """Ring once the transaction at hand is committed."""
    transaction.on_commit(lambda: _current().ring(rung))
