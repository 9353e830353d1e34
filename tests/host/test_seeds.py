"""The tools of the three guides, as they show them: listed as told, and they run."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from catalog.contract import Contract
from tests.host.conftest import _shared

gaia = _shared("tests.tools.gaia_seed")
lye = _shared("tests.tools.lye_seed")
chain = _shared("tests.tools.chain_seed")
GAIA = {
    "get_weather", "calculate", "search_files", "create_task", "get_user", "search_all",
    "get_system_stats", "search", "search_codebase", "search_web", "read_file",
    "get_item", "delete_file", "query_users", "resize",
}  # fmt: skip


def test_every_tool_of_the_guides_is_listed(gaia, lye, chain):
    assert set(gaia.tools) == GAIA
    assert len(lye.tools) == 6
    assert len(chain.tools) == 11
    for host in (gaia, lye, chain):
        assert host.problems == []
        assert not [t for t in host.tools.values() if t["unusable"]]


def test_entry_of_the_weather_tool_is_as_told_and_more(gaia):
    contract = Contract.from_declaration(gaia.tools["get_weather"])
    assert contract.parameters["required"] == ["city"]
    assert contract.parameters["properties"] == {
        "city": {
            "type": "string",
            "description": 'Name of the city (e.g., "Seattle", "Tokyo")',
        },
        "units": {
            "type": "string",
            "default": "fahrenheit",
            "description": 'Temperature units - "fahrenheit" or "celsius"',
        },
    }
    assert "Use this tool when the user asks about weather" in contract.description
    assert (contract.timeout, contract.atomic, contract.display_label) == (
        None, False, None,
    )  # fmt: skip


def test_options_of_the_decorator_arrive(gaia):
    found = gaia.tools["resize"]
    assert found["display_label"] == "Resizing the picture"
    assert (found["atomic"], found["timeout"]) == (True, 90)


def test_lists_and_optional_lists_are_known(gaia):
    properties = gaia.tools["create_task"]["parameters"]["properties"]
    assert properties["assignees"] == {"type": "array", "items": {"type": "string"}}
    labels = {one["type"] for one in properties["labels"]["anyOf"]}
    assert labels == {"array", "null"}


@pytest.mark.parametrize(
    ("tool", "arguments", "key", "value"),
    [
        ("get_weather", {"city": "Tokyo"}, "temperature", 72),
        ("search_files", {"query": "a", "file_type": "py"}, "count", 10),
        (
            "create_task",
            {"title": "t", "description": "d", "assignees": ["alice", "bob"]},
            "task_id",
            7,
        ),
        ("query_users", {"role": "developer"}, "total_matches", 3),
        ("query_users", {}, "showing", 5),
        ("get_item", {"item_id": 5}, "type", "int"),
    ],
)
def test_tools_of_gaias_guide_run(gaia, tool, arguments, key, value):
    assert gaia.run(tool, arguments).value[key] == value


def test_sum_is_worked_out(gaia):
    assert gaia.run("calculate", {"expression": "2 + 2"}).value == 4.0


def test_error_with_guidance_is_a_failure_with_its_suggestion(gaia):
    verdict = gaia.run("get_user", {"user_id": 999}).verdict
    assert (verdict["failed"], verdict["reported_by"]) == (True, "tool")
    assert verdict["error"] == "No user found with ID 999"
    assert verdict["suggestion"].startswith("Check the user ID")


def test_partial_and_preview_are_shades_of_success(gaia, tmp_path):
    assert gaia.run("search_all", {"query": "q"}).verdict["shade"] == "partial"
    file = tmp_path / "old.json"
    file.write_text("{}")
    preview = gaia.run("delete_file", {"path": str(file)})
    assert preview.verdict["shade"] == "preview"
    assert preview.verdict["message"] == "This would delete:"
    assert file.exists()
    done = gaia.run("delete_file", {"path": str(file), "confirm": True})
    assert done.value["deleted"]["size_bytes"] == 2
    assert not file.exists()


def test_instruction_and_message_are_told(gaia):
    verdict = gaia.run("get_system_stats").verdict
    assert verdict["message"] == "Retrieved system statistics"
    assert verdict["instruction"].startswith("Summarize these statistics")


def test_definition_of_lye_is_as_told(lye):
    found = lye.tools["tool-name"]
    assert found["parameters"]["properties"]["param1"] == {
        "type": "string",
        "description": "Parameter description",
    }
    assert (found["timeout"], found["raw"]["type"]) == (30.0, "standard")
    assert lye.tools["files-create_file"]["tags"] == ["files"]
    typed = lye.tools["demo-typed"]["parameters"]["properties"]
    assert typed["format"]["enum"] == ["text", "json", "html"]


def test_tools_of_lyes_page_run(lye):
    assert lye.run("tool-name", {"param1": "x"}).value == "Processed x"
    assert lye.run("tool-name", {"param1": "x", "param2": 2}).value == "Processed x 2"
    assert lye.run("web-safe_tool", {"url": "none"}).value.startswith("Error: ")
    typed = lye.run("demo-typed", {"text": "t", "tags": ["a"], "enabled": True})
    assert (typed.value["tags"], typed.value["enabled"]) == (["a"], True)


def test_files_of_lye_are_files_of_the_run(lye):
    run = lye.run("files-create_file", {"filename": "a.txt", "content": "héllo"})
    assert run.value == "Created a.txt"
    assert run.file("a.txt").decode() == "héllo"


def test_download_of_lyes_page_runs(lye, tmp_path):
    (tmp_path / "page.txt").write_text("over the wire")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}"
        run = lye.run("web-download_file", {"url": f"{place}/page.txt"})
        missing = lye.run("web-download_file", {"url": f"{place}/nope"})
        server.shutdown()
    assert run.value == "Downloaded page.txt (13 bytes)"
    assert run.file("page.txt") == b"over the wire"
    assert missing.value.startswith("Error downloading file: ")


def test_tool_of_lyes_page_is_cut_off_at_its_limit(lye):
    limit = lye.tools["slow_api_call"]["timeout"]
    run = lye.run("slow_api_call", {"query": "q"}, limit=limit)
    assert (limit, run.end["how"]) == (0.5, "timed_out")


def test_contracts_of_langchains_guide_are_as_told(chain):
    found = chain.tools
    assert found["search"]["parameters"]["properties"] == {
        "query": {"title": "Query", "type": "string"}
    }
    assert found["multiply"]["description"] == "Multiply two numbers."
    assert found["search-tool"]["return_direct"] is True
    assert found["custom_search"]["parameters"]["properties"]["query"] == {
        "title": "Query",
        "description": "should be a search query",
        "type": "string",
    }
    assert found["Calculator"]["parameters"]["properties"]["a"] == {
        "title": "A",
        "description": "first number",
        "type": "integer",
    }
    assert found["calculator"]["return_direct"] is True


@pytest.mark.parametrize(
    ("tool", "arguments", "value"),
    [
        ("search", {"query": "x"}, "LangChain"),
        ("multiply", {"a": 3, "b": 4}, 12),
        ("search-tool", {"query": "x"}, "LangChain"),
        ("custom_search", {"query": "x"}, "LangChain"),
        ("Calculator", {"a": 3, "b": 4}, 12),
        ("Search", {"query": "x"}, "LangChain"),
        ("calculator", {"a": 3, "b": 4}, 12),
    ],
)
def test_tools_of_langchains_guide_run(chain, tool, arguments, value):
    assert chain.run(tool, arguments).value == value


@pytest.mark.parametrize(
    ("tool", "reported_by", "error"),
    [
        ("Search_tool1", "exception", "The search tool1 is not available."),
        ("Search_tool1_true", "tool", "The search tool1 is not available."),
        ("Search_tool1_text", "tool", "Try later."),
        (
            "Search_tool1_function",
            "tool",
            "The following errors occurred during tool execution:"
            "The search tool1 is not available.Please try another tool.",
        ),
    ],
)
def test_errors_of_langchains_guide_are_handled_as_told(
    chain, tool, reported_by, error
):
    verdict = chain.run(tool, {"s": "test"}).verdict
    assert verdict["failed"]
    assert (verdict["reported_by"], verdict["error"]) == (reported_by, error)
