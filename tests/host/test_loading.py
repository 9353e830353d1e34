"""What a host makes of its references, and what it says when it cannot."""

import socket
import subprocess
import sys

import pytest

from catalog.host.pegboard_host.frames import Channel
from tests.host.hosting import ROOT


def write(folder, name, text):
    path = folder / f"{name}.py"
    path.write_text(text)
    return path


def test_two_tools_of_one_name_are_both_listed(start_host):
    host = start_host("tests.tools.notes.a", "tests.tools.notes.b")
    assert set(host.tools) == {"read_note", "tests.tools.notes.b.read_note"}
    (problem,) = host.problems
    assert problem["reference"] == "tests.tools.notes.b"
    assert "tests.tools.notes.a" in problem["reason"]
    assert host.run("read_note", {"name": "n"}).value == "A:n"
    assert host.run("tests.tools.notes.b.read_note", {"name": "n"}).value == "B:n"


def test_a_tool_found_twice_is_listed_once(start_host):
    host = start_host("tests.tools.notes.a", "tests.tools.notes.a:read_note")
    assert list(host.tools) == ["read_note"]
    assert host.problems == []


NO_JSON = """
def named(name, **schema):
    function = {"name": name, "description": "Do it.", "parameters": schema}
    definition = {"type": "function", "function": function}
    return {"definition": definition, "implementation": dict}

TOOLS = [
    named("nan", properties={"a": {"default": float("nan")}}),
    named("fine"),
]
"""


def test_a_tool_that_json_cannot_say_is_one_line_and_the_others_work(
    start_host, tmp_path
):
    write(tmp_path, "no_json", NO_JSON)
    host = start_host("no_json:TOOLS", path=[tmp_path])
    assert list(host.tools) == ["fine"]
    (problem,) = host.problems
    assert problem["reference"] == "no_json:TOOLS"
    assert "'nan' is not listed: what it declares is not JSON" in problem["reason"]


def test_a_wrong_reference_is_one_line_and_the_others_work(start_host, tmp_path):
    write(tmp_path, "half_done", "import json\nraise RuntimeError('not\\nready')\n")
    write(tmp_path, "typo", "def f(:\n")
    write(tmp_path, "quits", "import sys\nsys.exit('enough')\n")
    write(tmp_path, "nothing", "x = 1\n")
    write(tmp_path, "needs", "import no_such_package\n")
    references = ["no_such_module", "half_done", "typo", "quits", "nothing", "needs",
                  "tests.tools.deeds:nowhere", "nothing:x"]  # fmt: skip
    host = start_host("tests.tools.notes.a", *references, path=[tmp_path])
    assert list(host.tools) == ["read_note"]
    assert [problem["reference"] for problem in host.problems] == references
    said = {problem["reference"]: problem["reason"] for problem in host.problems}
    assert all("\n" not in reason for reason in said.values())
    assert "no_such_module" in said["no_such_module"]
    assert "not ready" in said["half_done"]
    assert "half_done.py, line 2" in said["half_done"]
    assert "no_such_package" in said["needs"]
    assert "nowhere" in said["tests.tools.deeds:nowhere"]


def test_wrong_declarations_say_what_is_accepted(start_host, tmp_path):
    head = "from pegboard_tool import tool\n"
    write(tmp_path, "retries", head + "@tool(retries=3)\ndef bad(): ...\n")
    write(tmp_path, "zero", head + "@tool(timeout=0)\ndef bad(): ...\n")
    write(tmp_path, "hint", head + "@tool(hints={'safe': True})\ndef bad(): ...\n")
    host = start_host("retries", "zero", "hint", path=[tmp_path])
    said = [problem["reason"] for problem in host.problems]
    assert "unexpected keyword argument 'retries' for tool 'bad'. Accepted:" in said[0]
    assert "timeout for tool 'bad' must be a positive number, got 0" in said[1]
    assert "unknown hints: safe" in said[2]


def test_plain_functions_are_listed_when_nothing_else_is_there(start_host, tmp_path):
    text = "from json import dumps\ndef twice(n: int) -> int:\n    return 2 * n\n"
    write(tmp_path, "plain", text + "def _hidden(): ...\n")
    host = start_host("plain", path=[tmp_path])
    assert list(host.tools) == ["twice"]
    assert host.tools["twice"]["dialect"] == "function"
    assert host.run("twice", {"n": 2}).value == 4


def test_what_imports_print_and_leave_is_no_runs(start_host, tmp_path):
    write(
        tmp_path,
        "noisy",
        "import subprocess, threading, time\n"
        "print('loud')\n"
        "process = subprocess.Popen(['sleep', '60'])\n"
        "threading.Thread(target=time.sleep, args=(9,), name='left', daemon=True)"
        ".start()\n"
        "def tell() -> int:\n    return process.poll() or process.pid\n",
    )
    host = start_host("noisy", path=[tmp_path])
    assert host.loaded["threads"] == ["left"]
    run = host.run("tell")
    assert run.output() == ""
    assert host.run("tell").value == run.value


def test_a_fresh_process_per_run_where_the_source_asks_for_it(start_host, tmp_path):
    write(
        tmp_path,
        "counter",
        "import os\nseen = []\n"
        "def count() -> list:\n    seen.append(1)\n"
        "    return [len(seen), os.getpid(), os.getppid()]\n",
    )
    host = start_host(
        "counter", "tests.tools.deeds", path=[tmp_path], isolation="spawn"
    )
    run = host.run("count")
    assert run.value[0] == 1
    assert run.value[1] == run.of_kind("started")[0]["pid"]
    assert host.run("add", {"a": 1, "b": 2}).value == 3
    run = host.run("stubborn", limit=0.5)
    assert run.end["how"] == "timed_out"
    run = host.run("report", {"times": 5})
    assert run.of_kind("progress")[-1]["current"] == 5
    assert host.run("every_level").output().startswith("from python\n")


def test_a_host_waits_for_no_worker_that_is_gone(start_host, tmp_path):
    write(tmp_path, "slow", "import time\ntime.sleep(60)\n")
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "catalog/host"), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
        )
    control = Channel(ours)
    source = {"op": "load", "source": "s", "tools": ["slow"], "path": [str(tmp_path)]}
    control.send(source)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    control.close()
    process.wait(5)


def test_an_unknown_tool_is_no_crash(deeds):
    run = deeds.run("no_such_tool")
    assert run.verdict["reported_by"] == "arguments"
    assert "no_such_tool" in run.verdict["error"]


def test_two_thousand_tools_are_listed_in_time(start_host, tmp_path):
    parts = [
        f"@tool\ndef tool_{number}(a: int, b: str = 'x', c: float | None = None)"
        f" -> str:\n    '''Tool {number}.'''\n    return b\n"
        for number in range(2000)
    ]
    write(tmp_path, "many", "from pegboard_tool import tool\n" + "".join(parts))
    host = start_host("many", path=[tmp_path])
    assert len(host.tools) == 2000
