"""Whether there is a place for a run now, and how long it may take."""

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from catalog.models import Tool
from catalog.sources import SourceConfig

from . import events
from .models import CLAIMED, Run, State, Worker

# How a waiting run's reason begins, by the limit that leaves it no place.
TOOL_FULL = "waits: this tool runs"
PERSON_FULL = "waits: a person runs"


def limit_of(tool: Tool, config: SourceConfig) -> float:
    """Return the limit in seconds: admin's, tool's, source's, else the board's."""
    for limit in (tool.timeout, tool.now.timeout, config.timeout):
        if limit is not None:
            return min(float(limit), settings.RUN_TIMEOUT_MAX)
    return float(settings.RUN_TIMEOUT)


def claim(run: Run, tool: Tool, row: Worker, limit: float) -> bool:
    """Make the run ours, if it is still queued and there is a place for it.

    One conditional update; the rows that are counted against a limit are locked
    first, so that two workers cannot both take the last place.
    """
    with transaction.atomic():
        if why := full(run, tool):
            # Told on its page; and by this an end knows whom to ring for.
            Run.objects.filter(pk=run.pk, state=State.QUEUED).update(reason=why)
            return False
        return events.move(
            run,
            State.RUNNING,
            worker_id=row.pk,
            limit=limit,
            started_at=timezone.now(),
            label=tool.now.label[:200],
        )


def full(run: Run, tool: Tool) -> str:
    """Say what limit leaves no place for this run now; empty when there is one."""
    if tool.max_concurrent is not None:
        claimed = Run.objects.filter(state__in=CLAIMED)
        Tool.objects.select_for_update().get(pk=tool.pk)
        if claimed.filter(contract__tool=tool).count() >= tool.max_concurrent:
            return f"{TOOL_FULL} at most {tool.max_concurrent} at once"
    if _runs_of(run.user_id) >= settings.RUNS_PER_USER:
        return f"{PERSON_FULL} at most {settings.RUNS_PER_USER} at once"
    return ""


def _runs_of(user_id: int | None) -> int:
    """Return how many runs a person has claimed; plain SQL, asked at each claim.

    The person's row is locked, so that claims of theirs count one after another.
    SQLite's writers stand in a line anyway.
    """
    with connection.cursor() as cursor:
        if connection.features.has_select_for_no_key_update:
            lock = "SELECT 1 FROM auth_user WHERE id = %s FOR NO KEY UPDATE"
            cursor.execute(lock, [user_id])
        cursor.execute(
            "SELECT COUNT(*) FROM runner_run WHERE user_id = %s AND state IN (%s, %s)",
            [user_id, *CLAIMED],
        )
        return int(cursor.fetchone()[0])
