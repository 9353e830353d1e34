"""Numbers without gap or repeat; states by compare-and-set, with their event."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from runner import events
from runner.events import Item
from runner.models import COMES_FROM, ENDED, Event, Run, State

pytestmark = pytest.mark.django_db


def test_numbers_go_on_from_the_rows_own(alice, run_factory):
    run = run_factory(alice)
    assert (
        events.append(run, [Item("note", {"text": "a"}), Item("note", {"text": "b"})])
        == 3
    )
    assert [e["seq"] for e in events.since(run.pk, 0)] == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_many_writers_leave_no_gap_and_no_repeat(alice, run_factory):
    run = run_factory(alice)

    def write():
        try:
            for _ in range(20):
                events.append(Run(pk=run.pk), [Item("note", {"text": "x"})])
        finally:
            connection.close()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seqs = [e["seq"] for e in events.since(run.pk, 0)]
    assert seqs == list(range(1, 82))


def test_move_stores_the_state_and_its_event_together(alice, run_factory):
    run = run_factory(alice)
    assert events.move(run, State.CANCELLED, reason="cancelled by alice")
    run.refresh_from_db()
    last = run.events.last()
    assert (run.state, last.kind, last.data) == (
        "cancelled",
        "status",
        {"state": "cancelled", "reason": "cancelled by alice"},
    )
    assert run.finished_at is not None


@pytest.mark.parametrize("start", ENDED)
@pytest.mark.parametrize("to", State)
def test_ended_run_never_moves_again(alice, run_factory, start, to):
    if to == State.QUEUED:
        return
    run = run_factory(alice, state=start)
    before = run.last_seq
    assert not events.move(run, to)
    run.refresh_from_db()
    assert (run.state, run.last_seq) == (start, before)


def test_every_state_but_the_first_has_a_way_in():
    assert set(COMES_FROM) == set(State) - {State.QUEUED}


def test_end_wipes_the_secrets(alice, run_factory):
    run = run_factory(alice, secrets=b"sealed")
    events.move(run, State.CANCELLED)
    run.refresh_from_db()
    assert run.secrets is None


def test_pruned_events_are_told_as_a_gap(alice, run_factory):
    run = run_factory(alice, state=State.RUNNING)
    events.append(run, [Item("output", {"text": str(n)}) for n in range(4)])
    events.move(run, State.SUCCEEDED)
    Event.objects.filter(run=run, kind="output").delete()
    Run.objects.filter(pk=run.pk).update(pruned_at=timezone.now())
    frames = events.since(run.pk, 0)
    told = [(f["seq"], f["kind"], f["data"]) for f in frames if f["kind"] == "gap"]
    assert told == [(6, "gap", {"from": 3, "to": 6})]
    assert [f["seq"] for f in frames] == [1, 2, 6, 7]


def test_data_over_64_kb_is_cut_with_a_mark(alice, run_factory):
    run = run_factory(alice)
    outcome = {"value": "x" * 300_000, "message": "done", "files": ["a.txt"]}
    events.append(run, [Item("outcome", outcome)])
    data = run.events.last().data
    assert data["truncated"] is True
    assert (data["message"], data["files"]) == ("done", ["a.txt"])
    assert data["link"] == f"/api/v1/runs/{run.pk}"


def test_nul_and_half_a_surrogate_are_kept_on_every_database(alice, run_factory):
    run = run_factory(alice)
    text = "a\x00b\ud800c"
    events.append(run, [Item("output", {"text": text})])
    assert events.since(run.pk, 1)[0]["data"]["text"] == text


def test_text_that_no_database_holds_is_stored_by_number(alice, run_factory):
    run = run_factory(alice, state=State.RUNNING)
    events.append(run, [Item("label", {"text": "half \ud800"})], label="half \ud800")
    assert events.move(run, State.FAILED, reason="half \ud800, nul \0")
    run.refresh_from_db()
    assert (run.label, run.reason) == (r"half \ud800", r"half \ud800, nul \x00")
    assert run.events.last().data["reason"] == "half \ud800, nul \0"
