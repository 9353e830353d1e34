"""The form and the JSON of the arguments, both ways, losing nothing."""

import json

import pytest
from django.http import QueryDict

from catalog.schema import normalise
from runner import forms

from .browsing import Visit
from .test_form_faults import HALF, LOGIN
from .test_form_presence import BOOK
from .test_form_unions import SEND


def test_the_form_crosses_to_json():
    visit = Visit(BOOK).type(room="R1", label="x").at("how:/guests", "null")
    form = visit.press("json")
    assert form.is_json
    assert not form.is_valid
    assert json.loads(form.text) == {"room": "R1", "label": "x", "guests": None}


def test_json_crosses_to_the_form():
    visit = Visit(BOOK)
    visit.press("json")
    given = {"room": "R1", "tags": ["a"], "extra": {"k": 1}, "label": ""}
    visit.at("json", json.dumps(given)).press("form")
    assert not visit.form.is_json
    assert visit.value("arg:/tags/0") == "a"
    assert visit.submit().arguments == given


def test_arguments_are_started_from_the_json_side():
    visit = Visit(BOOK)
    visit.press("json")
    form = visit.at("json", '{"room": "R1", "guests": "3"}').submit()
    assert form.is_valid
    assert form.arguments == {"room": "R1", "guests": 3}


@pytest.mark.parametrize("button", ["form", None])
def test_json_that_does_not_parse_keeps_the_json_side(button):
    visit = Visit(BOOK)
    visit.press("json")
    visit.at("json", HALF)
    form = visit.press(button) if button else visit.submit()
    assert form.is_json
    assert visit.value("json") == HALF
    words = "line 1, column 13: a name in double quotes is expected here"
    assert visit.problems() == [("JSON", words)]


def test_faults_of_the_json_side_name_their_place():
    visit = Visit(BOOK)
    visit.press("json")
    visit.at("json", '{"room": 5, "tags": [1]}').submit()
    assert visit.problems() == [
        ("room", "must be text"),
        ("tags, row 1", "must be text"),
    ]
    assert [problem.pointer for problem in visit.form.faults] == ["/room", "/tags/0"]


def test_arguments_that_are_no_object_keep_the_json_side():
    visit = Visit(BOOK)
    visit.press("json")
    visit.at("json", "[1]").press("form")
    assert visit.form.is_json
    assert visit.problems() == [("JSON", "the arguments are an object: { … }")]


def test_a_text_of_the_wrong_type_crosses_as_that_text_with_its_fault():
    visit = Visit(BOOK).type(room="R", guests="two")
    assert json.loads(visit.press("json").text) == {"room": "R", "guests": "two"}
    visit.press("form")
    assert visit.value("arg:/guests") == "two"
    assert visit.problems() == [("guests", "must be a whole number")]


@pytest.mark.parametrize("room", [5, ["a"], {"a": 1}, None, True])
def test_a_value_that_fits_no_control_crosses_as_json(room):
    visit = Visit(BOOK)
    visit.press("json")
    visit.at("json", json.dumps({"room": room})).press("form")
    assert visit.problems() == [("room", "must be text")]
    assert json.loads(visit.value("arg:/room")) == room
    assert visit.submit().arguments == {"room": room}
    visit.press("plain:/room")
    assert visit.type(room="R1").submit().arguments == {"room": "R1"}


def test_json_in_a_field_that_does_not_parse_keeps_the_form_side():
    visit = Visit(LOGIN).type(name="n", options=HALF)
    assert not visit.press("json").is_json
    assert visit.value("arg:/options") == HALF
    assert [label for label, _ in visit.problems()] == ["options"]


def test_a_variant_left_behind_is_remembered_across_the_json_side():
    visit = Visit(SEND).at("arg:/target/path", "p").at("pick:/target", "1")
    visit.press("pick:/target")
    visit.at("arg:/target/href", "h").press("json")
    visit.press("form")
    visit.at("pick:/target", "0").press("pick:/target")
    assert visit.value("arg:/target/path") == "p"


def test_big_numbers_and_spaces_cross_exactly():
    schema = {"properties": {"n": {"type": "integer"}, "t": {"type": "string"}}}
    given = {"n": 12345678901234567890123, "t": "  a\n\tb\n"}
    visit = Visit(schema, given)
    visit.press("json")
    visit.press("form")
    assert visit.submit().arguments == given


def test_an_address_fills_the_form_in():
    query = QueryDict(mutable=True)
    query.update({"args": '{"tags": ["a"]}', "arg.room": "0012", "arg.guests": "3"})
    arguments, wrong = forms.starting(normalise(BOOK), query)
    assert arguments == {"tags": ["a"], "room": "0012", "guests": 3}
    assert wrong == []


def test_an_address_that_is_wrong_is_told_and_carries_no_secret():
    schema = normalise(LOGIN)
    query = QueryDict("args={&arg.key=s3cr3t&arg.name=n&arg.options=[1")
    arguments, wrong = forms.starting(schema, query)
    assert arguments == {"name": "n", "options": "[1"}
    assert wrong == ["args: line 1, column 2: a name in double quotes is expected here"]
