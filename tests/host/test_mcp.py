"""MCP servers as sources: what is listed, what comes back, how they break off."""

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.host.hosting import ROOT, HostProcess, alive, until

SERVER = str(ROOT / "tests" / "tools" / "mcp_server.py")


def server(*words, **more):
    return {"command": sys.executable, "args": [SERVER, *words], **more}


@pytest.fixture(scope="module")
def traits(tmp_path_factory):
    host = HostProcess(tmp_path_factory.mktemp("host"), [], mcp=server())
    yield host
    host.stop()


def test_all_pages_of_a_list_are_read(traits):
    assert traits.problems == []
    assert len(traits.tools) == 14
    assert "odd/name with spaces" in traits.tools


def test_titles_schemas_and_untrusted_hints_are_told(traits):
    said = traits.tools["say"]
    assert (said["dialect"], said["title"]) == ("mcp", "Say it again")
    assert said["hints"] == {"read_only": True, "destructive": None, "idempotent": True}
    assert "server's own word" in said["notes"][0]
    assert said["needs_approval"] is False
    assert said["raw"]["inputSchema"] == said["parameters"]
    assert traits.tools["sum"]["returns"]["required"] == ["sum"]


def test_tools_that_want_more_than_pegboard_gives_are_listed_with_the_reason(traits):
    assert "task support" in traits.tools["long-task"]["unusable"]
    assert "offers sampling" in traits.tools["ponder"]["unusable"]
    run = traits.run("ponder")
    assert (run.verdict["reported_by"], run.verdict["failed"]) == ("arguments", True)


def test_text_is_the_value_and_logs_are_output(traits):
    run = traits.run("say", {"text": "hé"})
    assert (run.value, run.told["model_text"]) == ("hé", "hé")
    assert "[info] about to say it" in run.output("stdout")
    assert traits.run("nothing").value is None
    assert traits.run("odd/name with spaces").value == "odd"


def test_structured_content_is_the_value_and_its_text_what_a_model_sees(traits):
    run = traits.run("sum")
    assert (run.value, run.told["model_text"]) == ({"sum": 5}, '{"sum": 5}')


def test_every_kind_of_content_arrives_with_its_bytes_as_files(traits):
    run = traits.run("everything")
    see, image, audio, resource, blob, link = run.value
    assert see == {"type": "text", "text": "see:"}
    assert image["data"]["media_type"] == "image/png"
    assert run.file(image["data"]["$file"]).startswith(b"\x89PNG")
    assert run.file(audio["data"]["$file"]).startswith(b"RIFF")
    assert resource["resource"]["text"] == "in it"
    assert run.file(blob["resource"]["blob"]["$file"]).startswith(b"\x89PNG")
    assert link["uri"] == "https://example.org/"
    assert run.told["model_text"] == "see:"


def test_progress_of_a_server_moves_the_bar(traits):
    run = traits.run("climb")
    found = [(f["current"], f["total"], f["message"]) for f in run.of_kind("progress")]
    assert found[0] == (1.0, 3.0, "at 1")
    assert found[-1] == (3.0, 3.0, "at 3")


def test_is_error_is_a_failure_with_its_text(traits):
    verdict = traits.run("fail").verdict
    assert (verdict["failed"], verdict["reported_by"]) == (True, "tool")
    assert verdict["error"] == "the shelf is empty"
    assert traits.run("refuse").verdict["reported_by"] == "arguments"


def test_what_was_not_offered_is_refused_to_a_server_that_asks(traits):
    verdict = traits.run("asks").verdict
    assert verdict["failed"]
    assert "not supported" in verdict["error"].lower()


def test_server_that_dies_in_a_call_ends_the_run_truthfully(traits):
    run = traits.run("die")
    assert run.end["how"] == "exited"
    assert run.verdict["failed"]
    assert "Connection closed" in run.verdict["error"]
    assert traits.run("say", {"text": "still"}).value == "still"


def test_server_that_hangs_is_told_and_ended_at_the_limit(traits, tmp_path):
    notes = tmp_path / "notes"
    run = traits.run("hang", {"text": str(notes)}, limit=1.0, grace=2.0)
    assert run.end["how"] == "timed_out"
    assert run.end["seconds"] < 4
    assert not run.of_kind("value")


def test_cancel_reaches_the_server_and_leaves_nothing(traits, tmp_path):
    run = traits.start("hang", {"text": str(tmp_path / "notes")}, grace=1.0)
    began = run.wait_for("started")
    time.sleep(0.8)
    server_pids = _below(began["pid"])
    assert server_pids
    run.cancel()
    assert run.to_end().end["how"] == "cancelled"
    until(lambda: not any(map(alive, server_pids)))


def _below(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(n) for task in tasks for n in (task / "children").read_text().split()]


def test_each_run_has_a_server_of_its_own_in_its_folder_and_environment(traits):
    first, second = (
        json.loads(traits.run("who", env={"MARK": "1"}).value) for _ in range(2)
    )
    assert first["pid"] != second["pid"]
    assert not alive(first["pid"])
    assert first["cwd"] != second["cwd"]
    assert first["cwd"].endswith("/work")
    assert {"MARK", "PEGBOARD_RUN_DIR", "HOME"} <= set(first["names"])


def test_settings_of_a_server_reach_it(tmp_path):
    mcp = server(env={"OWN": "x"}, cwd="/")
    host = HostProcess(tmp_path, [], mcp=mcp)
    here = json.loads(host.run("who").value)
    host.stop()
    assert here["cwd"] == "/"
    assert "OWN" in here["names"]


@pytest.mark.parametrize(
    ("mcp", "reason"),
    [
        ({"command": "no-such-server"}, "there is no command 'no-such-server'"),
        (server("dead"), "Connection closed"),
        ({"url": "http://127.0.0.1:9/mcp"}, "127.0.0.1:9"),
    ],
)
def test_server_that_is_not_there_is_one_line(tmp_path, mcp, reason):
    host = HostProcess(tmp_path, ["tests.tools.notes.a"], mcp=mcp)
    host.stop()
    (problem,) = host.problems
    assert problem["reference"] == "mcp"
    assert reason in problem["reason"]
    assert list(host.tools) == ["read_note"]


def test_a_fresh_process_per_run_has_its_server_too(tmp_path):
    host = HostProcess(tmp_path, [], mcp=server(), isolation="spawn")
    run = host.run("say", {"text": "anew"}, limit=20)
    host.stop()
    assert run.value == "anew"


def test_killed_host_takes_the_servers_with_it(tmp_path):
    host = HostProcess(tmp_path, [], mcp=server())
    run = host.start("hang", {"text": str(tmp_path / "notes")})
    began = run.wait_for("started")
    time.sleep(0.8)
    pids = [began["pid"], *_below(began["pid"])]
    host.process.send_signal(signal.SIGKILL)
    until(lambda: not any(map(alive, pids)))
    run.to_end()
    host.stop()
