"""An end rings for the oldest run that waits for each place it freed."""

import base64
import json

import pytest
import redis
from django.conf import settings

from runner import places, queue
from runner.models import State, Worker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker():
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.delete("pegboard.default")
    return client


@pytest.fixture
def of_one(tool_factory):
    """A tool that runs once at a time."""
    tool = tool_factory("of_one")
    tool.max_concurrent = 1
    tool.save()
    return tool


def rung_for(broker):
    messages = map(json.loads, broker.lrange("pegboard.default", 0, -1))
    return {json.loads(base64.b64decode(m["body"]))[0][0] for m in messages}


def told_to_wait(run, tool):
    worker, _ = Worker.objects.get_or_create(name="w", machine="m", pid=1)
    assert not places.claim(run, tool, worker, 5.0)
    run.refresh_from_db()
    assert run.reason.startswith("waits: ")
    return run.pk


def test_each_place_freed_is_rung_for(
    broker, settings, alice, bob, of_one, tool_factory, run_factory
):
    """The oldest of one line may stand in the way of the oldest of the other."""
    settings.RUNS_PER_USER = 1
    running = run_factory(alice, of_one, State.RUNNING)
    mine = run_factory(alice, other := tool_factory("other"))
    theirs = run_factory(bob, of_one)
    later = run_factory(bob, of_one)
    waiting = {told_to_wait(mine, other), told_to_wait(theirs, of_one)}
    told_to_wait(later, of_one)
    queue.ring_waiting(running)
    assert rung_for(broker) == waiting


def test_run_that_waits_for_another_place_is_not_rung_for(
    broker, settings, alice, of_one, tool_factory, run_factory
):
    settings.RUNS_PER_USER = 5
    ended = run_factory(alice, tool_factory("other"), State.RUNNING)
    run_factory(alice, of_one, State.RUNNING)
    told_to_wait(run_factory(alice, of_one), of_one)
    queue.ring_waiting(ended)
    assert rung_for(broker) == set()
