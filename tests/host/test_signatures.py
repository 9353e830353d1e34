"""From signatures to contracts, and from arguments back to what the hints ask for."""

import base64

import pytest
from jsonschema import Draft202012Validator


def properties(host, name):
    return host.tools[name]["parameters"]["properties"]


def test_every_listed_schema_is_a_schema(signatures, dicts, chain, awkward):
    for host in (signatures, dicts, chain, awkward):
        for tool in host.tools.values():
            Draft202012Validator.check_schema(tool["parameters"])
            assert tool["parameters"]["type"] == "object"


def test_postponed_annotations_give_the_same_contract(signatures):
    found = signatures.tools["resize"]
    assert found["unusable"] is None
    assert found["parameters"] == {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "enum": ["fit", "fill"]},
            "width": {"type": "integer", "default": 640},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["mode"],
        "additionalProperties": False,
    }
    assert signatures.run("resize", {"mode": "fit"}).value["width"] == 640


def test_a_type_that_names_nothing_makes_only_its_tool_unusable(signatures):
    found = signatures.tools["paint"]
    assert "type not resolvable: Canvas" in found["unusable"]
    assert "type not resolvable: Canvas" in found["notes"]
    run = signatures.run("paint", {"on": 1})
    assert run.verdict["reported_by"] == "arguments"


def test_an_optional_argument_of_unknown_type_is_left_at_its_default(signatures):
    found = signatures.tools["sketch"]
    assert found["unusable"] is None
    assert set(found["parameters"]["properties"]) == {"colour"}
    assert "on is left at its default" in found["notes"][0]
    assert signatures.run("sketch", {"colour": "red"}).value == "('red', None)"


def test_a_type_no_json_can_make_is_the_reason(signatures):
    assert "partial" in signatures.tools["call_me"]["unusable"]


def test_positional_only_arguments_are_bound_by_place(signatures):
    assert signatures.run("half", {"n": 3}).value == 1.5
    assert signatures.run("places", {"first": 1}).value == [1, 2, 3]
    assert signatures.run("places", {"first": 1, "second": 5}).value == [1, 5, 3]


def test_variadic_arguments_reach_the_function(signatures):
    assert properties(signatures, "join")["parts"]["type"] == "array"
    assert signatures.tools["join"]["parameters"]["required"] == ["sep"]
    arguments = {"sep": "-", "parts": ["a", "b"]}
    assert signatures.run("join", arguments).value == "a-b"
    assert signatures.run("join", {"sep": "-"}).value == ""
    assert properties(signatures, "note")["extra"] == {
        "type": "object",
        "additionalProperties": {"type": "string"},
    }
    run = signatures.run("note", {"title": "t", "extra": {"b": "2", "a": "1"}})
    assert run.value == "('t', [('a', '1'), ('b', '2')])"


def test_a_method_needs_an_object(signatures):
    found = signatures.tools["open"]
    assert "needs an object" in found["unusable"]
    assert "self" not in found["parameters"]["properties"]


def test_hints_become_schemas(signatures):
    found = properties(signatures, "everything")
    assert found["level"]["default"] == 1
    assert found["shape"]["default"] == "line"
    assert found["on"] == {"type": "string", "format": "date", "default": "2026-01-02"}
    assert found["count"]["description"] == "How many"
    assert (found["count"]["minimum"], found["count"]["maximum"]) == (1, 9)
    assert found["anything"] == {"default": None}
    assert {"type": "null"} in found["name"]["anyOf"]
    assert found["size"]["default"] == 7
    assert found["size"]["description"] == "Size"
    assert found["data"]["contentEncoding"] == "base64"
    assert found["tags"]["uniqueItems"] is True
    assert signatures.tools["everything"]["parameters"]["required"] == ["colour"]


def test_defaults_are_the_functions_own(signatures):
    said = signatures.run("everything", {"colour": "g"}).value
    assert said == (
        "(<Colour.green: 'g'>, <Level.low: 1>, <Shape.line: (2, 0)>, "
        "datetime.date(2026, 1, 2), None, Decimal('1.10'), PosixPath('.'), "
        "Point(x=1.0, y=0.0), None, None, (1, 'a'), frozenset(), 5, b'', None, 3, "
        "None, 7)"
    )


