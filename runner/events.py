"""The facts of a run: the only writer of events and of states.

Stored, then told: `append` takes the numbers from the run's row and inserts in
one transaction; the doorbell goes out when it is committed. Whoever knows
number N reads N+1, N+2, … through `since`, without a gap or a repeat.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from catalog.fields import dumps

from . import bell
from .models import COMES_FROM, ENDED, Event, Run, State, stamp

MAX_DATA = 64_000
MAX_READ = 500


class Item(NamedTuple):
    """An event before it has a number."""

    kind: str
    data: dict[str, Any]


def create(**fields: Any) -> Run:
    """Store a new run with its first event; it waits in its queue from now on."""
    with transaction.atomic(savepoint=False):
        run = Run.objects.create(last_seq=1, **fields)
        data = {"state": State.QUEUED.value, "reason": ""}
        Event.objects.create(run=run, seq=1, at=run.queued_at, kind="status", data=data)
        ring_strips(run)
    return run


def append(run: Run, items: Sequence[Item], **columns: Any) -> int:
    """Store events, and columns that go with them; return the last number."""
    if not items:
        return run.last_seq
    _store(run, Run.objects.filter(pk=run.pk), items, columns)
    return int(run.last_seq)


def _store(
    run: Run, rows: QuerySet[Run], items: Sequence[Item], columns: dict[str, Any]
) -> bool:
    """Take numbers from the row in `rows`, if it is still there, and insert."""
    now = timezone.now()
    with transaction.atomic(savepoint=False):
        if not rows.update(last_seq=F("last_seq") + len(items), **columns):
            return False
        last = Run.objects.values_list("last_seq", flat=True).get(pk=run.pk)
        Event.objects.bulk_create(
            Event(run_id=run.pk, seq=seq, at=now, kind=item.kind, data=_cut(item, run))
            for seq, item in enumerate(items, last - len(items) + 1)
        )
        bell.ring(bell.RUNS, "run.changed", run.pk)
        if columns:
            ring_strips(run)
    run.last_seq = last
    for name, value in columns.items():
        setattr(run, name, value)
    return True


def ring_strips(run: Run) -> None:
    """Tell the pages that show this run's strip."""
    bell.ring(bell.user_group(run.user_id), "strips.changed")


def move(
    run: Run,
    to: State,
    *,
    only_from: State | None = None,
    reason: str = "",
    first: Sequence[Item] = (),
    **changes: Any,
) -> bool:
    """Move to `to` if the row still allows it; return whether we won.

    The state, the events in `first` and the status event are one transaction;
    an end state wipes the secrets. Nothing else assigns a state.
    """
    sources = (only_from,) if only_from else COMES_FROM[to]
    if to in ENDED:
        changes |= {"finished_at": timezone.now(), "secrets": None}
    status = Item("status", {"state": to.value, "reason": reason})
    rows = Run.objects.filter(pk=run.pk, state__in=sources)
    return _store(
        run, rows, [*first, status], {"state": to, "reason": reason, **changes}
    )


def since(run_id: int, after: int, limit: int = MAX_READ) -> list[dict[str, Any]]:
    """Return the frames after number `after`, oldest first.

    Frames are `{run, seq, at, kind, data}`. Events that were pruned are told as
    one `gap {from, to}` whose number is the last one missing.
    """
    rows = Event.objects.filter(run_id=run_id, seq__gt=after).order_by("seq")
    frames = [event.frame() for event in rows[:limit]]
    if frames and frames[-1]["seq"] == after + len(frames):
        return frames
    run = Run.objects.filter(pk=run_id).values("last_seq", "pruned_at").first()
    if run is None or run["pruned_at"] is None:
        return frames
    return _told_gaps(run_id, after, frames, run["last_seq"], stamp(run["pruned_at"]))


def _told_gaps(
    run_id: int,
    after: int,
    frames: list[dict[str, Any]],
    last: int,
    at: str | None,
) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for frame in frames:
        if frame["seq"] > after + 1:
            told.append(_gap(run_id, after + 1, frame["seq"] - 1, at))
        told.append(frame)
        after = frame["seq"]
    if not frames and last > after:
        told.append(_gap(run_id, after + 1, last, at))
    return told


def _gap(run_id: int, start: int, end: int, at: str | None) -> dict[str, Any]:
    data = {"from": start, "to": end}
    return {"run": run_id, "seq": end, "at": at, "kind": "gap", "data": data}


def _cut(item: Item, run: Run) -> dict[str, Any]:
    """Return the data, cut with a mark when it is over what an event may hold."""
    if len(dumps(item.data)) <= MAX_DATA:
        return item.data
    link = f"/api/v1/runs/{run.pk}"
    if item.kind == "outcome":
        kept = {key: item.data.get(key) for key in ("message", "error", "files")}
        short = {k: v[:4000] if isinstance(v, str) else v for k, v in kept.items()}
        short["files"] = (short["files"] or [])[:200]
        return {"value": None, **short, "truncated": True, "link": link}
    return {
        key: value[: MAX_DATA // 12] if isinstance(value, str) else value
        for key, value in item.data.items()
        if isinstance(value, (str, int, float, bool, type(None)))
    } | {"truncated": True, "link": link}
