"""The facts of a run: the only writer of events and of states.

Stored, then told: `append` takes the numbers from the run's row and inserts in
one transaction; the doorbell goes out when it is committed. Whoever knows
number N reads N+1, N+2, … through `since`, without a gap or a repeat.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, models, transaction
from django.utils import timezone

from catalog.fields import dumps, stamp, storable

from . import bell
from .models import COMES_FROM, ENDED, Event, Run, State

MAX_DATA = 64_000
MAX_READ = 500


class Item(NamedTuple):
    """An event before it has a number."""

    kind: str
    data: dict[str, Any]


def create(**fields: Any) -> Run:
    """Store a new run with its first event; it waits in its queue from now on."""
    with transaction.atomic(savepoint=False):
        run = Run(last_seq=1, **_storable(fields))
        _insert_run(run)
        data = {"state": State.QUEUED.value, "reason": ""}
        _insert(run, 1, run.queued_at, [Item("status", data)])
        ring(run, {"state": run.state})
    return run


def _insert_run(run: Run) -> None:
    """Insert the row and take its number."""
    names, values = [], []
    for field in Run._meta.local_concrete_fields:
        if not field.primary_key:
            names.append(f'"{field.column}"')
            value = field.pre_save(run, add=True)
            values.append(field.get_db_prep_save(value, connection))
    marks = ", ".join(["%s"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO runner_run ({', '.join(names)}) VALUES ({marks})"  # noqa: S608
            " RETURNING id",
            values,
        )
        run.pk = cursor.fetchone()[0]
    run._state.adding, run._state.db = False, connection.alias


def _storable(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns with texts that the database can hold; tools say anything."""
    return {
        name: storable(value) if type(value) is str else value
        for name, value in columns.items()
    }


def append(run: Run, items: Sequence[Item], **columns: Any) -> int:
    """Store events, and columns that go with them; return the last number."""
    if not items:
        return run.last_seq
    _store(run, tuple(State), items, columns)
    return run.last_seq


def _store(
    run: Run,
    states: Sequence[State],
    items: Sequence[Item],
    columns: dict[str, Any],
) -> bool:
    """Take numbers from the run's row, if it is in one of `states`, and insert."""
    now = timezone.now()
    columns = _storable(columns)
    with transaction.atomic(savepoint=False):
        last = _take_numbers(run, states, len(items), columns)
        if last is None:
            return False
        _insert(run, last - len(items) + 1, now, items)
        ring(run, columns)
    run.last_seq = last
    for name, value in columns.items():
        setattr(run, name, value)
    return True


def _take_numbers(
    run: Run, states: Sequence[State], count: int, columns: dict[str, Any]
) -> int | None:
    """Update the run's row if it is in one of `states`; return its last number.

    Plain SQL, as in `_insert`: these are every run's hottest lines.
    """
    changes, values = "", []
    for name, value in columns.items():
        field: models.Field[Any, Any] = Run._meta.get_field(name)  # type: ignore[assignment]
        changes += f', "{field.column}" = %s'
        values.append(field.get_db_prep_save(value, connection))
    marks = ", ".join(["%s"] * len(states))
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runner_run SET last_seq = last_seq + %s{changes}"  # noqa: S608
            f" WHERE id = %s AND state IN ({marks}) RETURNING last_seq",
            [count, *values, run.pk, *states],
        )
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def ring(run: Run, changed: dict[str, Any]) -> None:
    """Tell who reads this run, and the pages that show its strip."""
    ended = changed.get("state") in ENDED
    strip_of = (run.user_id or 0) if changed else -1
    bell.ring(bell.Ring(run.pk, ended=ended, strip_of=strip_of))


def _insert(run: Run, first: int, at: datetime, items: Sequence[Item]) -> None:
    """Insert events from number `first` on."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO runner_event (run_id, seq, at, kind, data)"
            " VALUES (%s, %s, %s, %s, %s)",
            [
                (
                    run.pk,
                    seq,
                    connection.ops.adapt_datetimefield_value(at),
                    item.kind,
                    _cut(item, run),
                )
                for seq, item in enumerate(items, first)
            ],
        )


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
    states = (only_from,) if only_from else COMES_FROM[to]
    if to in ENDED:
        changes |= {"finished_at": timezone.now(), "secrets": None}
    status = Item("status", {"state": to.value, "reason": reason})
    columns = {"state": to, "reason": reason, **changes}
    return _store(run, states, [*first, status], columns)


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


def _cut(item: Item, run: Run) -> str:
    """Return the data as JSON, cut with a mark when it is over what an event holds."""
    text = dumps(item.data)
    return text if len(text) <= MAX_DATA else dumps(_short(item, run))


def _short(item: Item, run: Run) -> dict[str, Any]:
    """Return what of the data says most, in texts so short that it fits."""
    link = {"truncated": True, "link": f"/api/v1/runs/{run.pk}"}
    kept = item.data
    if item.kind == "outcome":
        names = ("message", "error", "exception", "files")
        kept = {"value": None} | {name: item.data.get(name) for name in names}
    for room in (5000, 1000, 200, 0):
        short = _clipped(kept, room) | link
        if len(dumps(short)) <= MAX_DATA:
            break
    return short


def _clipped(data: dict[str, Any], room: int) -> dict[str, Any]:
    """Clip texts to so many characters, lists of texts to a tenth as many elements."""
    clipped: dict[str, Any] = {}
    for name, value in data.items():
        match value:
            case str():
                clipped[name] = value[:room]
            case list():
                clipped[name] = [str(one)[:200] for one in value[: room // 10]]
            case dict():
                clipped[name] = str(value)[:room]
            case _:
                clipped[name] = value
    return clipped
