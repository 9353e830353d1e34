"""Runs on a real board: real Valkey, worker, hosts and web, asked through the API."""

import json
import time

import pytest

from tests.board import until


def running(board, run):
    return until(
        lambda: board.look(run["id"])["state"] == "running", 10, "the start of the run"
    )


def test_value_output_and_events_of_an_ordinary_run(board):
    run = board.run("cases/add", {"a": 4})
    assert (run["state"], run["outcome"]["value"]) == ("succeeded", 7)
    kinds = [e["data"].get("state", e["kind"]) for e in board.events(run["id"])]
    assert kinds == ["queued", "running", "outcome", "succeeded"]


def test_waiting_start_whose_time_is_up_tells_the_run_as_it_is(board):
    answer = board.api().post(
        "tools/cases/slow_append/runs",
        json={"arguments": {"path": "x", "seconds": 5}},
        headers={"Prefer": "wait=2"},
    )
    run = answer.json()
    assert (answer.status_code, run["state"]) == (202, "running")
    assert run["times"]["started"]
    board.ended(run["id"])


def test_streams_are_read_at_descriptor_level(board):
    run = board.run("cases/both")
    found = [e["data"] for e in board.events(run["id"]) if e["kind"] == "output"]
    texts = {
        stream: "".join(d["text"] for d in found if d["stream"] == stream)
        for stream in ("stdout", "stderr")
    }
    assert texts == {"stdout": "out 1\nout 2\nout 3\n", "stderr": "err 1\nerr 2\n"}


@pytest.mark.parametrize("source", ["cases", "fresh"])
def test_tool_that_swallows_every_exception_times_out(board, source):
    began = time.monotonic()
    run = board.run(f"{source}/stubborn")
    took = time.monotonic() - began
    assert run["state"] == "timed_out"
    assert run["reason"].startswith("Tool 'stubborn' timed out after 1 seconds")
    assert run["times"]["seconds"] < 1 + 0.5 + 1
    assert took < 10
    assert board.run(f"{source}/add", {"a": 1})["state"] == "succeeded"


def test_long_call_in_c_times_out(board):
    assert board.run("cases/busy")["state"] == "timed_out"


def test_grandchildren_in_sessions_of_their_own_are_gone(board, tmp_path):
    file = tmp_path / "written"
    assert board.run("cases/breed", {"path": str(file)})["state"] == "timed_out"
    size = file.stat().st_size
    time.sleep(0.4)
    assert file.stat().st_size == size


def test_cancel_ends_the_children_too(board, tmp_path):
    file = tmp_path / "ticks"
    run = board.start_run("cases/ticker", {"path": str(file)})
    until(file.exists, 10, "the first tick")
    answer = board.api().post(f"runs/{run['id']}/cancel").json()
    assert answer["state"] in ("cancelling", "cancelled")
    assert board.api().post(f"runs/{run['id']}/cancel").status_code == 200
    ended = board.ended(run["id"])
    assert (ended["state"], ended["reason"]) == ("cancelled", "cancelled by alice")
    size = file.stat().st_size
    time.sleep(0.4)
    assert file.stat().st_size == size


@pytest.mark.parametrize(
    ("how", "words"), [("exit", "exit code 3"), ("kill", "signal 9 (SIGKILL)")]
)
def test_crash_is_told_in_words(board, how, words):
    run = board.run("cases/die", {"how": how})
    assert run["state"] == "crashed"
    assert words in run["reason"]


def test_async_tools_give_real_values_ten_times(board):
    for n in range(10):
        assert (
            board.run("cases/ping", {"host": str(n)})["outcome"]["value"] == f"pong {n}"
        )
        assert board.run("cases/ping2", {"host": "x"})["outcome"]["value"] == "pong2 x"
    assert board.run("cases/count", {"n": 3})["outcome"]["value"] == [0, 1, 2]
    assert "never awaited" not in board.log("worker")


def test_every_progress_call_at_an_ordinary_rate_arrives(board):
    for _ in range(5):
        run = board.run("cases/report")
        told = [e["data"] for e in board.events(run["id"]) if e["kind"] == "progress"]
        assert [d["current"] for d in told] == [1, 2, 3]
        assert told[-1]["fraction"] == 1
    assert "Event loop is closed" not in board.log("worker")


