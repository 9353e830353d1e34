"""The live lines of runs: on the run's page, in the dock, on the wall."""

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from catalog.fields import stamp
from catalog.models import active
from runner.models import Run, State
from runner.strips import of_user

register = template.Library()


@register.inclusion_tag("parts/state.html")
def state(run: Run) -> dict[str, Any]:
    """The state of a run, as sign and words."""
    words = run.get_state_display()
    if run.shade:
        words = f"{words} · {run.shade}"
    return {"state": run.state, "shade": run.shade, "words": words}


@register.inclusion_tag("parts/state.html")
def state_named(name: str) -> dict[str, Any]:
    return {"state": name, "shade": "", "words": State(name).label}


@register.inclusion_tag("parts/strip.html", takes_context=True)
def strip(context: dict[str, Any], run: Run, *, linked: bool = True) -> dict[str, Any]:
    """One run's strip, as its row stands now."""
    now = timezone.now()
    progress = run.progress or {}
    began = run.started_at or run.queued_at
    return {
        "run": run,
        "linked": linked,
        "label": run.label or run.tool_name,
        "fraction": progress.get("fraction"),
        "counts": counts(progress),
        "message": progress.get("message") or "",
        "elapsed": ((run.finished_at or now) - began).total_seconds(),
        "since": stamp(run.started_at),
        "now": stamp(now),
        "request": context.get("request"),
        "csrf_token": context.get("csrf_token"),
    }


def counts(progress: dict[str, Any]) -> str:
    """Say `12 of 40`, or `12` where no total is known."""
    current, total = progress.get("current"), progress.get("total")
    if not isinstance(current, int | float):
        return ""
    if not isinstance(total, int | float):
        return f"{current:.12g}"
    return f"{current:.12g} of {total:.12g}"


@register.inclusion_tag("parts/dock.html", takes_context=True)
def dock(context: dict[str, Any]) -> dict[str, Any]:
    """The strips of this person's live runs, and of those that ended just now."""
    request = context.get("request")
    user = getattr(request, "user", AnonymousUser())
    here = context.get("run")
    but = here.pk if isinstance(here, Run) else None
    runs = of_user(user) if active(user) else []
    shown = [run for run in runs if run.pk != but]
    return {
        "runs": shown,
        "live": sum(run.is_live for run in shown),
        "request": request,
        "csrf_token": context.get("csrf_token"),
    }
