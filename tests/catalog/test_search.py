"""Find tools by words, prefixes and with a typo; filters with counts; keyset pages."""

import pytest
from django.contrib.auth.models import Group

from catalog import search as module
from catalog.models import Source, Tool, touch
from catalog.search import Index, search

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_index(monkeypatch):
    """Test databases are rolled back: an index of an earlier test is not ours."""
    own = Index()
    monkeypatch.setattr(module, "index", own)
    yield
    own.db.close()


@pytest.fixture
def tools(tool_factory):
    tool_factory("send_invoice", description="Send a bill.", tags=["money"])
    tool_factory("mail", description="Send anything, an invoice too.")
    tool_factory(
        "archive",
        description="Put away papers.",
        parameters={
            "type": "object",
            "properties": {
                "paper": {"type": "string", "description": "an invoice or so"}
            },
        },
    )
    tool_factory("files-read_file", source="lye", dialect="lye", description="Reads.")


def names(results):
    return [hit.tool.name for hit in results.rows]


def test_names_come_before_descriptions_before_parameters(root, tools):
    found = search("invoice", user=root)
    assert names(found) == ["send_invoice", "mail", "archive"]
    assert [hit.where for hit in found.rows] == ["", "", "matches parameter paper"]


def test_every_word_must_match_somewhere(root, tools):
    assert names(search("invoice bill", user=root)) == ["send_invoice"]
    assert names(search("invoice zebra", user=root)) == []


def test_prefix_counts(root, tools):
    assert names(search("invo", user=root))[0] == "send_invoice"


@pytest.mark.parametrize("typo", ["invoise", "inovice", "invoic", "invoicee", "nvoice"])
def test_one_typo_is_forgiven_in_long_words(root, tools, typo):
    assert "send_invoice" in names(search(typo, user=root))


def test_typo_in_a_short_word_is_not(root, tools):
    assert names(search("bil", user=root)) == ["send_invoice"]  # a prefix
    assert names(search("bell", user=root)) == []


def test_parts_of_names_are_words(root, tools):
    assert names(search("read", user=root)) == ["files-read_file"]


@pytest.mark.parametrize(
    "q", ['"', "a OR", "NEAR(", "*", "col:x", "-", "'; drop", "(", "AND"]
)
def test_signs_of_the_query_language_are_only_signs(root, tools, q):
    search(q, user=root)


def test_filters_with_counts(root, tools):
    found = search("", user=root)
    assert dict(found.facets["source"]) == {"demo": 3, "lye": 1}
    assert dict(found.facets["dialect"]) == {"gaia": 3, "lye": 1}
    assert dict(found.facets["tag"]) == {"money": 1}
    found = search("", user=root, source="lye")
    assert names(found) == ["files-read_file"]
    # the other sources stay choosable, the other filters count what is left
    assert dict(found.facets["source"]) == {"demo": 3, "lye": 1}
    assert dict(found.facets["dialect"]) == {"lye": 1}


def test_change_of_a_tool_is_found_at_once(root, tools):
    search("invoice", user=root)
    tool = Tool.objects.get(name="mail")
    Tool.objects.filter(pk=tool.pk).update(enabled=False, revision=touch())
    assert names(search("", user=root, state="off")) == ["mail"]


def test_pages_follow_by_the_last_label(root, tools):
    first = search("", user=root, limit=2)
    second = search("", user=root, limit=2, after=first.next)
    assert names(first) + names(second) == [
        "archive",
        "mail",
        "send_invoice",
        "files-read_file",
    ]
    assert second.next is None


def test_people_find_only_what_they_may_use(alice, tools):
    group = Group.objects.create(name="money")
    Source.objects.get(name="lye").groups.add(group)
    assert names(search("read", user=alice)) == []
    alice.groups.add(group)
    assert names(search("read", user=alice)) == ["files-read_file"]
