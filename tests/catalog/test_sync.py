"""New, changed, gone, back: one transaction per source, only changed rows written."""

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.hosts import Listing
from catalog.models import ContractVersion, Source, Tool
from catalog.sources import SourceConfig
from catalog.sync import failed, remove_missing, sync

pytestmark = pytest.mark.django_db

DEMO = SourceConfig(name="demo", tools=("demo",))


def declared(name="add", description="Add.", **more):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return {
        "name": name,
        "dialect": "function",
        "description": description,
        "parameters": schema,
        "reference": "demo",
        "hash": "h1",
        **more,
    }


def bring(*tools, config=DEMO):
    return sync(config, Listing(tools=list(tools)))


def test_first_sync_makes_tools_with_version_one():
    report = bring(declared("add"), declared("sub"))
    assert report.new == ["add", "sub"]
    tool = Tool.objects.get(name="add")
    assert (tool.state, tool.contract.number, tool.label) == ("present", 1, "demo/add")


def test_same_listing_again_writes_no_tool():
    bring(declared())
    with CaptureQueriesContext(
        connection,
    ) as queries:
        report = bring(declared())
    assert not report.moved()
    written = [q["sql"] for q in queries if q["sql"].startswith(("UPDATE", "INSERT"))]
    assert all("catalog_source" in sql for sql in written), written


def test_a_then_b_then_a_again_makes_three_versions():
    for text in ("A", "B", "A"):
        report = bring(declared(description=text))
    assert report.changed == ["add"]
    assert [v.number for v in ContractVersion.objects.order_by("number")] == [1, 2, 3]
    assert Tool.objects.get().contract.number == 3


def test_raw_notes_and_hash_lie_outside_the_versions():
    bring(declared())
    report = bring(declared(hash="h2", raw={"x": 1}, warnings=["careful"]))
    assert not report.moved()
    version = ContractVersion.objects.get()
    assert (version.declared_hash, version.raw) == ("h2", {"x": 1})
    assert "careful" in version.warnings


def test_tool_that_vanished_is_gone_and_comes_back_the_same():
    bring(declared())
    first = Tool.objects.get()
    assert bring().gone == ["add"]
    first.refresh_from_db()
    assert first.state == "gone"
    assert first.contract is not None
    assert bring(declared()).back == ["add"]
    assert Tool.objects.get().pk == first.pk
    assert Tool.objects.get().state == "present"


def test_switch_survives_a_change_and_an_absence():
    bring(declared())
    Tool.objects.update(enabled=False, reason="broken")
    bring()
    bring(declared(description="other"))
    tool = Tool.objects.get()
    assert (tool.enabled, tool.reason) == (False, "broken")


def test_unusable_tool_is_listed_with_its_reason():
    report = bring(declared(unusable="needs an object"))
    tool = Tool.objects.get()
    assert (tool.state, tool.why) == ("unusable", "needs an object")
    assert report.unusable == ["add"]


@pytest.mark.parametrize("name", ["a//b", "../x", "a/.", "x/switch", "x/runs"])
def test_name_that_no_address_can_hold_is_unusable(name):
    bring(declared(name))
    assert Tool.objects.get().state == "unusable"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n" * 400, "400 characters, 300 are the most"),
        ("bad\ud800", "'bad\\ud800' is not listed"),
        ("bad\0", "'bad\\x00' is not listed"),
    ],
)
def test_tool_whose_name_cannot_be_kept_is_one_line_and_the_others_go_on(name, said):
    report = bring(declared(name), declared("fine"))
    assert (report.new, report.total) == (["fine"], 1)
    source = Source.objects.get()
    assert source.error == ""
    (problem,) = source.problems
    assert problem["reference"] == "demo"
    assert said in problem["reason"]


def test_name_of_300_characters_is_kept():
    assert bring(declared("n" * 300)).new == ["n" * 300]


def test_odd_characters_in_what_a_host_says_are_kept_by_number():
    odd = "half \ud800 and \0"
    listing = Listing(
        tools=[declared(unusable=odd, reference=odd)],
        problems=[{"reference": "demo", "reason": odd}],
        threads=[odd],
    )
    for _ in range(2):
        sync(DEMO, listing)
    tool, source = Tool.objects.get(), Source.objects.get()
    even = "half \\ud800 and \\x00"
    assert (tool.why, tool.reference) == (even, even)
    assert source.problems == [{"reference": "demo", "reason": even}]
    assert source.report["threads"] == [even]


def test_name_with_slash_hyphen_and_space_is_fine():
    bring(declared("weird name/with-slash"))
    assert Tool.objects.get().state == "present"


def test_two_sources_may_hold_one_name():
    bring(declared())
    bring(declared(), config=SourceConfig(name="other", tools=("x",)))
    assert {t.label for t in Tool.objects.all()} == {"demo/add", "other/add"}


def test_source_no_longer_in_the_file_has_its_tools_gone():
    bring(declared())
    remove_missing(set())
    tool = Tool.objects.get()
    assert (tool.state, tool.why) == (
        "gone",
        "Its source is no longer in the sources file.",
    )


def test_failed_source_keeps_its_tools_and_says_why():
    bring(declared())
    failed("demo", "its host ended at once")
    assert Source.objects.get().error == "its host ended at once"
    assert Tool.objects.get().state == "present"
    bring(declared())
    assert Source.objects.get().error == ""


def test_source_whose_very_name_is_wrong_is_told_as_well():
    failed("s" * 70 + "\0", "half \ud800")
    source = Source.objects.get()
    assert (source.name, source.error) == ("s" * 60, "half \\ud800")


@pytest.mark.django_db(transaction=True)
def test_several_workers_may_sync_a_source_at_once():
    faults = []

    def work():
        try:
            bring(*(declared(f"t{n}") for n in range(30)))
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert Tool.objects.count() == 30
    assert ContractVersion.objects.count() == 30
