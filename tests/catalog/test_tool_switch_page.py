"""Switching a tool off and on from its page."""

import pytest

from catalog.models import AuditEntry, Tool


@pytest.fixture
def tool(tool_factory):
    return tool_factory("add")


def switch(client, user, **data):
    client.force_login(user)
    return client.post("/tools/demo/add/switch/", data)


def test_an_admin_switches_a_tool_off_with_a_reason(client, root, tool):
    answer = switch(client, root, enabled="false", reason="moving house")
    assert answer["Location"] == "/tools/demo/add/"
    tool.refresh_from_db()
    assert (tool.enabled, tool.reason) == (False, "moving house")
    entry = AuditEntry.objects.get()
    assert (entry.actor_name, entry.label, entry.reason, entry.door) == (
        "root",
        "demo/add",
        "moving house",
        "page",
    )


def test_others_may_not_switch(client, alice, tool):
    answer = switch(client, alice, enabled="false", reason="for fun")
    assert answer.status_code == 403
    assert Tool.objects.get().enabled
    assert not AuditEntry.objects.exists()


def test_nothing_is_switched_without_a_reason(client, root, tool):
    switch(client, root, enabled="false", reason="  ")
    assert Tool.objects.get().enabled
    assert not AuditEntry.objects.exists()


def test_switching_twice_writes_one_entry(client, root, tool):
    switch(client, root, enabled="false", reason="moving house")
    switch(client, root, enabled="false", reason="again")
    assert AuditEntry.objects.count() == 1


def test_a_tool_that_is_not_there_is_404(client, root, tool):
    client.force_login(root)
    data = {"enabled": "false", "reason": "x"}
    assert client.post("/tools/demo/none/switch/", data).status_code == 404
