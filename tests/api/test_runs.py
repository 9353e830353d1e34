"""GET runs, one run, its events; cancel; strangers get 404 everywhere."""

import pytest

from runner import events
from runner.events import Item
from runner.models import Run, State

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_see_their_own_runs_and_staff_see_all(
    api, alice, bob, root, run_factory
):
    mine, other = run_factory(alice), run_factory(bob)
    assert [r["id"] for r in api(alice).get("runs").json()["results"]] == [mine.pk]
    seen = [r["id"] for r in api(root).get("runs").json()["results"]]
    assert seen == [other.pk, mine.pk]


@pytest.mark.parametrize("path", ["", "/events", "/artifacts/x.txt"])
def test_strangers_run_is_404(api, alice, bob, run_factory, path):
    run = run_factory(alice)
    assert api(bob).get(f"runs/{run.pk}{path}").status_code == 404


@pytest.mark.parametrize("verb", ["cancel", "confirm"])
def test_stranger_cannot_act_on_a_run(api, alice, bob, run_factory, verb):
    run = run_factory(alice)
    assert api(bob).post(f"runs/{run.pk}/{verb}", {}).status_code == 404
    assert Run.objects.get().state == State.QUEUED


def test_events_come_after_the_number_asked_for(api, alice, run_factory):
    run = run_factory(alice, state=State.RUNNING)
    events.append(run, [Item("note", {"text": str(n)}) for n in range(5)])
    found = api(alice).get(f"runs/{run.pk}/events", after=3).json()
    assert [event["seq"] for event in found] == [4, 5, 6, 7]
    assert set(found[0]) == {"run", "seq", "at", "kind", "data"}


def test_wrong_number_is_told(api, alice, run_factory):
    run = run_factory(alice)
    assert api(alice).get(f"runs/{run.pk}/events", after="x").status_code == 400


def test_queued_run_is_cancelled_at_once_and_only_once(api, alice, run_factory):
    run = run_factory(alice)
    caller = api(alice)
    first = caller.post(f"runs/{run.pk}/cancel", {}).json()
    again = caller.post(f"runs/{run.pk}/cancel", {}).json()
    assert first["state"] == again["state"] == "cancelled"
    assert first["reason"] == "cancelled by alice"
    assert first["last_seq"] == again["last_seq"]


def test_running_run_goes_to_cancelling(api, alice, run_factory):
    run = run_factory(alice, state=State.RUNNING)
    assert api(alice).post(f"runs/{run.pk}/cancel", {}).json()["state"] == "cancelling"


def test_history_filters_by_state_and_words(api, alice, run_factory):
    done = run_factory(alice, state=State.SUCCEEDED)
    run_factory(alice)
    caller = api(alice)
    found = caller.get("runs", state="succeeded").json()["results"]
    assert [run["id"] for run in found] == [done.pk]
    assert caller.get("runs", state="nonsense").status_code == 400
    assert caller.get("runs", q="nowhere").json()["results"] == []


def test_history_asks_as_much_for_many_as_for_one(
    api, alice, run_factory, django_assert_max_num_queries
):
    caller = api(alice)
    caller.get("runs")
    for _ in range(10):
        run_factory(alice)
    with django_assert_max_num_queries(8):
        assert len(caller.get("runs").json()["results"]) == 10


def test_pages_of_history_follow_each_other(api, alice, run_factory):
    made = [run_factory(alice).pk for _ in range(55)]
    caller = api(alice)
    first = caller.get("runs").json()
    second = caller.get("runs", before=first["next"]).json()
    seen = [run["id"] for run in first["results"] + second["results"]]
    assert seen == made[::-1]
    assert second["next"] is None


@pytest.mark.parametrize("number", ["²", "x", "-1", "", "9" * 5000])
def test_number_that_no_run_has_is_told_in_words(api, alice, root, run_factory, number):
    run = run_factory(alice)
    answers = [
        api(alice).get("runs", before=number),
        api(root).get("audit", before=number),
        api(alice).get(f"runs/{run.pk}/events", after=number),
    ]
    assert [answer.status_code for answer in answers] == [400] * 3
    pointers = [answer.json()["errors"][0]["pointer"] for answer in answers]
    assert pointers == ["/before", "/before", "/after"]


@pytest.mark.parametrize(
    ("rows", "words"), [("runs", "Select a valid choice."), ("tools", "Choose one of")]
)
def test_wrong_filter_is_told_in_words(api, alice, rows, words):
    answer = api(alice).get(rows, state="bogus")
    [fault] = answer.json()["errors"]
    assert answer.status_code == 400
    assert fault["pointer"] == "/state"
    assert fault["message"].startswith(words)
