"""What the real packages ship is listed, each with a contract and a form that hold."""

import json
import os
import subprocess

import pytest
from jsonschema import Draft202012Validator

from catalog.contract import Contract
from catalog.schema import validate
from runner import forms
from tests.ecosystems.build import command_of, python_of
from tests.ecosystems.conftest import MIXINS
from tests.ecosystems.filling import least, posted
from tests.environment import ROOT, free_port
from tests.host.hosting import HostProcess, until

SIZES = {
    "rag": 10, "file_search": 10, "file_io": 10, "skills": 8, "filesystem": 6,
    "database": 6, "scratchpad": 5, "email": 5, "memory": 5, "code_index": 4,
    "shell": 4, "cli_setup": 3, "browser": 3, "sd": 3, "vlm": 2, "audio": 2,
    "screenshot": 1, "skill_learning": 1, "wait": 1, "reasoning_effort": 1,
    "file_monitor": 1,
}  # fmt: skip
GATED = {
    "write_file", "edit_file", "write_python_file", "edit_python_file",
    "write_markdown_file", "update_gaia_md", "replace_function", "run_shell_command",
    "wait_for_condition", "install_cli", "sign_in_cli",
}  # fmt: skip
BUILDABLE = ROOT / "tests" / "ecosystems" / "buildable.py"


def check(declared):
    """Hold one declaration to what every listed tool must keep."""
    Draft202012Validator.check_schema(declared["parameters"])
    contract = Contract.from_declaration(declared)
    Draft202012Validator.check_schema(contract.parameters)
    if contract.returns:
        Draft202012Validator.check_schema(contract.returns)
    again = Contract.from_json(json.loads(json.dumps(contract.to_json())))
    assert again.fingerprint == contract.fingerprint
    check_form(contract)


def check_form(contract):
    """The form shows; the least that the contract wants goes through it."""
    wanted = least(contract.parameters, contract.parameters)
    assert validate(wanted, contract.parameters) == (wanted, [])
    form = forms.build(contract.parameters, arguments=wanted)
    sent = forms.read(contract.parameters, posted(form), timezone="UTC")
    assert sent.is_valid, (contract.name, sent.faults)
    assert {name: sent.arguments[name] for name in wanted} == wanted


def references(*names):
    return tuple(f"gaia:{name}" for name in names)


def test_every_mixin_of_gaia_that_needs_no_model_is_listed(listed):
    found = listed("gaia", *references(*MIXINS))
    counted = dict.fromkeys(SIZES, 0)
    for tool in found["tools"]:
        counted[tool["reference"].removeprefix("gaia:")] += 1
    assert counted == SIZES
    assert len(found["tools"]) == 91
    assert not [tool["name"] for tool in found["tools"] if tool["unusable"]]
    assert all("is taken by" in problem["reason"] for problem in found["problems"])


def test_tools_of_gaia_have_contracts_and_forms(listed):
    for tool in listed("gaia", *references(*MIXINS))["tools"]:
        check(tool)
        assert tool["description"]


def test_gate_of_gaia_is_a_gate_here(listed):
    found = listed("gaia", *references(*MIXINS))["tools"]
    gated = {
        tool["name"].rpartition(".")[2] for tool in found if tool["needs_approval"]
    }
    assert gated == GATED


def test_labels_limits_and_choices_of_gaia_arrive(listed):
    found = listed("gaia", *references(*MIXINS))["tools"]
    tools = {tool["name"]: tool for tool in found}
    labels = {
        name: t["display_label"] for name, t in tools.items() if t["display_label"]
    }
    assert labels == {
        "sleep": "Waiting",
        "get_shell_state": "Shell state",
        "reset_shell_session": "Reset shell",
        "set_reasoning_effort": "Setting reasoning effort",
    }
    assert tools["run_shell_command"]["timeout"] == 3660
    assert tools["index_document"]["timeout"] == 600
    assert tools["read_file"]["timeout"] is None
    assert tools["generate_image"]["atomic"] is True
    extract = tools["fetch_page"]["parameters"]["properties"]["extract"]
    assert extract["enum"] == ["text", "html", "links", "tables"]
    assert extract["default"] == "text"


