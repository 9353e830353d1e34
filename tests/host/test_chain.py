"""LangChain's tools: what a model sees, how they are called, how they fail."""

import pytest


def test_contracts_are_what_a_model_sees(chain):
    found = chain.tools["search-tool"]
    assert found["dialect"] == "langchain"
    assert found["return_direct"] is True
    assert found["description"] == "Look up things online."
    assert found["parameters"]["properties"] == {
        "query": {
            "title": "Query",
            "description": "should be a search query",
            "type": "string",
        }
    }
    assert chain.tools["artifact"]["response_format"] == "content_and_artifact"
    assert chain.tools["ping3"]["is_async"]
    assert list(chain.tools["single"]["parameters"]["properties"]) == ["__arg1"]


@pytest.mark.parametrize(
    ("tool", "arguments", "value"),
    [
        ("multiply", {"a": 3, "b": 4}, 12),
        ("search-tool", {"query": "x"}, "LangChain"),
        ("Calculator", {"a": 3, "b": 4}, 12),
        ("upper", {"q": "a"}, "A"),
        ("lower", {"q": "A"}, "a"),
        ("ping3", {"host": "h"}, "pong3 h"),
        ("shell", {"host": "h"}, "shell h"),
        ("whoever", {"greeting": "hi"}, "hi somebody"),
        ("my_call", {"text": "t"}, "t call_"),
        ("single", {"__arg1": "one"}, "got one"),
        ("shapeless", {"n": 1}, {"n": 1}),
    ],
)
def test_values_are_those_of_a_direct_call(chain, tool, arguments, value):
    for _ in range(2):
        run = chain.run(tool, arguments)
        assert run.value == value
        assert run.output() == ""


def test_content_and_artifact(chain):
    run = chain.run("artifact", {"n": 2})
    assert run.value == {"content": "2 numbers", "artifact": [0, 1]}
    assert run.told["model_text"] == "2 numbers"


def test_the_model_sees_the_messages_content(chain):
    assert chain.run("multiply", {"a": 3, "b": 4}).told["model_text"] == "12"


def test_an_injected_argument_is_never_asked_for(chain):
    found = chain.tools["whoami"]
    assert "user_id" in found["unusable"]
    assert "runtime value Pegboard does not have" in found["unusable"]
    for name in ("whoami", "whoever"):
        assert set(chain.tools[name]["parameters"]["properties"]) == {"greeting"}
        assert chain.tools[name]["parameters"]["additionalProperties"] is False
    assert list(chain.tools["my_call"]["parameters"]["properties"]) == ["text"]


def test_an_injected_argument_is_not_accepted(chain):
    run = chain.run("whoever", {"greeting": "hi", "user_id": "root"})
    assert run.verdict["reported_by"] == "arguments"
    assert "user_id" in run.verdict["error"]


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("tells", "The search tool1 is not available."),
        ("says", "try later"),
        ("asks", "sorry: The search tool1 is not available."),
    ],
)
def test_a_handled_tool_exception_is_a_failure_the_tool_reports(chain, tool, error):
    verdict = chain.run(tool, {"s": "x"}).verdict
    assert (verdict["reported_by"], verdict["error"]) == ("tool", error)


def test_an_unhandled_one_is_an_exception(chain):
    verdict = chain.run("raises", {"s": "x"}).verdict
    assert verdict["reported_by"] == "exception"
    assert verdict["exception"].endswith("ToolException")
    verdict = chain.run("broken", {"n": 1}).verdict
    assert (verdict["reported_by"], verdict["error"]) == ("exception", "bad 1")
    assert "langchain_core" not in verdict["traceback"]


def test_refused_arguments_are_told_as_such(chain):
    verdict = chain.run("multiply", {"a": "x", "b": 1}).verdict
    assert verdict["reported_by"] == "arguments"
    verdict = chain.run("lenient", {"a": "x", "b": 1}).verdict
    assert verdict["reported_by"] == "arguments"
    assert verdict["error"] == "give two numbers"


def test_custom_events_are_progress(chain):
    run = chain.run("steps", {"n": 4})
    last = run.of_kind("progress")[-1]
    assert (last["current"], last["total"], last["message"]) == (4, 4, "m")


def test_toolkits_classes_and_factories_are_opened(start_host):
    host = start_host(
        "tests.tools.chain:toolkit",
        "tests.tools.chain:CustomCalculatorTool",
        "tests.tools.chain:Upper",
        "tests.tools.chain:make_tools()",
    )
    assert set(host.tools) == {
        "multiply",
        "Calculator",
        "upper",
        "tests.tools.chain:make_tools().Calculator",
    }
    assert host.run("upper", {"q": "a"}).value == "A"
