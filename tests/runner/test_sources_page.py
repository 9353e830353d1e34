"""The sources' page: what was found, what failed and why, who serves."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from catalog import sync
from catalog.models import Source, Tool
from runner.models import Worker


@pytest.fixture
def text(client, alice):
    client.force_login(alice)
    return lambda: client.get("/sources/").text


def test_counts_tools_by_what_can_be_done_with_them(text, tool_factory):
    tool_factory("one")
    tool_factory("two")
    Tool.objects.filter(name="two").update(enabled=False)
    Tool.objects.filter(pk=tool_factory("three").pk).update(state="unusable")
    page = text()
    assert "2 to use" in page
    assert "1 of them off" in page
    assert "1 that cannot be called" in page


def test_says_in_one_line_why_a_source_failed(text, tool_factory):
    tool_factory("one")
    sync.failed("demo", "the host did not come up within 60 s")
    assert "did not come up within 60 s" in text()


def test_names_each_reference_that_failed(text, tool_factory):
    tool_factory("one")
    problem = {"reference": "my.tools", "reason": "No module named 'pandas'"}
    Source.objects.update(problems=[problem], report={"threads": ["spinner"]})
    page = text()
    assert "No module named" in page
    assert "spinner" in page
    assert "isolation" in page


def test_hides_a_source_of_another_group(text, tool_factory):
    tool_factory("secret", source="closed")
    Source.objects.get().groups.add(Group.objects.create(name="few"))
    assert "closed" not in text()


def test_tells_a_worker_that_is_here_from_one_that_is_away(text, tool_factory):
    Worker.objects.create(name="a", machine="here", pid=1, queues=["default"])
    old = Worker.objects.create(name="b", machine="gone", pid=2, queues=[])
    Worker.objects.filter(pk=old.pk).update(seen_at=timezone.now() - timedelta(60))
    page = text()
    assert page.index("<td>gone<br>") < page.index(">Away<")
    assert page.index("<td>here<br>") < page.index(">Here<")


def test_names_hosts_of_sources_that_one_may_see_only(text, tool_factory):
    tool_factory("one")
    hosts = [{"source": name, "pid": 1, "up": True} for name in ("demo", "hidden-one")]
    Worker.objects.create(name="a", machine="m", pid=1, queues=[], hosts=hosts)
    page = text()
    assert "demo" in page
    assert "hidden-one" not in page


def test_says_that_no_worker_is_here(text, db):
    assert "No worker is here" in text()
