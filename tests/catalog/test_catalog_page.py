"""The catalog: search, filters, pages, what may be seen."""

import pytest
from django.contrib.auth.models import Group

from catalog import search
from catalog.models import Source, Tool


@pytest.fixture(autouse=True)
def own_index(monkeypatch):
    """Test databases are rolled back: an index of an earlier test is not ours."""
    own = search.Index()
    monkeypatch.setattr(search, "index", own)
    yield
    own.db.close()


@pytest.fixture
def page(client, alice):
    client.force_login(alice)

    def get(**query):
        return client.get("/", query)

    return get


def test_asks_strangers_to_sign_in(client, db):
    answer = client.get("/")
    assert answer.status_code == 302
    assert answer["Location"] == "/login/?next=/"


def test_shows_a_tool_with_its_summary_dialect_and_tags(page, tool_factory):
    tool_factory(
        "resize", description="Resize one picture.", tags=["images"], timeout=120
    )
    text = page().text
    assert "Resize one picture." in text
    assert 'href="/tools/demo/resize/"' in text
    assert ">images<" in text
    assert "2 min" in text


def test_says_no_description_rather_than_none(page, tool_factory):
    tool_factory("bare")
    text = page().text
    assert "No description" in text
    assert "None" not in text


def test_says_which_parameter_a_word_was_found_in(page, tool_factory):
    schema = {
        "type": "object",
        "properties": {"number": {"type": "string", "description": "Of the invoice"}},
    }
    tool_factory("find", parameters=schema)
    tool_factory("other")
    answer = page(q="invoice")
    assert "matches parameter number" in answer.text
    assert "demo/other" not in answer.text


def test_shows_markup_in_a_description_as_text(page, tool_factory):
    tool_factory("odd", description="<script>window.hit=1</script> &lt; <class 'int'>")
    text = page().text
    assert "<script>window.hit" not in text
    assert "&lt;script&gt;window.hit=1&lt;/script&gt; &amp;lt;" in text


def test_shows_half_a_surrogate_pair_by_its_number(page, tool_factory):
    tool_factory("broken", description="half \ud800 pair")
    assert "half \\ud800 pair" in page().text


def test_filters_by_tag_and_keeps_the_way_back(page, tool_factory):
    tool_factory("one", tags=["red"])
    tool_factory("two", tags=["blue"])
    answer = page(tag="red")
    assert 'data-tool="demo/one"' in answer.text
    assert 'data-tool="demo/two"' not in answer.text
    assert 'href="/" hx-get="/"' in answer.text.replace("\n", "")


def test_shows_a_tool_that_is_off_as_off(page, tool_factory):
    tool = tool_factory("one")
    Tool.objects.filter(pk=tool.pk).update(enabled=False, revision=tool.revision)
    assert "tool-off" in page().text


def test_answers_htmx_with_the_results_alone(client, alice, tool_factory):
    client.force_login(alice)
    tool_factory("one")
    answer = client.get("/", headers={"HX-Request": "true"})
    assert answer.text.lstrip().startswith('<div id="results"')
    assert "HX-Request" in answer["Vary"]


def test_leads_on_by_the_last_row_of_a_page(page, tool_factory):
    for number in range(61):
        tool_factory(f"tool_{number:02}")
    first = page()
    assert "tool_59" in first.text
    assert "tool_60" not in first.text
    assert "after=demo%2Ftool_59" in first.text
    assert "tool_60" in page(after="demo/tool_59").text


def test_hides_a_source_of_another_group(page, tool_factory):
    tool_factory("secret", source="closed")
    Source.objects.get(name="closed").groups.add(Group.objects.create(name="few"))
    assert "secret" not in page().text


def test_asks_the_database_no_more_for_ten_tools_than_for_one(
    page, tool_factory, django_assert_max_num_queries
):
    tool_factory("one")
    with django_assert_max_num_queries(9):
        page()
    for number in range(10):
        tool_factory(f"tool_{number}")
    page()
    with django_assert_max_num_queries(9):
        page()