def test_undefined_numbers_are_strict_json(board):
    run = board.run("cases/stats")
    assert run["outcome"]["value"] == {
        "mean": "NaN",
        "hi": "Infinity",
        "lo": "-Infinity",
        "n": 3,
        "rows": [[1.0, "NaN"]],
    }
    pointers = {n["pointer"] for n in run["outcome"]["notes"]}
    assert pointers == {"/mean", "/hi", "/lo", "/rows/0/1"}


def fetch(board, run, name):
    return board.api().get(f"runs/{run['id']}/artifacts/{name}")


def test_bytes_come_back_identical(board):
    run = board.run("cases/thumb")
    [name] = run["outcome"]["files"]
    answer = fetch(board, run, name)
    assert answer.content == b"\x89PNG\r\n\x1a\n\x00\xff\xfe"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    run = board.run("cases/nested")
    contents = {fetch(board, run, name).content for name in run["outcome"]["files"]}
    assert contents == {b"\xff", b"plain"}


def test_awkward_values_are_kept(board):
    run = board.run("cases/mixed")
    assert run["state"] == "succeeded", run
    value = run["outcome"]["value"]
    assert value["ids"] == [1, 3]
    assert value["when"].startswith("2026-01-02T00:00:00")
    assert len(value) == 7, "both keys 1 and '1' are kept"
    assert "not shown" in json.dumps(value["m"])
    assert board.run("cases/mixed", {"mode": "loop"})["state"] == "succeeded"
    run = board.run("cases/mixed", {"mode": "error"})
    assert (run["state"], run["outcome"]["exception"]) == ("failed", "cases.Loud")
    assert run["outcome"]["reported_by"] == "exception"


def test_failure_that_a_tool_reports_is_a_failure(board):
    run = board.run("cases/broken", {"text": "x"})
    assert run["state"] == "failed"
    outcome = run["outcome"]
    assert (outcome["reported_by"], outcome["error"], outcome["suggestion"]) == (
        "tool",
        "No such thing: x",
        "Look.",
    )


def test_file_left_in_the_folder_is_an_artifact(board):
    run = board.run("cases/where")
    assert "made.txt" in run["outcome"]["files"]
    assert fetch(board, run, "made.txt").content == b"made"


def test_tool_sees_no_secret_of_pegboard(board):
    seen = board.run("cases/where")["outcome"]["value"]
    assert not {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "PEGBOARD_DATA"} & set(
        seen["env"]
    )


def test_preview_then_confirm(board):
    run = board.run("cases/delete", {"path": "a.txt"})
    assert (run["state"], run["shade"]) == ("succeeded", "preview")
    started = board.api().post(f"runs/{run['id']}/confirm").json()
    ended = board.ended(started["id"])
    assert ended["arguments"] == {"path": "a.txt", "confirm": True}
    assert ended["outcome"]["message"] == "Deleted a.txt"


def test_secret_is_nowhere_to_be_found(board):
    secret = "s3cr3t-4711-acceptance"
    run = board.run("cases/login", {"user": "u", "api_key": secret})
    assert run["state"] == "failed"
    assert secret not in json.dumps(run)
    assert secret not in json.dumps(board.events(run["id"]))
    assert "using ••••••" in board.output(run["id"])
    for path in board.folder.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def test_much_output_is_cut_with_a_mark_and_the_value_is_a_file(board):
    run = board.run("cases/flood", {"lines": 400_000}, wait=60)
    assert run["state"] == "succeeded"
    assert run["outcome"]["truncated"] is True
    assert "value.json" in run["outcome"]["files"]
    value = json.loads(fetch(board, run, "value.json").content)
    assert len(value) == 300_000
    notes = [e["data"]["text"] for e in board.events(run["id"]) if e["kind"] == "note"]
    assert sum("is dropped" in note for note in notes) == 1
    output = board.output(run["id"])
    assert output.startswith("0 xxxx")
    assert 5_000_000 < len(output) <= 10_000_000


def test_broken_source_is_one_line_and_the_others_work(board):
    lines = [
        line for line in board.log("worker").splitlines() if "no_such_module" in line
    ]
    assert len(lines) == 1
    assert "source broken" in lines[0]
    assert "Traceback" not in board.log("worker")
