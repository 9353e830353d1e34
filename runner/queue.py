"""Ring a worker, by the task's name: the message is a doorbell, the row the truth."""

import logging

from celery import current_app
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis import RedisError

from catalog.errors import CouldNotQueue

from . import places
from .models import Run, State

log = logging.getLogger(__name__)

EXECUTE = "runner.tasks.execute_run"


def ring(run: Run) -> None:
    """Tell the workers of the run's queue; raise CouldNotQueue if nobody hears."""
    try:
        current_app.send_task(EXECUTE, args=[run.pk], queue=run.queue, retry=False)
    except (OperationalError, OSError) as fault:
        raise CouldNotQueue from fault


def undrawn(name: str) -> int:
    """Return how many messages lie in a queue; raise CouldNotQueue as `ring` does."""
    try:
        with current_app.producer_or_acquire() as producer:
            return int(producer.channel.queue_declare(name).message_count)
    except (OperationalError, RedisError, OSError) as fault:
        raise CouldNotQueue from fault


def ring_source(name: str) -> None:
    """Ring for the runs that wait for this source, whose host is up now."""
    waiting = Run.objects.filter(state=State.QUEUED, source_name=name)
    try:
        for run in waiting.order_by("pk")[:100]:
            if rung(run):
                ring(run)
    except (CouldNotQueue, DatabaseError) as fault:
        log.warning("source %s: %s; the reaper will ring", name, fault)


def ring_waiting(ended: Run) -> None:
    """Ring for the oldest run that waits for each place which this end has freed."""
    if not _somebody_waits():
        return
    waiting = Run.objects.filter(state=State.QUEUED).order_by("pk")
    of_tool = waiting.filter(
        reason__startswith=places.TOOL_FULL, contract__tool=ended.contract.tool_id
    )
    of_person = waiting.filter(
        reason__startswith=places.PERSON_FULL, user=ended.user_id
    )
    for oldest in (of_tool.first(), of_person.first()):
        if oldest is not None:
            ring(oldest)


def _somebody_waits() -> bool:
    """Nearly always not; plain SQL, asked at each run's end."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM runner_run WHERE state = %s AND reason <> '' LIMIT 1",
            [State.QUEUED],
        )
        return cursor.fetchone() is not None


def place_in_line(run: Run) -> int:
    """Return how many runs of the same queue wait before this one, plus one."""
    ahead = Run.objects.filter(state=State.QUEUED, queue=run.queue, pk__lt=run.pk)
    return ahead.count() + 1


def rung(run: Run) -> bool:
    """Note that this run was rung for again; False when somebody just did."""
    seen = Run.objects.filter(pk=run.pk, rung_at=run.rung_at, state=State.QUEUED)
    return bool(seen.update(rung_at=timezone.now()))
