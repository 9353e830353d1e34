"""The live lines of runs, computed from their rows."""

from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from .models import LIVE, Run, stamp

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


def of_user(user_id: int) -> list[Run]:
    """Return the runs whose strips this person's dock shows, newest first."""
    recent = Q(state__in=LIVE) | Q(finished_at__gt=timezone.now() - LINGERS)
    return list(Run.objects.filter(recent, user_id=user_id).order_by("-pk")[:50])


def on_wall() -> list[Run]:
    """Return all runs in progress or just ended, for those who may see all."""
    recent = Q(state__in=LIVE) | Q(finished_at__gt=timezone.now() - LINGERS)
    return list(Run.objects.filter(recent).order_by("-pk")[:200])
