"""One validator for every door: coerced values, and faults people understand."""

import pytest

from catalog.schema import normalise, validate

BOOK = normalise(
    {
        "type": "object",
        "required": ["room"],
        "properties": {
            "room": {"type": "string"},
            "guests": {"type": "integer", "default": None},
            "label": {"type": "string", "default": None},
            "tags": {"type": "array", "items": {"type": "string"}, "default": None},
            "extra": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "default": None,
            },
        },
    }
)
SEND = normalise(
    {
        "type": "object",
        "required": ["target"],
        "properties": {
            "target": {
                "discriminator": {"propertyName": "kind"},
                "oneOf": [{"$ref": "#/$defs/File"}, {"$ref": "#/$defs/Url"}],
            },
            "retries": {
                "anyOf": [{"type": "integer"}, {"const": "never"}],
                "default": 1,
            },
        },
        "$defs": {
            "File": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "path"],
                "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
            },
            "Url": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "href"],
                "properties": {"kind": {"const": "url"}, "href": {"type": "string"}},
            },
        },
    }
)


def of(schema, **more):
    return normalise({"properties": {"x": schema}, **more})


def faults(value, schema):
    return [(fault.pointer, fault.message) for fault in validate(value, schema)[1]]


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ([], "", "must be an object (names with values)"),
        (None, "", "must be an object (names with values)"),
        ("x", "", "must be an object (names with values)"),
        ({}, "/room", "required"),
        ({"room": 5}, "/room", "must be text"),
        ({"room": "R", "guests": "two"}, "/guests", "must be a whole number"),
        ({"room": "R", "guests": 1.5}, "/guests", "must be a whole number"),
        ({"room": "R", "guests": True}, "/guests", "must be a whole number"),
        ({"room": "R", "colour": "r"}, "/colour", "is not a name that this tool knows"),
        ({"room": "R", "extra": {"a": "x"}}, "/extra/a", "must be a whole number"),
        ({"room": "R", "guests": float("nan")}, "/guests", "must be a finite number"),
        ({"room": "R", "tags": [1]}, "/tags/0", "must be text"),
        ({"room": "a\0b"}, "/room", "holds the character NUL, which cannot be stored"),
        ({"room": "\ud800"}, "/room", "holds half of a character"),
    ],
)
def test_wrong_input_gets_one_fault_at_its_place(value, pointer, message):
    assert faults(value, BOOK) == [(pointer, message)]


def test_two_hundred_levels_are_one_fault():
    (fault,) = validate({"room": "R", "tags": nested(200)}, BOOK)[1]
    assert fault.message == "has more than 100 levels"


def test_deep_values_of_a_recursive_schema_are_no_crash():
    node = {"properties": {"n": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}}}
    schema = normalise(
        {"properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    )
    value = None
    for _ in range(98):
        value = {"n": value}
    assert [fault.code for fault in validate(value, schema)[1]] in ([], ["depth"])


def test_every_fault_is_told_at_once():
    value = {"guests": "x", "tags": ["a", 2], "no": 1}
    assert [pointer for pointer, _ in faults(value, BOOK)] == [
        "/room",
        "/guests",
        "/tags/1",
        "/no",
    ]


@pytest.mark.parametrize(
    ("schema", "given", "taken"),
    [
        ({"type": "integer"}, "12", 12),
        ({"type": "integer"}, "12345678901234567890123", 12345678901234567890123),
        ({"type": "integer"}, 5.0, 5),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "number"}, "3", 3),
        ({"type": ["integer", "null"]}, "-4", -4),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, {"const": "never"}]}, "7", 7),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2], [1, 2]),
        ({"enum": [1, 2, 3]}, "2", 2),
    ],
)
def test_a_text_that_can_only_mean_a_number_or_boolean_is_one(schema, given, taken):
    value, found = validate({"x": given}, of(schema))
    assert found == []
    assert value["x"] == taken
    assert type(value["x"]) is type(taken)


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"type": "integer"}, "0012"),
        ({"type": "integer"}, "12.0"),
        ({"type": "integer"}, "1e3"),
        ({"type": "integer"}, " 1"),
        ({"type": "integer"}, ""),
        ({"type": "number"}, "1e400"),
        ({"type": "number"}, "NaN"),
        ({"type": "number"}, "1,5"),
        ({"type": "boolean"}, "1"),
        ({"type": "boolean"}, "yes"),
        ({"type": "array"}, "[1]"),
        ({"type": "object"}, "{}"),
        ({"type": "null"}, "null"),
    ],
)
def test_what_would_lose_something_is_refused(schema, given):
    value, (fault,) = validate({"x": given}, of(schema))
    assert value == {"x": given}
    assert fault.pointer == "/x"


@pytest.mark.parametrize(
    "text", ["0012", "12", "12.0", '{"a": 1}', "null", "true", "1e5"]
)
@pytest.mark.parametrize(
    "schema", [{"type": "string"}, {"type": ["integer", "string"]}]
)
def test_a_text_stays_a_text_where_one_may_stand(schema, text):
    assert validate({"x": text}, of(schema)) == ({"x": text}, [])


def test_defaults_are_never_filled_in():
    assert validate({"room": "R"}, BOOK) == ({"room": "R"}, [])


