"""One message per fault, at the field; and a failed submit keeps everything."""

import re

import pytest

from .browsing import Visit
from .test_form_rows import SHIP
from .test_form_unions import SEND

LOGIN = {
    "type": "object",
    "required": ["name", "key"],
    "properties": {
        "name": {"type": "string"},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "options": {"type": "object"},
        "key": {"type": "string", "format": "password", "writeOnly": True},
    },
}
HALF = '{"depth": 2,'
HTML = (
    '<img src=x onerror="window.hit=1"><b>bold</b> '
    "<class 'int'> &lt; </script></textarea>"
)


@pytest.fixture
def bad_line():
    lines = [{"sku": "x"}, {"sku": "y", "qty": 2}]
    visit = Visit(
        SHIP, {"bill": {"street": "a"}, "drop": {"street": "b"}, "lines": lines}
    )
    visit.at("arg:/lines/1/qty", "0").submit()
    return visit


def test_a_fault_in_a_row_is_told_at_its_field_only(bad_line):
    assert bad_line.problems() == [("lines, row 2, qty", "must be 1 or more")]
    (problem,) = bad_line.form.faults
    assert problem.pointer == "/lines/1/qty"
    assert bad_line.html.count("must be 1 or more") == 2  # the summary, and the field


def test_the_summary_links_to_the_field_and_the_cursor_is_there(bad_line):
    (problem,) = bad_line.form.faults
    assert f'href="#{problem.anchor}"' in bad_line.html
    (focused,) = re.findall(r'id="([^"]+)"[^>]* autofocus', bad_line.html)
    assert focused == problem.anchor


def test_the_fault_is_tied_to_its_control(bad_line):
    (problem,) = bad_line.form.faults
    control = re.search(rf'<input[^>]*id="{problem.anchor}"[^>]*>', bad_line.html)
    assert 'aria-invalid="true"' in control[0]
    described = re.search(r'aria-describedby="([^"]*)"', control[0])[1].split()
    assert f"{problem.anchor}-fault" in described
    assert f'id="{problem.anchor}-fault"' in bad_line.html


def test_a_fault_in_a_variant_says_nothing_of_the_others():
    visit = Visit(SEND).at("pick:/target", "1")
    visit.press("pick:/target")
    visit.submit()
    assert visit.problems() == [("target, href", "required")]
    assert visit.form.faults[0].pointer == "/target/href"


def test_a_folded_group_opens_on_its_fault():
    visit = Visit(SHIP).at("arg:/bill/street", "a").at("arg:/drop/street", "b")
    assert "<details" in visit.html
    assert "open><summary" not in visit.html
    visit.at("how:/tree", "value").submit()
    assert visit.problems() == [("tree, name", "required")]
    assert "open><summary" in visit.html


def test_several_faults_are_told_in_the_order_of_the_form():
    visit = Visit(LOGIN)
    visit.press("add:/sizes")
    visit.at("arg:/sizes/0", "x").at("arg:/options", HALF).submit()
    assert [label for label, _ in visit.problems()] == [
        "name",
        "sizes, row 1",
        "options",
        "key",
    ]


def test_a_failed_submit_keeps_everything_three_times_over():
    visit = Visit(LOGIN).type(name=" n ", key="s3cr3t-4711")
    for index, size in enumerate(["3", "1", "2"]):
        visit.press("add:/sizes")
        visit.at(f"arg:/sizes/{index}", size)
    visit.at("arg:/options", HALF)
    for _ in range(3):
        visit.type(key="s3cr3t-4711").submit()
        assert visit.value("arg:/options") == HALF
        assert [visit.value(f"arg:/sizes/{i}") for i in range(3)] == ["3", "1", "2"]
        assert visit.value("arg:/name") == " n "
        words = (
            "is not JSON yet: line 1, column 13: a name in double quotes is expected"
        )
        assert visit.problems() == [("options", f"{words} here")]
        assert "s3cr3t" not in visit.html
        assert "Type it again" in visit.html


def test_a_secret_is_read_but_never_shown():
    visit = Visit(LOGIN, {"name": "n", "key": "s3cr3t-4711"})
    assert "s3cr3t" not in visit.html
    visit.type(key="s3cr3t-4711")
    assert visit.submit().arguments == {"name": "n", "key": "s3cr3t-4711"}
    assert "s3cr3t" not in visit.html
    visit.type(key="s3cr3t-4711").press("json")
    assert "s3cr3t" not in visit.html


def test_a_secret_in_a_variant_left_behind_is_not_kept_in_the_page():
    secret = {"properties": {"pin": {"type": "string", "format": "password"}}}
    other = {"properties": {"name": {"type": "string"}}}
    union = {"anyOf": [{"type": "object", **secret}, {"type": "object", **other}]}
    visit = Visit({"properties": {"x": union}})
    visit.at("arg:/x/pin", "s3cr3t").at("pick:/x", "1").press("pick:/x")
    assert "s3cr3t" not in visit.html


@pytest.mark.parametrize("name", ["name", "title", "description", "default", "enum"])
def test_markup_of_a_tool_is_shown_as_text(name):
    field = {
        "name": {HTML: {"type": "string"}},
        "title": {"x": {"type": "string", "title": HTML}},
        "description": {"x": {"type": "string", "description": HTML}},
        "default": {"x": {"type": "string", "default": HTML}},
        "enum": {"x": {"enum": [HTML, "b"]}},
    }[name]
    visit = Visit({"properties": field})
    assert "<img" not in visit.html
    assert "<b>" not in visit.html
    assert "&lt;img src=x onerror=" in visit.html
    assert "&amp;lt;" in visit.html


def test_line_breaks_of_a_description_are_kept():
    text = "First\n\n- one\n- two"
    field = {"type": "string", "description": text}
    assert text in Visit({"properties": {"x": field}}).html


def test_every_control_has_a_label():
    visit = Visit(SHIP, {"lines": [{"sku": "a"}], "tree": {"name": "n"}})
    labelled = set(re.findall(r'<label[^>]* for="([^"]+)"', visit.html))
    for tag in re.findall(r"<(?:input|select|textarea)[^>]*>", visit.html):
        if 'type="hidden"' in tag or "aria-label" in tag or 'type="checkbox"' in tag:
            continue
        assert re.search(r' id="([^"]+)"', tag)[1] in labelled


def test_ids_are_given_once():
    visit = Visit(SEND, {"target": {"kind": "file", "path": "p"}})
    ids = re.findall(r' id="([^"]+)"', visit.html)
    assert len(ids) == len(set(ids))


def test_nothing_inline_is_in_the_form(bad_line):
    assert not re.search(r"<script|<style| style=| on\w+=", bad_line.html)


def test_enter_starts_and_does_not_remove_a_row(bad_line):
    first = re.search(r"<button[^>]*>", bad_line.html)[0]
    assert "name=" not in first