def test_arguments_are_built_as_the_hints_ask(signatures):
    given = {
        "colour": "r", "level": 2, "shape": "square", "on": "2026-03-04",
        "at": "2026-01-02T03:04:05+01:00", "price": "2.50", "path": "a/b",
        "point": {"x": 1}, "options": {"depth": 2},
        "id": "00000000-0000-0000-0000-000000000001", "pair": [2, "b"],
        "tags": ["t"], "either": [1], "data": base64.b64encode(b"\xff").decode(),
        "anything": {"a": [1]}, "count": 9, "name": "n", "size": 1,
    }  # fmt: skip
    said = signatures.run("everything", given).value
    assert "<Colour.red: 'r'>, <Level.high: 2>, <Shape.square: (4, 4)>" in said
    assert "datetime.date(2026, 3, 4), datetime.datetime(2026, 1, 2, 3, 4, 5" in said
    assert "Decimal('2.50'), PosixPath('a/b'), Point(x=1.0, y=0.0)" in said
    assert "{'depth': 2}, UUID('00000000-0000-0000-0000-000000000001')" in said
    assert "(2, 'b'), {'t'}, [1], b'\\xff', {'a': [1]}, 9, 'n', 1)" in said


def test_an_enum_travels_by_name_inside_a_list_too(signatures):
    run = signatures.run("shapes", {"wanted": ["line"]})
    assert run.value == "[<Shape.line: (2, 0)>]"


def test_models_are_built_and_their_definitions_shared(signatures):
    schema = signatures.tools["hire"]["parameters"]
    assert {"Person", "Address"} <= set(schema["$defs"])
    run = signatures.run(
        "hire",
        {
            "person": {"name": "a", "boss": {"name": "b"}},
            "at": {"street": "s"},
        },
    )
    assert run.value.startswith("(Person(name='a', addresses=[], boss=Person(name='b'")


def test_a_secret_is_marked(signatures):
    assert properties(signatures, "login")["api_key"] == {
        "type": "string",
        "format": "password",
        "writeOnly": True,
    }
    assert signatures.run("login", {"user": "u", "api_key": "12345"}).value == "u 5"


def test_wrong_arguments_are_told_by_name_before_the_tool_runs(signatures):
    run = signatures.run("find_logs", {"days": "many", "more": 1})
    assert run.verdict["failed"]
    assert run.verdict["reported_by"] == "arguments"
    said = run.verdict["error"]
    assert "days:" in said
    assert "more: there is no such argument" in said
    assert "pattern: is missing" in said


def test_a_file_argument_is_an_upload_or_base64(signatures, tmp_path):
    path = tmp_path / "7"
    path.write_text("hello")
    upload = {"path": str(path), "name": "a.txt", "media_type": "text/plain"}
    assert properties(signatures, "read_input")["file"] == {
        "type": "string",
        "format": "binary",
    }
    given = {"file": {"upload": "7"}, "other": {"upload": "7"}}
    run = signatures.run("read_input", given, uploads={"7": upload})
    assert run.value == "('a.txt', 'text/plain', 'hello', '7')"
    run = signatures.run("read_input", {"file": base64.b64encode(b"hi").decode()})
    assert "'hi'" in run.value
    run = signatures.run("read_input", {"file": "/etc/passwd"})
    assert run.verdict["reported_by"] == "arguments"


def test_files_in_a_list_and_as_bytes(signatures, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    uploads = {"1": {"path": str(path), "name": "x", "media_type": ""}}
    given = {"files": [{"upload": "1"}], "raw": {"upload": "1"}}
    assert signatures.run("weigh", given, uploads=uploads).value == [5, 5]


@pytest.mark.parametrize(("tool", "value"), [("ping", "pong h"), ("ping2", "pong2 h")])
def test_async_tools_are_awaited_again_and_again(signatures, tool, value):
    for _ in range(10):
        run = signatures.run(tool, {"host": "h"})
        assert run.value == value
        assert run.output() == ""


def test_generators_are_collected(signatures):
    assert signatures.run("count", {"n": 3}).value == [0, 1, 2]
    assert signatures.run("letters", {"text": "abc"}).value == ["a", "b", "c"]


def test_what_a_declaration_says_is_listed(signatures):
    found = signatures.tools["declared"]
    assert found["dialect"] == "gaia"
    assert found["atomic"] is True
    assert found["display_label"] == "Doing it all"
    assert found["timeout"] == 12.5
    assert found["hints"] == {
        "read_only": True,
        "destructive": False,
        "idempotent": None,
    }
    assert found["tags"] == ["one", "two"]
    assert found["reference"] == "tests.tools.signatures"
    assert len(found["hash"]) == 64


def test_a_docstring_travels_as_it_stands(signatures):
    found = signatures.tools["find_logs"]
    assert (
        "days (int, optional): How far back to go. Default: 7\n" in found["docstring"]
    )
    assert signatures.tools["no_docstring"]["docstring"] is None
    assert signatures.tools["no_docstring"]["description"] == ""
