"""Left out, null and empty are three things, and the post itself says which."""

import pytest

from .browsing import Visit

BOOK = {
    "type": "object",
    "required": ["room"],
    "properties": {
        "room": {"type": "string"},
        "guests": {"type": "integer", "default": None},
        "label": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "tags": {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}},
                {"type": "null"},
            ],
            "default": None,
        },
        "extra": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"type": "integer"}},
                {"type": "null"},
            ],
            "default": None,
        },
    },
}
SEEK = {
    "type": "object",
    "properties": {
        "offset": {"type": "integer", "default": 0},
        "ratio": {"type": "number", "default": 0.0},
        "verbose": {"type": "boolean", "default": False},
        "prefix": {"type": "string", "default": ""},
        "seeds": {"type": "array", "items": {"type": "integer"}, "default": []},
        "opts": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "default": {},
        },
    },
}


@pytest.fixture
def book():
    return Visit(BOOK).type(room="R1")


def test_untouched_fields_are_left_out(book):
    assert book.submit().arguments == {"room": "R1"}


def test_typed_text_is_given_without_quotes_or_switches(book):
    book.type(label="4th floor")
    assert book.submit().arguments == {"room": "R1", "label": "4th floor"}


def test_text_typed_and_cleared_is_left_out(book):
    book.type(label="4th floor")
    book.submit()
    book.type(label="")
    assert book.submit().arguments == {"room": "R1"}


def test_a_row_added_and_removed_leaves_the_list_out(book):
    book.press("add:/tags")
    book.press("remove:/tags/0")
    assert book.submit().arguments == {"room": "R1"}


def test_a_map_opened_and_left_blank_is_left_out(book):
    book.press("add:/extra")
    assert book.submit().arguments == {"room": "R1"}


def test_null_is_picked(book):
    book.at("how:/guests", "null")
    assert book.submit().arguments == {"room": "R1", "guests": None}


def test_null_goes_before_text_that_is_still_there(book):
    book.type(guests="3").at("how:/guests", "null")
    assert book.submit().arguments == {"room": "R1", "guests": None}


def test_what_is_left_out_by_choice_stays_out_though_text_is_there():
    book = Visit(BOOK, {"room": "R1", "guests": 3})
    book.at("how:/guests", "leave")
    assert book.submit().arguments == {"room": "R1"}
    assert book.value("arg:/guests") == "3"
    assert book.submit().arguments == {"room": "R1"}


@pytest.mark.parametrize(
    ("field", "empty"), [("label", ""), ("tags", []), ("extra", {})]
)
def test_empty_is_said_by_a_control_of_its_own(book, field, empty):
    book.at(f"how:/{field}", "empty")
    assert book.submit().arguments == {"room": "R1", field: empty}


def test_a_required_text_is_not_empty_by_accident():
    book = Visit(BOOK)
    book.submit()
    assert book.problems() == [("room", "required")]
    book.at("how:/room", "empty")
    assert book.submit().arguments == {"room": ""}


def test_text_goes_before_a_tick_for_empty():
    book = Visit(BOOK).at("how:/room", "empty").type(room="R1")
    assert book.submit().arguments == {"room": "R1"}


def test_defaults_are_shown_and_not_sent():
    seek = Visit(SEEK)
    assert seek.value("arg:/offset") == "0"
    assert seek.value("arg:/ratio") == "0.0"
    assert not any(c.checked for c in seek.page.controls if c.name == "arg:/verbose")
    assert seek.value("arg:/prefix") == ""
    assert seek.submit().arguments == {}


@pytest.mark.parametrize(
    "words",
    [
        "default: 0",
        "default: 0.0",
        "default: off",
        "default: empty text",
        "default: empty list",
        "default: empty object",
    ],
)
def test_what_will_happen_is_said(words):
    assert words in Visit(SEEK).html


def test_a_value_equal_to_the_default_stays_explicit():
    seek = Visit(SEEK).at("how:/offset", "value").at("how:/verbose", "value")
    assert seek.submit().arguments == {"offset": 0, "verbose": False}
    again = Visit(SEEK, seek.form.arguments)
    assert again.submit().arguments == {"offset": 0, "verbose": False}


@pytest.mark.parametrize(
    "arguments",
    [
        {"offset": 0, "ratio": 0.0, "verbose": False},
        {"prefix": "", "seeds": [], "opts": {}},
        {"seeds": [0], "opts": {"": ""}},
    ],
)
def test_zero_false_and_empty_survive_running_again(arguments):
    assert Visit(SEEK, arguments).submit().arguments == arguments


@pytest.mark.parametrize("arguments", [{"guests": None}, {"label": ""}, {"tags": None}])
def test_left_out_and_null_stay_apart_when_running_again(arguments):
    given = {"room": "R1", **arguments}
    assert Visit(BOOK, given).submit().arguments == given


def test_rows_of_a_default_that_are_removed_leave_an_empty_list():
    rows = {"type": "array", "items": {"type": "integer"}, "default": [1, 2]}
    visit = Visit({"properties": {"rows": rows}})
    visit.press("remove:/rows/1")
    visit.press("remove:/rows/0")
    assert visit.submit().arguments == {"rows": []}


def test_rows_of_a_default_that_are_changed_are_all_sent():
    rows = {"type": "array", "items": {"type": "integer"}, "default": [1, 2]}
    visit = Visit({"properties": {"rows": rows}}).at("arg:/rows/1", "5")
    assert visit.submit().arguments == {"rows": [1, 5]}


def test_a_box_is_ticked_off_against_its_default():
    flag = {"properties": {"on": {"type": "boolean", "default": True}}}
    assert Visit(flag).submit().arguments == {}
    assert Visit(flag).at("arg:/on", "").submit().arguments == {"on": False}


def test_a_required_box_left_alone_means_no():
    flag = {"properties": {"on": {"type": "boolean"}}, "required": ["on"]}
    assert Visit(flag).submit().arguments == {"on": False}


def test_a_post_that_leaves_fields_out_leaves_them_out():
    visit = Visit(SEEK)
    assert visit._read({"arg:/offset": "3"}).arguments == {"offset": 3}


def test_a_group_that_was_asked_for_is_sent_though_it_is_empty():
    group = {"type": "object", "properties": {"a": {"type": "string"}}}
    visit = Visit({"properties": {"group": group}})
    assert visit.submit().arguments == {}
    visit.at("how:/group", "value")
    assert visit.submit().arguments == {"group": {}}


def test_a_field_set_by_others_may_be_left_alone():
    field = {"type": "string", "readOnly": True}
    visit = Visit({"properties": {"id": field}})
    assert visit.submit().arguments == {}


@pytest.mark.parametrize("blank", ["", [], {}, None])
@pytest.mark.parametrize("holder", ["map", "list"])
def test_a_default_with_an_empty_row_is_not_touched_by_posting_it(holder, blank):
    either = {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "null"},
            {"const": 1},
        ]
    }
    holders = {
        "map": {
            "type": "object",
            "additionalProperties": either,
            "default": {"a": blank},
        },
        "list": {"type": "array", "items": either, "default": [blank]},
    }
    assert Visit({"properties": {"rows": holders[holder]}}).submit().arguments == {}
