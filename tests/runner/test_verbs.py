"""Start, cancel, confirm, switch: it works, a stranger cannot, once is enough."""

import pytest
import redis
from django.conf import settings
from django.core.exceptions import PermissionDenied

from catalog.actions import ReasonMissing, switch_tool
from catalog.errors import ToolUnavailable, WrongState
from catalog.models import AuditEntry
from runner import actions
from runner.models import Run, State

pytestmark = pytest.mark.django_db(transaction=True)

ADD = {"a": 1, "b": 2}
DELETE = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "confirm": {"type": "boolean", "default": False},
    },
    "required": ["path"],
}


def start(tool, by, **more):
    return actions.start_run(tool=tool, by=by, arguments=ADD, door="page", **more)


def waiting_messages():
    return redis.Redis.from_url(settings.REDIS_URL).llen("pegboard.default")


def test_start_stores_the_run_and_rings_the_queue(alice, tool_factory):
    before = waiting_messages()
    run = start(tool_factory(), alice)
    assert (run.state, run.user_name, run.tool_name) == ("queued", "alice", "add")
    assert [event.kind for event in run.events.all()] == ["status"]
    assert waiting_messages() == before + 1


def test_stranger_cannot_cancel(alice, bob, run_factory):
    run = run_factory(alice)
    with pytest.raises(PermissionDenied):
        actions.cancel_run(run=run, by=bob, door="api")
    run.refresh_from_db()
    assert run.state == State.QUEUED


def test_staff_may_cancel_and_it_is_audited(alice, root, run_factory):
    run = run_factory(alice, state=State.RUNNING)
    assert actions.cancel_run(run=run, by=root, door="api")
    assert AuditEntry.objects.get().verb == "cancelled"


@pytest.mark.parametrize("state", ["cancelling", "succeeded", "cancelled", "lost"])
def test_cancel_of_what_has_ended_changes_nothing(alice, run_factory, state):
    run = run_factory(alice, state=State(state))
    seq = run.last_seq
    assert not actions.cancel_run(run=run, by=alice, door="api")
    run.refresh_from_db()
    assert (run.state, run.last_seq) == (state, seq)


def preview(run_factory, user, tool_factory):
    tool = tool_factory("delete", parameters=DELETE)
    return run_factory(
        user, tool, State.SUCCEEDED, arguments={"path": "x"}, shade="preview"
    )


def test_confirm_starts_the_same_arguments_with_confirm(
    alice, run_factory, tool_factory
):
    run = preview(run_factory, alice, tool_factory)
    started = actions.confirm_run(run=run, by=alice, door="page")
    assert started.arguments == {"path": "x", "confirm": True}
    assert (started.origin, started.contract) == (run, run.contract)
    assert actions.confirm_run(run=run, by=alice, door="page") == started
    assert Run.objects.count() == 2


def test_only_the_person_of_the_preview_confirms(
    alice, root, run_factory, tool_factory
):
    run = preview(run_factory, alice, tool_factory)
    with pytest.raises(WrongState):
        actions.confirm_run(run=run, by=root, door="page")
    assert Run.objects.count() == 1


def test_what_is_no_preview_cannot_be_confirmed(alice, run_factory):
    run = run_factory(alice, state=State.SUCCEEDED)
    with pytest.raises(WrongState):
        actions.confirm_run(run=run, by=alice, door="page")


def test_preview_of_an_older_contract_cannot_be_confirmed(
    alice, run_factory, tool_factory
):
    run = preview(run_factory, alice, tool_factory)
    tool = run.contract.tool
    newer = run.contract
    newer.pk, newer.number = None, 2
    newer.save()
    tool.contract = newer
    tool.save()
    with pytest.raises(ToolUnavailable):
        actions.confirm_run(run=Run.objects.get(pk=run.pk), by=alice, door="page")


def test_switching_off_refuses_the_queued_and_leaves_the_running(
    alice, root, run_factory, tool_factory
):
    tool = tool_factory()
    running = run_factory(alice, tool, State.RUNNING)
    queued = [run_factory(alice, tool) for _ in range(2)]
    assert switch_tool(tool=tool, by=root, enabled=False, reason="broken", door="page")
    running.refresh_from_db()
    assert running.state == State.RUNNING
    for run in queued:
        run.refresh_from_db()
        assert run.state == State.REFUSED
        assert run.reason == "not started: tool switched off by root: broken"
    switch_tool(tool=tool, by=root, enabled=True, reason="", door="page")
    assert Run.objects.filter(state="refused").count() == 2


def test_each_switch_is_one_audit_entry(root, tool_factory):
    tool = tool_factory()
    for enabled in (False, False, True):
        switch_tool(tool=tool, by=root, enabled=enabled, reason="why", door="admin")
    entries = AuditEntry.objects.order_by("pk")
    assert [(e.verb, e.before, e.after, e.reason, e.door) for e in entries] == [
        ("switched off", {"enabled": True}, {"enabled": False}, "why", "admin"),
        ("switched on", {"enabled": False}, {"enabled": True}, "why", "admin"),
    ]
    assert entries[0].actor_name == "root"


def test_switch_needs_an_admin_and_a_reason(alice, root, tool_factory):
    tool = tool_factory()
    with pytest.raises(PermissionDenied):
        switch_tool(tool=tool, by=alice, enabled=False, reason="x", door="page")
    with pytest.raises(ReasonMissing):
        switch_tool(tool=tool, by=root, enabled=False, reason="  ", door="page")
    tool.refresh_from_db()
    assert tool.enabled
    assert not AuditEntry.objects.exists()


def test_history_outlives_the_user(alice, run_factory):
    run = run_factory(alice)
    alice.delete()
    run.refresh_from_db()
    assert (run.user, run.user_name) == (None, "alice")
