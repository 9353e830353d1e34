"""Ten thousand events, the socket cut a hundred times: the list is exactly 1 to N."""

import asyncio
import json
import random

import pytest
from channels.db import database_sync_to_async
from django.db import connection

from runner import events
from runner.events import Item
from runner.models import State
from tests.runner.test_streams import socket

pytestmark = pytest.mark.django_db(transaction=True)

EVENTS = 10_000
CUTS = 100


def write(run, seed):
    """Append in bursts of one to twenty, as a chatty tool does."""
    pick, left = random.Random(seed), EVENTS - run.last_seq - 1
    try:
        while left:
            burst = min(left, pick.randint(1, 20))
            events.append(run, [Item("note", {"text": "x"})] * burst)
            left -= burst
        events.move(run, State.SUCCEEDED)
    finally:
        connection.close()


async def read(run, user, seed):
    """Read to the end, cut off at random moments, and come again after the last."""
    pick, seen, cuts = random.Random(seed), [], 0
    while True:
        after = seen[-1] if seen else 0
        communicator = socket(f"/ws/runs/{run.pk}/?after={after}", user)
        await communicator.connect(timeout=20)
        stay = pick.randint(1, 2 * EVENTS // CUTS) if cuts < CUTS else EVENTS
        for _ in range(stay):
            frame = await next_frame(communicator)
            if frame is None:
                return seen, cuts
            seen.append(frame["seq"])
        await communicator.disconnect()
        cuts += 1


async def next_frame(communicator):
    while True:
        message = await communicator.receive_output(timeout=20)
        if message["type"] == "websocket.close":
            return None
        frame = json.loads(message["text"])
        if frame["seq"] is not None:
            return frame


@pytest.mark.parametrize("rings", ["heard", "lost"])
async def test_list_is_exact_through_a_hundred_cuts(
    alice, run_factory, rings, settings, monkeypatch
):
    if rings == "lost":  # nobody hears any ring: only the beat is left
        settings.STREAM_BEAT = 0.1
        settings.CHANNEL_LAYERS = {
            "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
        }
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    seed = random.randrange(10**6)
    writing = asyncio.create_task(asyncio.to_thread(write, run, seed))
    seen, cuts = await read(run, alice, seed)
    await writing
    assert seen == list(range(1, EVENTS + 1)), f"seed {seed}"
    assert cuts >= CUTS * 0.8, f"seed {seed}: only {cuts} cuts"
