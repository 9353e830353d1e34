"""Nested models, lists of objects, maps, and models that contain themselves."""

import pytest

from .browsing import Visit

PLACE = {
    "title": "Place",
    "type": "object",
    "required": ["street"],
    "properties": {
        "street": {"title": "Street", "type": "string"},
        "city": {"type": "string", "default": "Oslo"},
    },
}
LINE = {
    "type": "object",
    "required": ["sku"],
    "properties": {
        "sku": {"type": "string"},
        "qty": {"type": "integer", "default": 1, "minimum": 1},
    },
}
FOLDER = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "children": {
            "type": "array",
            "items": {"$ref": "#/$defs/Folder"},
            "default": [],
        },
        "link": {"anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}]},
    },
}
SHIP = {
    "type": "object",
    "required": ["bill", "drop"],
    "$defs": {"Place": PLACE, "Line": LINE, "Folder": FOLDER},
    "properties": {
        "bill": {"$ref": "#/$defs/Place"},
        "drop": {"$ref": "#/$defs/Place", "description": "Where to leave it"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "default": []},
        "tree": {
            "anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}],
            "default": None,
        },
    },
}


@pytest.fixture
def ship():
    visit = Visit(SHIP)
    return visit.at("arg:/bill/street", "a").at("arg:/drop/street", "b")


def skus(visit):
    return [line["sku"] for line in visit.submit().arguments["lines"]]


def with_lines(visit, *skus):
    for index, sku in enumerate(skus):
        visit.press("add:/lines")
        visit.at(f"arg:/lines/{index}/sku", sku)
    return visit


def test_two_groups_of_one_model_have_labels_and_help_of_their_own(ship):
    labels = [child.label for child in ship.form.root.children]
    assert labels == ["bill", "drop", "lines", "tree"]
    assert ship.html.count("Where to leave it") == 1
    assert ship.submit().arguments == {"bill": {"street": "a"}, "drop": {"street": "b"}}


@pytest.mark.parametrize("word", ["$ref", "$defs", "[object Object]", "x-refs"])
def test_no_schema_words_are_shown(ship, word):
    assert word not in with_lines(ship, "x").html


def test_rows_are_added_and_keep_their_order(ship):
    assert skus(with_lines(ship, "x", "y", "z")) == ["x", "y", "z"]


def test_a_row_is_removed_from_the_middle(ship):
    with_lines(ship, "x", "y", "z").press("remove:/lines/1")
    assert skus(ship) == ["x", "z"]


def test_rows_are_moved_without_touching_the_others(ship):
    with_lines(ship, "x", "y", "z").at("arg:/lines/0/qty", "7").press("down:/lines/0")
    ship.press("up:/lines/2")
    assert ship.submit().arguments["lines"] == [
        {"sku": "y"},
        {"sku": "z"},
        {"sku": "x", "qty": 7},
    ]


def test_the_ends_cannot_be_moved_further(ship):
    with_lines(ship, "x", "y")
    assert "up:/lines/0" not in ship.page.buttons
    assert "down:/lines/1" not in ship.page.buttons
    assert "up:/lines/1" in ship.page.buttons


def test_a_model_that_contains_itself_opens_level_by_level(ship):
    ship.at("arg:/tree/name", "root").press("add:/tree/children")
    ship.at("arg:/tree/children/0/name", "leaf").press("open:/tree/link")
    ship.at("arg:/tree/link/name", "other").press("add:/tree/link/children")
    ship.at("arg:/tree/link/children/0/name", "deep")
    assert ship.submit().arguments["tree"] == {
        "name": "root",
        "children": [{"name": "leaf"}],
        "link": {"name": "other", "children": [{"name": "deep"}]},
    }


def test_a_deep_value_of_such_a_model_is_shown_and_kept():
    value = {"name": "leaf"}
    for _ in range(40):
        value = {"name": "n", "link": value}
    given = {"bill": {"street": "a"}, "drop": {"street": "b"}, "tree": value}
    assert Visit(SHIP, given).submit().arguments == given


def test_a_list_of_very_many_rows_is_one_json_field():
    given = {"bill": {"street": "a"}, "drop": {"street": "b"}}
    given["lines"] = [{"sku": str(number)} for number in range(1000)]
    visit = Visit(SHIP, given)
    assert len(visit.page.controls) < 50
    assert visit.submit().arguments == given


MAP = {"type": "object", "additionalProperties": {"type": "integer"}}


