"""Django's admin: switches go through the action, history is read only."""

import pytest

from catalog.account import create_token
from catalog.models import ApiToken, AuditEntry, Tool


@pytest.fixture
def admin(client, root):
    client.force_login(root)
    return client


@pytest.fixture
def tool(tool_factory):
    return tool_factory("add")


def edit(admin, tool, **data):
    return admin.post(
        f"/admin/catalog/tool/{tool.pk}/change/",
        {"timeout": "", "max_concurrent": "", "reason": "", **data},
    )


def test_an_edit_switches_with_one_audit_entry(admin, tool):
    assert edit(admin, tool, reason="moving house").status_code == 302
    tool.refresh_from_db()
    assert (tool.enabled, tool.reason) == (False, "moving house")
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.door) == ("switched off", "admin")


def test_an_edit_without_a_reason_is_refused(admin, tool):
    answer = edit(admin, tool)
    assert "Say why" in answer.text
    assert Tool.objects.get().enabled


def test_a_bulk_action_switches_each_with_an_entry(admin, tool, tool_factory):
    other = tool_factory("sub")
    admin.post(
        "/admin/catalog/tool/",
        {
            "action": "switch_off",
            "reason": "moving house",
            "_selected_action": [tool.pk, other.pk],
        },
    )
    assert not Tool.objects.filter(enabled=True).exists()
    assert AuditEntry.objects.filter(door="admin", reason="moving house").count() == 2


def test_a_bulk_action_without_a_reason_is_refused(admin, tool):
    data = {"action": "switch_off", "reason": "", "_selected_action": [tool.pk]}
    answer = admin.post("/admin/catalog/tool/", data, follow=True)
    assert "Say why" in answer.text
    assert Tool.objects.get().enabled


def test_a_limit_is_kept_with_an_audit_entry(admin, tool):
    edit(admin, tool, enabled="on", timeout="5")
    assert Tool.objects.get().timeout == 5
    assert AuditEntry.objects.get().after == {"timeout": 5.0}


def test_a_limit_of_zero_is_refused(admin, tool):
    assert edit(admin, tool, enabled="on", timeout="0").status_code == 200
    assert Tool.objects.get().timeout is None


def test_a_source_is_switched_off_with_an_entry(admin, tool):
    admin.post(f"/admin/catalog/source/{tool.source_id}/change/", {})
    tool.source.refresh_from_db()
    assert not tool.source.enabled
    assert AuditEntry.objects.get().after == {"enabled": False}


@pytest.mark.parametrize(
    "path",
    [
        *("catalog/tool", "catalog/source", "catalog/contractversion", "runner/run"),
        *("catalog/auditentry", "catalog/apitoken", "runner/event", "runner/artifact"),
        *("runner/worker", "runner/savedarguments", "auth/user"),
    ],
)
def test_every_list_opens(admin, tool, run_factory, root, path):
    run_factory(root, tool)
    assert admin.get(f"/admin/{path}/").status_code == 200


def test_a_run_can_only_be_read(admin, run_factory, root):
    run = run_factory(root, state="succeeded", outcome={"value": 3})
    page = f"/admin/runner/run/{run.pk}/change/"
    assert admin.get(page).status_code == 200
    assert admin.post(page, {"state": "failed"}).status_code == 403
    delete = f"/admin/runner/run/{run.pk}/delete/"
    assert admin.post(delete, {"post": "yes"}).status_code == 403
    run.refresh_from_db()
    assert run.state == "succeeded"


def test_a_tokens_digest_is_nowhere(admin, root):
    create_token(by=root, name="laptop", scopes=["read"], days=1, door="page")
    text = admin.get("/admin/catalog/apitoken/").text
    assert "laptop" in text
    assert ApiToken.objects.get().digest not in text
