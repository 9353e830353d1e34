"""The audit page: staff only, newest first, found by words."""

import pytest

from catalog import audit


@pytest.fixture
def entries(root, tool_factory):
    tool = tool_factory("add")

    def write(verb, reason, count=1):
        for _ in range(count):
            audit.append(
                actor=root, verb=verb, of=tool, label=tool.label,
                before={"enabled": True}, after={"enabled": False}, reason=reason,
            )  # fmt: skip

    return write


def test_shows_who_what_when_and_why(client, root, entries):
    entries("switched off", "moving house")
    client.force_login(root)
    text = client.get("/audit/").text
    assert "moving house" in text
    assert "switched off" in text
    assert "<code>true</code> → <code>false</code>" in text


def test_is_closed_to_others(client, alice, entries):
    entries("switched off", "moving house")
    client.force_login(alice)
    answer = client.get("/audit/")
    assert answer.status_code == 403
    assert "moving house" not in answer.text


def test_finds_entries_by_every_word(client, root, entries):
    entries("switched off", "moving house")
    entries("switched on", "at home")
    client.force_login(root)
    text = client.get("/audit/", {"q": "switched moving"}).text
    assert "moving house" in text
    assert "at home" not in text


def test_leads_on_to_older_entries(client, root, entries):
    entries("switched off", "the oldest")
    entries("switched on", "newer", count=60)
    client.force_login(root)
    first = client.get("/audit/")
    assert "the oldest" not in first.text
    assert "the oldest" in client.get(first.context["next_url"]).text
