"""The live lines of runs, computed from their rows."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from catalog.fields import stamp

from .models import LIVE, Run

# An ended run's strip stays in view for so long.
LINGERS = timedelta(seconds=20)


def strip(run: Run) -> dict[str, Any]:
    """Return a run's strip as a frame's data."""
    progress = run.progress or {}
    return {
        "state": run.state,
        "shade": run.shade,
        "reason": run.reason,
        "label": run.label or run.tool_name,
        "tool": run.tool_label,
        "url": run.get_absolute_url(),
        "fraction": progress.get("fraction"),
        "current": progress.get("current"),
        "total": progress.get("total"),
        "message": progress.get("message") or "",
        "queued_at": stamp(run.queued_at),
        "started_at": stamp(run.started_at),
        "finished_at": stamp(run.finished_at),
        "limit": run.limit,
        "now": stamp(timezone.now()),
        "user": run.user_name,
    }


def of_user(user: User) -> list[Run]:
    """Return the runs whose strips this person's dock shows, newest first.

    Their own, and those of others that they watch and may still see.
    """
    watched = Run.objects.visible_to(user).filter(watches__user=user)
    return recent(Run.objects.filter(Q(user=user) | Q(pk__in=watched.values("pk"))), 50)


def on_wall() -> list[Run]:
    """Return all runs in progress or just ended, for those who may see all."""
    return recent(Run.objects.all(), 200)


def recent(runs: QuerySet[Run], most: int) -> list[Run]:
    """Return those in progress or just ended; each half has an index of its own."""
    runs = runs.order_by()
    live = runs.filter(state__in=LIVE)
    ended = runs.filter(finished_at__gt=timezone.now() - LINGERS)
    return list(live.union(ended, all=True).order_by("-pk")[:most])
