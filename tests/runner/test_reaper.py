"""Rings again for the unclaimed; loses runs only of workers seen silent twice."""

from datetime import timedelta

import pytest
import redis
from django.conf import settings
from django.db.models import F
from django.utils import timezone

from runner import reaper
from runner.models import Run, StartKey, State, Worker
from runner.worker import Workplace

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker():
    return Worker.objects.create(name="w", machine="m", pid=1)


def silence(worker, seconds=60):
    Worker.objects.filter(pk=worker.pk).update(
        seen_at=timezone.now() - timedelta(seconds=seconds)
    )


def let_a_beat_pass():
    """Set the reaper's doubts back, as if it had doubted a beat earlier."""
    beat = timedelta(seconds=settings.WORKER_BEAT)
    for doubted in Worker.objects.exclude(doubted_at=None):
        doubted.doubted_at -= beat
        doubted.save(update_fields=["doubted_at"])


def claimed(run_factory, user, worker, state=State.RUNNING):
    run = run_factory(user, state=state)
    Run.objects.filter(pk=run.pk).update(worker=worker)
    return run


def waiting_messages():
    return redis.Redis.from_url(settings.REDIS_URL).llen("pegboard.default")


def test_run_nobody_claimed_is_rung_again(alice, run_factory):
    redis.Redis.from_url(settings.REDIS_URL).delete("pegboard.default")
    run_factory(alice)
    before = waiting_messages()
    assert reaper.ring_again(timezone.now()) == 0
    assert reaper.ring_again(timezone.now() + timedelta(seconds=6)) == 1
    assert waiting_messages() == before + 1


def test_a_long_line_is_not_rung_for_more_often_than_it_has_runs(alice, run_factory):
    for _ in range(5):
        run_factory(alice)
    before = waiting_messages()
    for seconds in range(6, 60, 6):
        reaper.ring_again(timezone.now() + timedelta(seconds=seconds))
    assert waiting_messages() == max(before, 5)
    redis.Redis.from_url(settings.REDIS_URL).delete("pegboard.default")
    later = timezone.now() + timedelta(seconds=90)
    assert reaper.ring_again(later) == 5, "rung again once the broker lost them"


@pytest.mark.parametrize("state", [State.RUNNING, State.CANCELLING])
def test_runs_of_a_worker_silent_at_two_looks_are_lost(
    alice, run_factory, worker, state
):
    run = claimed(run_factory, alice, worker, State.RUNNING)
    Run.objects.filter(pk=run.pk).update(state=state)
    silence(worker)
    reaper.reap()
    run.refresh_from_db()
    assert run.state == state, "one look is not enough"
    let_a_beat_pass()
    reaper.reap()
    run.refresh_from_db()
    assert (run.state, "unknown" in run.reason) == (State.LOST, True)
    assert not Worker.objects.exists()


def test_looks_at_once_count_as_one(alice, run_factory, worker):
    """Messages pile up while the database is away, and then come all together."""
    run = claimed(run_factory, alice, worker)
    silence(worker)
    for _ in range(5):
        reaper.reap()
    run.refresh_from_db()
    assert run.state == State.RUNNING


def test_looks_at_once_do_not_put_off_the_one_that_counts(alice, run_factory, worker):
    run = claimed(run_factory, alice, worker)
    silence(worker)
    for _ in range(2):
        reaper.reap()
        let_a_beat_pass()
    reaper.reap()
    run.refresh_from_db()
    assert run.state == State.LOST


def test_worker_that_was_seen_between_the_looks_keeps_its_runs(
    alice, run_factory, worker
):
    run = claimed(run_factory, alice, worker)
    silence(worker, 60)
    reaper.reap()
    let_a_beat_pass()
    place = Workplace(["default"], 1)
    place.row = worker
    place.beat()
    silence(worker, 30)  # late again
    reaper.reap()
    run.refresh_from_db()
    assert run.state == State.RUNNING


def test_doubt_of_a_worker_that_was_seen_since_is_a_first_look(
    alice, run_factory, worker
):
    run = claimed(run_factory, alice, worker)
    silence(worker, 30)
    Worker.objects.update(doubted_at=F("seen_at"))
    reaper.reap()
    run.refresh_from_db()
    assert run.state == State.RUNNING
    let_a_beat_pass()
    reaper.reap()
    run.refresh_from_db()
    assert run.state == State.LOST


def test_rounds_that_nobody_came_to_do_not_pile_up():
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert entry["schedule"] <= entry["options"]["expires"]


def test_live_worker_keeps_its_runs(alice, run_factory, worker):
    run = claimed(run_factory, alice, worker)
    for _ in range(3):
        reaper.reap()
    run.refresh_from_db()
    assert run.state == State.RUNNING


def test_run_whose_workers_row_is_gone_is_lost(alice, run_factory):
    run = claimed(run_factory, alice, None)
    reaper.reap()
    run.refresh_from_db()
    assert run.state == State.LOST


def test_old_keys_go_and_young_ones_stay(alice):
    for key, hours in (("old", 25), ("young", 1)):
        StartKey.objects.create(user=alice, key=key, body_hash="x")
        StartKey.objects.filter(key=key).update(
            at=timezone.now() - timedelta(hours=hours)
        )
    reaper.tidy()
    assert [k.key for k in StartKey.objects.all()] == ["young"]


def test_pruned_run_keeps_who_what_when_and_how_it_ended(alice, run_factory):
    run = run_factory(alice, state=State.SUCCEEDED, outcome={"value": 3})
    reaper.tidy(timezone.now() + timedelta(days=settings.RETENTION_DAYS + 1))
    run.refresh_from_db()
    assert run.pruned_at is not None
    assert (run.outcome, run.user_name, run.state) == (
        {"value": 3},
        "alice",
        "succeeded",
    )
