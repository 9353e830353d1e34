"""What the pages of tools, runs and sources need to know."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now
from django.utils.functional import SimpleLazyObject

from catalog import dialects
from catalog.forms import SwitchForm
from catalog.models import Source, Tool
from catalog.requests import AuthenticatedRequest
from catalog.schema import put

from . import previews, queue, remembered
from .actions import confirmed_as
from .models import Run, State, Worker
from .output import output
from .shapes import Shape, shape

ALIVE = timedelta(seconds=10)
NOTES = 50
# Of a description so much is shown at once, in characters and in lines.
SHOWN, SHOWN_LINES = 400, 5


def tool(request: AuthenticatedRequest, one: Tool) -> dict[str, Any]:
    """Return what the tool's page shows beside its form."""
    contract = one.now
    first, rest = fold(contract.description)
    return {
        "tool": one,
        "contract": contract,
        "version": one.contract,
        "first": first,
        "rest": rest,
        "why_not": one.why_not(request.user),
        "limit": contract.timeout if one.timeout is None else one.timeout,
        "shown": [
            (DIALECT_WORDS[k], k, v) for k, v in dialects.shown(contract).items()
        ],
        "versions": list(one.versions.order_by("-number")[:20]),
        "runs": list(_runs_of(request, one)[:8]),
        "saved": remembered.saved_for(request.user, one)[:30],
        "switch": SwitchForm() if request.user.is_staff else None,
    }


DIALECT_WORDS = {
    "gaia": "GAIA",
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "langchain": "LangChain",
    "mcp": "MCP",
}


def fold(description: str) -> tuple[str, str]:
    """Split a description into what is shown at once and what is folded away."""
    text = description.strip("\n").rstrip()
    paragraphs = re.split(r"(\n\s*\n)", text)
    shown = paragraphs[0]
    for gap, paragraph in zip(paragraphs[1::2], paragraphs[2::2], strict=True):
        more = shown + gap + paragraph
        if len(more) > SHOWN or more.count("\n") >= SHOWN_LINES:
            break
        shown = more
    if len(shown) > 2 * SHOWN or shown.count("\n") >= 2 * SHOWN_LINES:
        lines = shown[: 2 * SHOWN].split("\n")[:SHOWN_LINES]
        shown = "\n".join(lines)
        if not text[len(shown) :].startswith("\n"):
            shown = shown.rsplit(" ", 1)[0]
    return shown, text[len(shown) :].lstrip("\n")


def _runs_of(request: AuthenticatedRequest, one: Tool) -> QuerySet[Run]:
    mine = Run.objects.visible_to(request.user)
    return mine.filter(source_name=one.source.name, tool_name=one.name)


def run(request: AuthenticatedRequest, one: Run) -> dict[str, Any]:
    """Return what a run's page shows; everything up to event `after`."""
    outcome = one.outcome or {}
    current = one.contract.tool
    return {
        "run": one,
        "after": one.last_seq,
        "output": SimpleLazyObject(lambda: output(one, one.last_seq)),
        "outcome": outcome,
        "value": value_of(one, outcome),
        "notes": outcome.get("notes") or [],
        "files": previews.rows(list(one.artifacts.all())),
        "said": [event.data.get("text", "") for event in _notes(one)],
        "tool": current,
        "arguments": shape(masked(one)),
        "confirmed_as": confirmed_as(one) if one.shade == "preview" else None,
        "may_confirm": one.can_be_confirmed_by(request.user),
        "may_cancel": one.is_live and one.state != State.CANCELLING,
        "changed": current.contract_id != one.contract_id,
        "why_not": current.why_not(request.user),
        "waiting": waiting(one) if one.state == State.QUEUED else None,
        "watched": watched(request.user, one),
    }


def watched(user: User, one: Run) -> bool | None:
    """Whether somebody else's run is in this person's dock; one's own always is."""
    if one.user_id == user.pk:
        return None
    return one.watches.filter(user=user).exists()


def _notes(one: Run) -> Any:
    return one.events.filter(kind="note", seq__lte=one.last_seq).order_by("seq")[:NOTES]


def value_of(one: Run, outcome: dict[str, Any]) -> Shape | None:
    """Return how to show the value; None when the run brought none."""
    if outcome.get("exception") and outcome.get("value") is None:
        return None
    if "value" in outcome:
        return shape(outcome["value"])
    if "preview" in outcome:
        return shape(outcome["preview"])
    return None


def masked(one: Run) -> dict[str, Any]:
    """Return the arguments with a mark where a secret was given."""
    return dict(put(one.arguments, dict.fromkeys(one.secret_pointers, "••••••")))


@dataclass(frozen=True)
class Waiting:
    """Why a queued run has not begun."""

    place: int
    queue: str
    workers: int
    seen: Any


def waiting(one: Run) -> Waiting:
    """Return a queued run's place in line and who could take it up."""
    alive = [w for w in _alive() if one.queue in w.queues and not w.stopping]
    serving = [
        w for w in Worker.objects.order_by("-seen_at")[:50] if one.queue in w.queues
    ]
    return Waiting(
        place=queue.place_in_line(one),
        queue=one.queue,
        workers=len(alive),
        seen=serving[0].seen_at if serving else None,
    )


def _alive() -> QuerySet[Worker]:
    return Worker.objects.filter(seen_at__gte=Now() - ALIVE)


def workers(sources: set[str]) -> list[tuple[Worker, bool]]:
    """Return the workers with their hosts of these sources; whether just seen."""
    alive = set(_alive().values_list("pk", flat=True))
    found = list(Worker.objects.order_by("machine", "pid"))
    for one in found:
        one.hosts = [host for host in one.hosts if host["source"] in sources]
    return [(one, one.pk in alive) for one in found]


def sources(rows: QuerySet[Source]) -> list[Source]:
    """Return the sources with their tools counted by state."""
    count = {
        state: Count("tools", filter=Q(tools__state=state))
        for state in Tool.State.values
    }
    off = Count("tools", filter=Q(tools__state="present", tools__enabled=False))
    return list(rows.annotate(**count, off=off).order_by("name"))


def patterns() -> dict[str, Any]:
    """Return one of each state, and one value of each shape."""
    values = [
        *(42, True, None, "A text\n  with its own lines."),
        [{"name": "quay.png", "size": 1234}, {"name": "harbour.png", "size": 98}],
        {
            "path": "small.png",
            "steps": [{"step": "read", "took": 0.2}],
            "meta": {"a": [1, None]},
        },
        [[1, 2], {"deep": {"deeper": []}}],
    ]
    return {"states": State.values, "values": [shape(value) for value in values]}
