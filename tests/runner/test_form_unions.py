"""Switching between the variants of a union; the one picked is the one sent."""

import pytest

from .browsing import Visit

SEND = {
    "type": "object",
    "required": ["target"],
    "properties": {
        "target": {
            "discriminator": {"propertyName": "kind"},
            "oneOf": [{"$ref": "#/$defs/ToFile"}, {"$ref": "#/$defs/ToUrl"}],
        },
        "retries": {"anyOf": [{"type": "integer"}, {"const": "never"}], "default": 1},
    },
    "$defs": {
        "ToFile": {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "path"],
            "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
        },
        "ToUrl": {
            "type": "object",
            "additionalProperties": False,
            "required": ["kind", "href"],
            "properties": {"kind": {"const": "url"}, "href": {"type": "string"}},
        },
    },
}
URL = {"kind": "url", "href": "https://example.org"}


def switched(visit, place):
    visit.at("pick:/target", place)
    visit.press("pick:/target")
    return visit


@pytest.fixture
def send():
    return Visit(SEND).at("arg:/target/path", "out/x")


def test_only_the_variant_picked_is_sent(send):
    switched(send, "1").at("arg:/target/href", URL["href"])
    assert send.submit().arguments == {"target": URL}


def test_fields_of_the_variant_left_behind_are_not_believed(send):
    switched(send, "1").at("arg:/target/href", URL["href"])
    post = send.page.post() | {"arg:/target/path": "old", "arg:/target/kind": "file"}
    assert send._read(post).arguments == {"target": URL}


def test_what_was_typed_in_a_variant_comes_back_with_it(send):
    switched(send, "1").at("arg:/target/href", "h")
    switched(send, "0")
    assert send.value("arg:/target/path") == "out/x"
    switched(send, "1")
    assert send.value("arg:/target/href") == "h"


def test_the_choice_stays_after_an_error(send):
    switched(send, "1")
    send.submit()
    assert send.problems() == [("target, href", "required")]
    assert send.value("pick:/target") == "1"


def test_picking_without_switching_shows_the_other_fields_first(send):
    send.at("pick:/target", "1")
    form = send.submit()
    assert form.action == "pick:/target"
    assert not form.is_valid
    send.at("arg:/target/href", URL["href"])
    assert send.submit().arguments == {"target": URL}


def test_running_again_shows_the_variant_that_was_chosen():
    visit = Visit(SEND, {"target": URL, "retries": "never"})
    assert visit.value("pick:/target") == "1"
    assert visit.submit().arguments == {"target": URL, "retries": "never"}


@pytest.mark.parametrize(("text", "value"), [("5", 5), ("never", "never")])
def test_plain_alternatives_are_one_field(send, text, value):
    send.type(retries=text)
    assert send.submit().arguments["retries"] == value


def test_what_is_no_alternative_is_told(send):
    send.type(retries="often")
    send.submit()
    assert send.problems() == [("retries", "must be a whole number or “never”")]


def test_a_post_without_a_chooser_says_what_it_means_by_its_tag():
    post = {"arg:/target/kind": "url", "arg:/target/href": URL["href"]}
    assert Visit(SEND)._read(post).arguments == {"target": URL}


def test_a_variant_is_remembered_in_a_row_that_moves():
    rows = {"type": "array", "items": SEND["properties"]["target"]}
    visit = Visit({"properties": {"rows": rows}, "$defs": SEND["$defs"]})
    visit.press("add:/rows")
    visit.at("arg:/rows/0/path", "p").at("pick:/rows/0", "1").press("pick:/rows/0")
    visit.press("add:/rows")
    visit.at("arg:/rows/0/href", "h").press("down:/rows/0")
    visit.at("pick:/rows/1", "0").press("pick:/rows/1")
    assert visit.value("arg:/rows/1/path") == "p"


def test_an_optional_union_may_be_left_out_null_or_empty():
    field = {
        "anyOf": [
            {"type": "array", "items": {"type": "integer"}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "null"},
        ]
    }
    visit = Visit({"properties": {"x": field}})
    assert visit.submit().arguments == {}
    assert visit.at("how:/x", "empty").submit().arguments == {"x": []}
    assert visit.at("how:/x", "null").submit().arguments == {"x": None}
    visit.at("pick:/x", "1").press("pick:/x")
    assert visit.at("arg:/x/a", "t").submit().arguments == {"x": {"a": "t"}}


def test_json_that_contains_itself_opens_as_far_as_it_is_filled():
    tree = {
        "anyOf": [
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}},
            {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            {"type": "string"},
        ]
    }
    schema = {"properties": {"t": {"$ref": "#/$defs/Tree"}}, "$defs": {"Tree": tree}}
    value = {"a": ["x", {"b": ["y", ""]}], "c": {}}
    assert Visit(schema).submit().arguments == {}
    assert Visit(schema, {"t": value}).submit().arguments == {"t": value}


def test_an_empty_text_in_a_row_that_is_a_union_is_untouched_when_it_is():
    text = {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]}
    rows = {"type": "array", "items": text, "default": [""]}
    assert Visit({"properties": {"rows": rows}}).submit().arguments == {}


def test_a_union_that_may_be_left_out_says_empty_in_one_place():
    text = {"anyOf": [{"type": "string"}, {"type": "string", "format": "date"}]}
    visit = Visit({"properties": {"x": {**text, "default": ""}}})
    assert [c.name for c in visit.page.controls].count("how:/x") == 1
    assert visit.submit().arguments == {}
    assert visit.at("how:/x", "empty").submit().arguments == {"x": ""}


def test_a_default_that_no_variant_can_show_is_left_alone_as_json():
    maps = {"type": "object", "additionalProperties": {"type": "boolean"}}
    field = {"anyOf": [maps, {"type": "string"}], "default": {"": False}}
    visit = Visit({"properties": {"x": field}})
    assert visit.submit().arguments == {}
    assert visit.type(x='{"": true}').submit().arguments == {"x": {"": True}}


@pytest.mark.parametrize("value", ["true", True, False, "", "\n", 5])
def test_texts_that_read_as_something_else_are_told_apart_by_a_chooser(value):
    members = [{"enum": ["true", "", "\n"]}, {"type": ["boolean", "integer"]}]
    visit = Visit(
        {"properties": {"x": {"anyOf": members}}, "required": ["x"]}, {"x": value}
    )
    given = visit.submit().arguments["x"]
    assert (type(given), given) == (type(value), value)