def test_a_map_takes_names_and_values():
    visit = Visit({"properties": {"m": MAP}})
    visit.press("add:/m")
    visit.press("add:/m")
    visit.at("key:/m/~+0", "a/b").at("arg:/m/~+0", "1")
    visit.at("key:/m/~+1", "~").at("arg:/m/~+1", "2")
    assert visit.submit().arguments == {"m": {"a/b": 1, "~": 2}}
    visit.press("remove:/m/~+0")
    assert visit.submit().arguments == {"m": {"~": 2}}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", ("m, entry 2", "needs a name")),
        ("a", ("m, a", "has a name that is given above already")),
    ],
)
def test_names_of_a_map_are_given_once(name, problem):
    visit = Visit({"properties": {"m": MAP}}, {"m": {"a": 1, "b": 2}})
    visit.at("key:/m/~+1", name)
    visit.submit()
    assert visit.problems() == [problem]
    assert visit.value("arg:/m/~+1") == "2"
    visit.press("json")
    assert not visit.form.is_json


def test_names_follow_the_patterns_of_the_contract():
    group = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
    }
    visit = Visit({"properties": {"g": group}}, {"g": {"a": "t", "x-1": 3}})
    assert visit.submit().arguments == {"g": {"a": "t", "x-1": 3}}
    visit.at("key:/g/~+0", "y").at("arg:/g/~+0", "4")
    visit.submit()
    assert visit.problems() == [("g, y", "is not a name that this tool knows")]


def test_a_name_that_the_tool_does_not_know_is_kept_and_told():
    given = {"bill": {"street": "a", "zip": 1}, "drop": {"street": "b"}}
    visit = Visit(SHIP, given)
    assert visit.submit().arguments == given
    assert visit.problems() == [("bill, zip", "is not a name that this tool knows")]
    visit.press("remove:/bill/~+0")
    assert visit.submit().is_valid


TUPLE = {
    "type": "array",
    "prefixItems": [{"type": "string"}, {"type": "integer"}],
    "items": False,
    "minItems": 2,
    "maxItems": 2,
}


def test_a_tuple_has_its_parts_and_no_buttons():
    visit = Visit({"properties": {"t": TUPLE}, "required": ["t"]})
    assert [b for b in visit.page.buttons if "/t" in b] == []
    visit.at("arg:/t/0", "a").at("arg:/t/1", "2")
    assert visit.submit().arguments == {"t": ["a", 2]}


def test_parts_that_may_be_missing_are_taken_from_the_end():
    parts = {"type": "array", "prefixItems": TUPLE["prefixItems"]}
    visit = Visit({"properties": {"t": parts}, "required": ["t"]})
    visit.at("arg:/t/0", "a").press("remove:/t/1")
    assert visit.submit().arguments == {"t": ["a"]}
    visit.press("add:/t")
    assert visit.at("arg:/t/1", "2").submit().arguments == {"t": ["a", 2]}


def test_rows_that_must_be_there_are_there():
    rows = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    visit = Visit({"properties": {"r": rows}, "required": ["r"]})
    visit.at("arg:/r/0", "a").at("arg:/r/1", "b")
    assert visit.submit().arguments == {"r": ["a", "b"]}


def test_lists_stand_in_lists():
    grid = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    visit = Visit({"properties": {"g": grid}})
    visit.press("add:/g")
    visit.press("add:/g/0")
    visit.press("add:/g")
    visit.at("arg:/g/0/0", "5").press("up:/g/1")
    assert visit.submit().arguments == {"g": [[], [5]]}


def test_parts_of_all_of_are_one_group():
    parts = [
        {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"$ref": "#/$defs/More"},
    ]
    more = {"type": "object", "properties": {"b": {"type": "integer", "minimum": 3}}}
    schema = {"properties": {"x": {"allOf": parts}}, "$defs": {"More": more}}
    visit = Visit(schema).at("arg:/x/a", "t").at("arg:/x/b", "1")
    visit.submit()
    assert visit.problems() == [("x, b", "must be 3 or more")]
    assert visit.at("arg:/x/b", "3").submit().arguments == {"x": {"a": "t", "b": 3}}


def test_fields_under_a_condition_are_there_and_asked_for():
    schema = {
        "properties": {"mode": {"enum": ["plain", "rich"]}, "note": {"type": "string"}},
        "required": ["mode"],
        "if": {"properties": {"mode": {"const": "rich"}}},
        "then": {"properties": {"extra": {"type": "string"}}, "required": ["extra"]},
        "dependentRequired": {"extra": ["note"]},
    }
    visit = Visit(schema).type(mode="rich")
    visit.submit()
    assert visit.problems() == [("extra", "required")]
    visit.type(extra="e")
    visit.submit()
    assert visit.problems() == [("note", "required when “extra” is given")]
    visit.type(note="n")
    assert visit.submit().arguments == {"mode": "rich", "extra": "e", "note": "n"}