def test_help_of_arguments_is_taken_from_gaias_docstrings(listed):
    found = {t["name"]: t for t in listed("gaia", *references(*MIXINS))["tools"]}
    contract = Contract.from_declaration(found["sleep"])
    assert contract.parameters["properties"]["seconds"]["description"]
    assert "Args:" not in contract.description
    assert contract.summary.startswith("Wait")


def test_mixin_that_needs_a_browser_is_told_with_the_reason(listed):
    found = listed("gaia", "gaia:browser_use", "gaia:wait")
    (problem,) = found["problems"]
    assert problem["reference"] == "gaia:browser_use"
    assert "Playwright is not installed" in problem["reason"]
    assert [tool["name"] for tool in found["tools"]] == ["sleep"]


def test_name_that_gaias_registry_does_not_have_is_told(listed):
    (problem,) = listed("gaia", "gaia:teleport")["problems"]
    assert "has no 'teleport'; it has audio, browser" in problem["reason"]


def test_every_tool_of_lye_is_listed(listed):
    found = listed("lye", "lye")
    assert (len(found["tools"]), found["problems"]) == (32, [])
    tags = {tag for tool in found["tools"] for tag in tool["tags"]}
    assert tags == {
        "web", "slack", "command_line", "notion", "image", "audio", "files", "browser",
        "wandb",
    }  # fmt: skip
    for tool in found["tools"]:
        check(tool)
        assert tool["description"]
        assert not tool["unusable"]
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert sum(tool["is_async"] for tool in tools.values()) == 9


def test_module_of_lye_that_cannot_be_imported_is_told(listed, tmp_path):
    (tmp_path / "poppler_tools.py").write_text("import a_package_that_is_not_here\n")
    found = listed("lye", "poppler_tools", "lye.web", path=(str(tmp_path),))
    (problem,) = found["problems"]
    assert "No module named 'a_package_that_is_not_here'" in problem["reason"]
    assert len(found["tools"]) == 2


def test_one_tool_of_lye_is_named_by_its_name(listed):
    found = listed("lye", "lye.files:files-read_file")
    assert [tool["name"] for tool in found["tools"]] == ["files-read_file"]


