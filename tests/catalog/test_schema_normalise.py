"""Whatever a dialect declares becomes one 2020-12 object schema."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from catalog.schema import normalise, validate


def field(schema):
    return normalise({"properties": {"x": schema}})["properties"]["x"]


@pytest.mark.parametrize("declared", [None, [], "x", {}, {"type": "string"}, True])
def test_parameters_are_always_an_object(declared):
    assert normalise(declared) | {} == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        ({"type": "str"}, {"type": "string"}),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "unknown"}, {}),
        ({"type": ["int", "None"]}, {"type": ["integer", "null"]}),
        (True, {}),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, {}),
    ],
)
def test_a_type_by_another_name_is_understood(declared, meant):
    assert field(declared) == meant


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        (
            {"items": [{"type": "string"}], "additionalItems": False},
            {"prefixItems": [{"type": "string"}], "items": False},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {
                "dependentRequired": {"a": ["b"]},
                "dependentSchemas": {"c": {"required": ["d"]}},
            },
        ),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ],
)
def test_older_drafts_are_rewritten(declared, meant):
    assert field(declared) == meant


def test_required_on_a_property_moves_to_its_object():
    schema = normalise(
        {"properties": {"a": {"required": True}, "b": {"required": False}}}
    )
    assert schema["required"] == ["a"]
    assert schema["properties"] == {"a": {}, "b": {}}


@pytest.mark.parametrize(
    "declared",
    [
        {"type": "integer", "default": None},
        {"enum": ["a"], "default": None},
        {"anyOf": [{"type": "string"}], "default": None},
        {"$ref": "#/$defs/A", "default": None},
    ],
)
def test_a_default_of_null_lets_null_in(declared):
    schema = normalise(
        {"properties": {"x": declared}, "$defs": {"A": {"type": "string"}}}
    )
    assert validate({"x": None}, schema)[1] == []


def test_definitions_move_and_their_references_follow():
    schema = normalise(
        {"properties": {"x": {"$ref": "#/definitions/A"}}, "definitions": {"A": {}}}
    )
    assert schema["properties"]["x"] == {"$ref": "#/$defs/A"}
    assert schema["$defs"] == {"A": {}}


@pytest.mark.parametrize("reference", ["#/$defs/Gone", "https://example.org/x.json"])
def test_a_reference_to_nothing_we_hold_means_any_json(reference):
    schema = normalise({"properties": {"x": {"$ref": reference, "title": "X"}}})
    assert "$ref" not in schema["properties"]["x"]
    assert validate({"x": [1]}, schema)[1] == []


@pytest.mark.parametrize(
    "broken",
    [
        {"minimum": "0"},
        {"pattern": "("},
        {"enum": "abc"},
        {"required": "a"},
        {"properties": []},
        {"items": 3},
    ],
)
def test_a_keyword_that_is_not_valid_itself_is_left_out(broken):
    schema = normalise({"properties": {"x": broken}})
    Draft202012Validator.check_schema(schema)
    assert validate({"x": 1}, schema)[1] == []


def test_normalising_twice_changes_nothing():
    once = normalise(
        {
            "properties": {
                "a": {"type": "int", "default": None, "nullable": True},
                "b": {"items": [{"type": "str"}]},
                "c": {"$ref": "#/definitions/C", "default": None},
            },
            "definitions": {"C": {"type": "dict"}},
        }
    )
    assert normalise(once) == once


def test_a_property_may_be_called_like_a_keyword():
    schema = normalise(
        {"properties": {"properties": {"type": "str"}, "$ref": {"type": "int"}}}
    )
    assert schema["properties"]["properties"] == {"type": "string"}
    assert schema["properties"]["$ref"] == {"type": "integer"}


KEYWORDS = [
    *("type", "properties", "items", "required", "enum", "minimum", "multipleOf"),
    *("maxLength", "pattern", "anyOf", "allOf", "additionalProperties", "title"),
    *("format", "uniqueItems", "dependencies", "definitions", "$ref", "prefixItems"),
    *("patternProperties", "exclusiveMinimum", "nullable", "default", "if", "not"),
    *("dependentRequired", "$defs", "contains", "minItems", "examples", "const"),
]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["a", "(", "int"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None, database=None)
@given(st.dictionaries(st.sampled_from(KEYWORDS), JUNK, max_size=6))
def test_whatever_is_declared_becomes_a_valid_schema(declared):
    schema = normalise(declared)
    Draft202012Validator.check_schema(schema)
    assert normalise(schema) == schema
    validate({"a": 1}, schema)
