"""Modules of functions under GAIA's own `tool`: what hints ask for is what arrives."""

import sys

import pytest

from tests.environment import ROOT
from tests.host.hosting import HostProcess

TOOLS = ROOT / "tests" / "tools"


@pytest.fixture(scope="module")
def host(tmp_path_factory, pythons):
    folder = tmp_path_factory.mktemp("host")
    names = ["gaia_odd", "gaia_seed"]
    host = HostProcess(folder, names, python=pythons["gaia"], path=[TOOLS])
    yield host
    host.stop()


def test_tools_of_the_guide_are_the_same_under_both_decorators(host, tmp_path):
    ours = HostProcess(tmp_path, ["gaia_seed"], python=sys.executable, path=[TOOLS])
    ours.stop()
    keys = (
        "parameters",
        "description",
        "timeout",
        "atomic",
        "display_label",
        "returns",
    )
    assert ours.tools
    for name, declared in ours.tools.items():
        assert {k: host.tools[name][k] for k in keys} == {k: declared[k] for k in keys}


def test_members_dates_records_and_models_are_built(host):
    least = {
        "c": "red", "d": "2026-11-30", "p": "/x", "at": {"x": 1}, "o": {"n": 1},
    }  # fmt: skip
    types = ["Colour", "date", "PosixPath", "Point", "Order"]
    more = ["NoneType", "float", "str", "int"]
    assert host.run("kinds", least).value == types + more
    full = least | {"n": 5, "f": 2, "m": "b", "u": "text"}
    assert host.run("kinds", full).value == [*types, "int", "float", "str", "str"]
    refused = host.run("kinds", least | {"c": "green"}).verdict
    assert refused["reported_by"] == "arguments"
    assert refused["error"].startswith("c: ")


def test_arguments_that_have_no_name_arrive(host):
    assert host.run("half", {"n": 3}).value == 1.5
    assert host.run("join", {"sep": "-", "parts": ["a", "b"]}).value == "a-b"
    value = host.run("note", {"title": "t", "extra": {"k": "v"}}).value
    assert value == "('t', {'k': 'v'})"


def test_generator_is_collected_and_an_exit_is_told(host):
    assert host.run("count", {"n": 3}).value == [0, 1, 2]
    verdict = host.run("leave").verdict
    assert (verdict["exception"], verdict["reported_by"]) == ("SystemExit", "exception")


def test_limit_of_gaia_itself_never_ends_a_call(host):
    environment = {"GAIA_AGENT_TOOL_TIMEOUT": "0.1"}
    assert host.run("slow", limit=5, env=environment).value == "done"
    extended = host.run("slow", limit=0.5, extends={"cap": 5}, env=environment)
    assert extended.end["how"] == "timed_out"


def test_type_that_cannot_be_found_makes_only_its_tool_unusable(host):
    unusable = {n: t["unusable"] for n, t in host.tools.items() if t["unusable"]}
    assert unusable == {"lost": "argument 'when': type not resolvable: Nowhere"}