@pytest.fixture(scope="module")
def buildable(pythons, tmp_path_factory):
    """LangChain community's tools that can be built from nothing, by trying each."""
    done = subprocess.run(
        [pythons["langchain"], str(BUILDABLE)],
        capture_output=True, text=True, cwd=tmp_path_factory.mktemp("cwd"), check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_every_community_tool_that_can_be_built_is_listed(listed, buildable):
    assert len(buildable) == 14
    found = listed("langchain", *buildable)
    assert found["problems"] == []
    assert [t["name"] for t in found["tools"]] == list(buildable.values())
    for tool in found["tools"]:
        check(tool)
        assert tool["description"]
        assert not tool["unusable"]


def test_toolkits_are_listed_through_a_factory(listed, place):
    found = listed(
        "langchain",
        "community:make_tools",
        "langchain_community.agent_toolkits:FileManagementToolkit",
        path=(str(ROOT / "tests" / "tools"),),
    )
    names = {tool["name"] for tool in found["tools"]}
    assert {"json_spec_get_value", "sql_db_query", "requests_get", "sleep"} <= names
    assert len([t for t in found["tools"] if "Toolkit" in t["reference"]]) == 7
    for tool in found["tools"]:
        check(tool)


def test_community_class_that_wants_a_key_is_listed_with_the_reason(listed):
    name = "langchain_community.tools.sql_database.tool:QuerySQLDatabaseTool"
    (tool,) = listed("langchain", name)["tools"]
    assert tool["name"] == "sql_db_query"
    assert tool["unusable"].startswith("cannot be built from nothing")


@pytest.mark.parametrize(
    ("ecosystem", "wanted"), [("gaia", references(*MIXINS)), ("lye", ("lye",))]
)
def test_page_of_every_tool_shows_its_form(
    client, alice, tool_factory, listed, ecosystem, wanted
):
    client.force_login(alice)
    for declared in listed(ecosystem, *wanted)["tools"]:
        told = {key: declared[key] for key in SHOWN}
        tool = tool_factory(declared["name"], ecosystem, declared["parameters"], **told)
        answer = client.get(tool.get_absolute_url())
        assert answer.status_code == 200, declared["name"]
        page = answer.content.decode()
        for name in declared["parameters"]["properties"]:
            assert f"/{name}" in page, (declared["name"], name)


SHOWN = ("description", "docstring", "display_label", "needs_approval", "tags", "notes")
MCP_SERVERS = {
    "mcp-server-everything": 17,
    "mcp-server-filesystem": 14,
    "mcp-server-memory": 9,
    "mcp-server-time": 2,
    "mcp-server-fetch": 1,
    "mcp-server-git": 12,
}


@pytest.mark.parametrize("name", MCP_SERVERS)
def test_tools_of_mcp_servers_have_contracts_and_forms(
    tmp_path, pythons, monkeypatch, name
):
    monkeypatch.setenv("PATH", str(python_of("mcp").parent), prepend=":")
    command = command_of(name) if command_of(name).exists() else name
    mcp = {"command": str(command), "args": [str(tmp_path)] if "file" in name else []}
    host = HostProcess(tmp_path, [], python=pythons["mcp"], mcp=mcp)
    host.stop()
    assert (len(host.tools), host.problems) == (MCP_SERVERS[name], [])
    for tool in host.tools.values():
        check(tool)
        assert tool["description"]
        assert "server's own word" in tool["notes"][0]


def test_what_a_server_shows_only_to_abler_clients_is_listed_with_the_reason(
    tmp_path, pythons
):
    mcp = {"command": str(command_of("mcp-server-everything"))}
    host = HostProcess(tmp_path, [], python=pythons["mcp"], mcp=mcp)
    host.stop()
    lacking = {n: t["unusable"] for n, t in host.tools.items() if t["unusable"]}
    assert set(lacking) == {
        "simulate-research-query", "get-roots-list", "trigger-elicitation-request",
        "trigger-url-elicitation", "trigger-sampling-request",
    }  # fmt: skip
    assert "offers sampling" in lacking["trigger-sampling-request"]
    assert "offers elicitation" in lacking["trigger-elicitation-request"]


def test_server_is_reached_by_its_address(tmp_path, pythons):
    port = free_port()
    command = [str(command_of("mcp-server-everything")), "streamableHttp"]
    environment = os.environ | {"PORT": str(port)}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        until(lambda: b"listening" in (tmp_path / "log").read_bytes(), 20)
        mcp = {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-Mark": "1"}}
        host = HostProcess(tmp_path, [], python=pythons["mcp"], mcp=mcp)
        assert len(host.tools) == 17
        run = host.run("get-sum", {"a": 2, "b": 3}, limit=30)
        climb = {"duration": 1, "steps": 4}
        long = host.run("trigger-long-running-operation", climb, limit=30)
        server.kill()
        server.wait()
        gone = host.run("echo", {"message": "x"}, limit=30)
        host.stop()
    finally:
        server.kill()
        server.wait()
    assert run.value == "The sum of 2 and 3 is 5."
    assert long.of_kind("progress")[-1]["current"] == 4
    assert gone.verdict["failed"]
    assert str(port) in gone.verdict["error"]


def test_source_without_the_package_is_told_what_it_needs(tmp_path, pythons):
    mcp = {"command": "mcp-server-time"}
    host = HostProcess(tmp_path, [], python=pythons["frames"], mcp=mcp)
    host.stop()
    (problem,) = host.problems
    assert problem["reason"].startswith("needs the package mcp, 2 or newer, in ")
