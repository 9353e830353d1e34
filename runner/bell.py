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
# Seconds between two messages, unless a run ended. A ring costs its readers as much
# as what they read then, and a small run rings three times.
PACE = 0.05


class Ring(NamedTuple):
    """What changed: a run, with it perhaps its person's strips; or the catalog."""

    run: int = 0
    ended: bool = False
    strip_of: int = -1  # a user's id, 0 for nobody's run, -1 for no strip
    catalog: bool = False


class Bell:
    """Rings from its own thread; rings that wait for it go out as one message.

    The first goes at once, the next ones PACE later; a run's end does not wait.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.waiting: dict[Ring, None] = {}
        self.rung, self.hurry = threading.Event(), threading.Event()
        threading.Thread(target=self._ring_on, name="bell", daemon=True).start()

    def ring(self, ring: Ring) -> None:
        self.waiting[ring] = None
        self.rung.set()
        if ring.ended:
            self.hurry.set()

    def _ring_on(self) -> None:
        while True:
            self.rung.wait()
            self.rung.clear()
            self.hurry.clear()
            self.loop.run_until_complete(self._send())
            self.hurry.wait(PACE)

    async def _send(self) -> None:
        rings = []
        while self.waiting:  # others add to it all the while
            rings.append(self.waiting.popitem()[0])
        layer = get_channel_layer()
        assert layer is not None  # noqa: S101
        try:
            await layer.group_send(GROUP, {"type": "rung", "rings": rings})
        except Exception as fault:
            log.debug("%s rings were lost: %s", len(rings), fault)


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