def test_the_value_given_is_left_as_it_is():
    given = {"room": "R", "guests": "2"}
    assert validate(given, BOOK)[0] == {"room": "R", "guests": 2}
    assert given == {"room": "R", "guests": "2"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"kind": "url"}, [("/target/href", "required")]),
        ({"kind": "url", "href": ""}, []),
        ({}, [("/target/kind", "required")]),
        ({"kind": "ftp"}, [("/target/kind", "must be one of: “file”, “url”")]),
        (
            {"kind": "url", "href": "h", "path": "p"},
            [("/target/path", "is not a name that this tool knows")],
        ),
        (3, [("/target", "must be an object (names with values)")]),
    ],
)
def test_a_union_speaks_of_the_variant_that_was_meant(target, expected):
    assert faults({"target": target}, SEND) == expected


def test_a_union_of_plain_values_names_them_all():
    value = {"target": {"kind": "file", "path": "p"}, "retries": "often"}
    assert faults(value, SEND) == [("/retries", "must be a whole number or “never”")]


def test_the_variant_that_was_picked_is_the_one_spoken_of():
    schema = of({"anyOf": [{"type": "string", "minLength": 3}, {"type": "integer"}]})
    _, (fault,) = validate({"x": None}, schema, chosen={"/x": 0})
    assert fault.message == "must be text"


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer", "minimum": 1}, 0, "must be 1 or more"),
        ({"type": "number", "maximum": 2.0}, 3, "must be 2 or less"),
        ({"exclusiveMinimum": 0}, 0, "must be more than 0"),
        ({"type": "number", "multipleOf": 0.1}, 0.35, "must be a multiple of 0.1"),
        ({"minLength": 2}, "a", "must have at least 2 characters"),
        ({"maxLength": 1}, "ab", "must have at most 1 character"),
        ({"pattern": "^a$"}, "a\n", "does not have the expected form: ^a$"),
        ({"minItems": 1}, [], "must have at least 1 row"),
        ({"enum": ["a", 2]}, "b", "must be one of: “a”, 2"),
        ({"const": "a"}, "b", "must be “a”"),
        (
            {"type": "string", "format": "date"},
            "2024-02-30",
            "must be a date that exists, written like 2024-03-10",
        ),
        ({"not": {}}, 1, "is not allowed here"),
    ],
)
def test_each_limit_is_said_in_plain_words(schema, value, message):
    assert faults({"x": value}, of(schema)) == [("/x", message)]


@pytest.mark.parametrize("value", [0.3, 0.1, 1, 10**40, -0.7])
def test_multiples_are_counted_in_decimals(value):
    assert faults({"x": value}, of({"type": "number", "multipleOf": 0.1})) == []


def test_a_row_that_is_there_twice_is_pointed_at():
    schema = of({"type": "array", "uniqueItems": True})
    assert faults({"x": [1, 2, 1.0]}, schema) == [("/x/2", "is the same as row 1")]
    assert faults({"x": [1, True]}, schema) == []


def test_a_long_choice_is_cut():
    (found,) = faults({"x": "z"}, of({"enum": [f"m{i}" for i in range(1000)]}))
    assert found[1].endswith("… and 992 more")
    assert len(found[1]) < 120


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
        {"$ref": "#/$defs/Both"},
        {"anyOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "b": {}}}]},
    ],
)
def test_unknown_names_are_refused_at_any_depth(schema):
    both = {"properties": {"a": {}, "b": {}}}
    root = of(schema, **{"$defs": {"Both": both}})
    assert faults({"x": {"a": 1, "b": 2}}, root) == []
    assert faults({"x": {"a": 1, "c": 2}}, root) == [
        ("/x/c", "is not a name that this tool knows")
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"properties": {"a": {}}, "additionalProperties": True},
        {"properties": {"a": {}}, "patternProperties": {"^c": {}}},
        {},
    ],
)
def test_more_names_are_let_through_where_the_contract_says_so(schema):
    assert faults({"x": {"a": 1, "c": 2}}, of(schema)) == []


def test_a_condition_asks_for_its_own_names_only():
    schema = normalise(
        {
            "properties": {"mode": {"enum": ["plain", "rich"]}},
            "if": {"properties": {"mode": {"const": "rich"}}},
            "then": {
                "properties": {"extra": {"type": "string"}},
                "required": ["extra"],
            },
            "dependentRequired": {"extra": ["note"]},
        }
    )
    assert faults({"mode": "plain"}, schema) == []
    assert faults({"mode": "rich"}, schema) == [("/extra", "required")]
    assert faults({"mode": "plain", "extra": "x"}, schema) == [
        ("/note", "required when “extra” is given")
    ]


@pytest.mark.parametrize("value", [{"upload": 3}, {"upload": "3"}, "aGk="])
def test_a_file_is_an_upload_or_base64(value):
    assert faults({"x": value}, of({"type": "string", "format": "binary"})) == []


@pytest.mark.parametrize(
    "value", ["not base64!", {"upload": None}, {"path": "/etc"}, 3]
)
def test_anything_else_is_no_file(value):
    schema = of({"type": "string", "contentEncoding": "base64"})
    assert faults({"x": value}, schema) == [("/x", "must be an uploaded file")]


def test_an_upload_is_taken_at_files_only():
    schema = of({"type": "string"})
    assert faults({"x": {"upload": 3}}, schema) == [("/x", "must be text")]


def test_no_message_repeats_the_value():
    schema = of({"type": "string", "pattern": "^a$", "maxLength": 3, "writeOnly": True})
    assert "s3cr3t" not in repr(validate({"x": "s3cr3t-4711"}, schema)[1])
