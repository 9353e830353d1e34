"""What is done again and again so that no run is stuck.

Rings again for runs that nobody took up, and ends runs whose worker is gone. A
worker counts as gone only when two looks, at least a beat apart, find it silent
and it was not seen between them: while the database is away nobody can be seen,
and nobody is lost.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from catalog.errors import CouldNotQueue

from . import events, queue
from .models import CLAIMED, Run, StartKey, State, Upload, Worker
from .supervisor import ring_next

log = logging.getLogger(__name__)

UNCLAIMED = timedelta(seconds=5)
AT_ONCE = 100  # runs of a queue that one round rings for
# Of a worker: doubted, and not seen after that.
UNSEEN_SINCE = Q(doubted_at__gt=F("seen_at"))
GONE = "Its worker vanished; the outcome is unknown. It is not started again by itself."


def reap(now: datetime | None = None) -> None:
    """One round: ring again, tell the gone, end what they ran."""
    ring_again(now or timezone.now())
    for worker in doubted_twice():
        lose_runs(worker)
    lose_orphans()


def ring_again(now: datetime) -> int:
    """Ring for queued runs that nobody claimed for 5 s; return how many.

    Never so often that a queue holds more messages than runs wait in it: a long line
    would else grow by one message for each run every few seconds, and whoever comes
    last would wait until all of them were drawn.
    """
    queued = Run.objects.filter(state=State.QUEUED)
    overdue = queued.filter(rung_at__lt=now - UNCLAIMED)
    count = 0
    try:
        for name in overdue.order_by().values_list("queue", flat=True).distinct():
            missing = queued.filter(queue=name).count() - queue.undrawn(name)
            oldest = overdue.filter(queue=name).order_by("pk")
            for run in oldest[: min(max(missing, 0), AT_ONCE)]:
                if queue.rung(run):
                    queue.ring(run)
                    count += 1
    except CouldNotQueue:
        log.debug("the broker did not answer; the next round rings")
    return count


def doubted_twice() -> list[Worker]:
    """Return workers found silent a beat ago and still so; doubt the newly silent.

    Rounds may come all at once (they pile up while nobody can take them), so it is the
    database's clock that says whether a look was a beat ago.
    """
    beat = timedelta(seconds=settings.WORKER_BEAT)
    silent = Worker.objects.filter(seen_at__lt=Now() - 2 * beat)
    gone = list(silent.filter(UNSEEN_SINCE, doubted_at__lte=Now() - beat))
    silent.exclude(UNSEEN_SINCE).update(doubted_at=Now())
    return gone


def lose_runs(worker: Worker) -> None:
    """End a gone worker's runs as lost, and take its row away."""
    silent = Worker.objects.filter(UNSEEN_SINCE, pk=worker.pk)
    if not silent.exists():
        return
    for run in Run.objects.filter(worker=worker, state__in=CLAIMED):
        _lose(run)
    silent.delete()


def lose_orphans() -> None:
    """End claimed runs whose worker's row is gone altogether."""
    for run in Run.objects.filter(worker=None, state__in=CLAIMED):
        _lose(run)


def _lose(run: Run) -> None:
    if events.move(run, State.LOST, reason=GONE):
        ring_next(run)


def tidy(now: datetime | None = None) -> None:
    """Take away what has had its time: keys, uploads, events of old runs."""
    now = now or timezone.now()
    StartKey.objects.filter(at__lt=now - timedelta(days=1)).delete()
    old = now - timedelta(days=settings.RETENTION_DAYS)
    for upload in Upload.objects.filter(at__lt=old):
        upload.file.delete(save=False)
        upload.delete()
    for run in Run.objects.filter(finished_at__lt=old, pruned_at=None)[:1000]:
        prune(run)


def prune(run: Run) -> None:
    """Take away a run's output and files; who, what, when and how it ended stay."""
    run.events.exclude(kind__in=["status", "outcome"]).delete()
    for artifact in run.artifacts.all():
        artifact.file.delete(save=False)
        artifact.delete()
    Run.objects.filter(pk=run.pk).update(pruned_at=timezone.now())
