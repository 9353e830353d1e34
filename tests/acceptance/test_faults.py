"""Faults on boards of their own: parts are killed singly and come back."""

import os
import signal
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest
from celery import Celery

from catalog.host.pegboard_host import processes
from tests import environment
from tests.board import Board, until


@pytest.fixture
def lonely(static_files, request):
    """A board whose parts this test may kill."""
    name = request.node.name.replace("[", "-").replace("]", "")
    board = Board(environment.FOLDER / name[:60]).start()
    yield board
    board.stop()


def ring(board, run_id):
    app = Celery(broker=board.env["REDIS_URL"])
    app.conf.broker_transport_options = {"global_keyprefix": "pegboard."}
    app.send_task("runner.tasks.execute_run", args=[run_id], queue="default")
    app.close()


def guard_of(board, run):
    """The process above the first one that works in the run's folder."""
    folder = str((board.folder / "runs" / str(run["id"]) / "work").resolve())
    below = processes.descendants({board.parts["worker"].pid})
    inside = {pid for pid in below if os.path.realpath(f"/proc/{pid}/cwd") == folder}
    above = {int(Path(f"/proc/{pid}/stat").read_text().split()[3]) for pid in inside}
    [guard] = above - inside
    return guard


def wait_for(board, run, state, seconds=20):
    return until(
        lambda: (r := board.look(run["id"]))["state"] == state and r,
        seconds,
        f"state {state} of run {run['id']}",
    )


def test_message_delivered_twenty_times_runs_once(lonely, tmp_path):
    file = tmp_path / "lines"
    lonely.start_worker("worker2")
    run = lonely.start_run("cases/slow_append", {"path": str(file), "seconds": 2})
    threads = [
        threading.Thread(target=ring, args=[lonely, run["id"]]) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = lonely.ended(run["id"])
    ring(lonely, run["id"])
    time.sleep(1)
    assert ended["state"] == "succeeded"
    assert file.read_text() == "x\n"
    assert lonely.look(run["id"])["last_seq"] == ended["last_seq"]


def test_doubled_messages_leave_the_files_of_running_runs_alone(lonely):
    lonely.start_worker("worker2")
    nap = {"path": "mine.txt", "seconds": 1.5}
    runs = [lonely.start_run("cases/slow_append", nap) for _ in range(6)]
    for _ in range(8):
        for run in runs:
            ring(lonely, run["id"])
    for run in runs:
        ended = lonely.ended(run["id"])
        assert (ended["state"], ended["outcome"]["files"]) == (
            "succeeded",
            ["mine.txt"],
        )
    assert "Traceback" not in lonely.log("worker") + lonely.log("worker2")


def test_stopped_guard_is_woken_and_its_tool_is_ended(lonely, tmp_path):
    file = tmp_path / "ticks"
    run = lonely.start_run("cases/ticker", {"path": str(file)})
    other = lonely.start_run("cases/slow_append", {"path": "x", "seconds": 6})
    until(file.exists, 10, "the first tick")
    os.kill(guard_of(lonely, run), signal.SIGSTOP)
    lonely.api().post(f"runs/{run['id']}/cancel")
    assert lonely.ended(run["id"])["state"] == "cancelled"
    size = file.stat().st_size
    time.sleep(0.5)
    assert file.stat().st_size == size
    assert lonely.ended(other["id"])["state"] == "succeeded"


def test_runs_of_a_slow_source_leave_room_for_others(static_files, tmp_path):
    (tmp_path / "tardy.py").write_text(
        "import time\ntime.sleep(5)\nfrom pegboard_tool import tool\n\n\n"
        '@tool\ndef late() -> str:\n    """Come late."""\n    return "here"\n'
    )
    sources = tmp_path / "sources.toml"
    sources.write_text(
        f'[sources.tardy]\ntools = ["tardy"]\npath = ["{tmp_path}"]\n'
        '[sources.cases]\ntools = ["cases"]\n'
        f'path = ["{environment.ROOT}/tests/tools"]\n'
    )
    board = Board(environment.FOLDER / "tardy", PEGBOARD_SOURCES=str(sources)).start()
    try:
        board.kill("worker")
        late = [board.start_run("tardy/late") for _ in range(8)]
        board.start_worker("few", "-P", "threads", "-c", "4", "-Q", "default")
        quick = board.run("cases/add", {"a": 1})
        assert quick["state"] == "succeeded"
        ended = [board.ended(run["id"]) for run in late]
        assert {run["state"] for run in ended} == {"succeeded"}
        assert quick["times"]["finished"] < min(r["times"]["started"] for r in ended)
    finally:
        board.stop()


def test_leftovers_of_a_killed_worker_go_with_the_next(lonely):
    lonely.kill("worker")
    folder = lonely.folder / "runs" / "4711" / "work"
    folder.mkdir(parents=True)
    lonely.start_worker("worker2")
    until(lambda: not folder.exists(), 20, "the end of the folder")


def test_who_leaves_before_the_answer_leaves_no_traceback(lonely):
    token = lonely.api().headers["Authorization"]
    with socket.create_connection(("127.0.0.1", lonely.port)) as line:
        line.sendall(
            b"POST /api/v1/tools/cases/add/runs HTTP/1.1\r\nHost: localhost\r\n"
            b"Prefer: wait=5\r\nContent-Length: 1000\r\n"
            b"Authorization: " + token.encode() + b"\r\n\r\n{"
        )
        time.sleep(0.3)
    assert lonely.run("cases/add", {"a": 1})["state"] == "succeeded"
    assert "Traceback" not in lonely.log("web")


def test_killed_worker_loses_its_run_and_the_tool_is_gone(lonely, tmp_path):
    file = tmp_path / "ticks"
    run = lonely.start_run("cases/ticker", {"path": str(file)})
    until(file.exists, 10, "the first tick")
    lonely.kill("worker")
    size_at = until(lambda: still(file), 5, "the end of the ticking")
    lonely.start_worker("worker2")
    ended = wait_for(lonely, run, "lost", 60)
    assert "unknown" in ended["reason"]
    assert file.stat().st_size == size_at
    assert lonely.run("cases/add", {"a": 1})["state"] == "succeeded"


def still(file):
    """The file's size, once it has stopped growing."""
    size = file.stat().st_size
    time.sleep(0.4)
    return size if file.stat().st_size == size else 0


def test_killed_host_is_crashed_and_started_anew(lonely):
    run = lonely.start_run("cases/slow_append", {"path": "x", "seconds": 30})
    wait_for(lonely, run, "running")
    for pid in set(hosts(lonely.parts["worker"].pid)):
        os.kill(pid, signal.SIGKILL)
    assert lonely.ended(run["id"])["state"] == "crashed"
    assert lonely.run("cases/add", {"a": 1})["outcome"]["value"] == 4


def hosts(pid):
    """The hosts of a worker: its own children, not their guards and tools."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            if "catalog/host" in Path(f"/proc/{child}/cmdline").read_text():
                yield int(child)


def test_queued_run_is_cancelled_for_good_while_no_worker_is_up(lonely, tmp_path):
    file = tmp_path / "lines"
    lonely.kill("worker")
    run = lonely.start_run("cases/slow_append", {"path": str(file)})
    assert lonely.api().post(f"runs/{run['id']}/cancel").json()["state"] == "cancelled"
    lonely.start_worker("worker2")
    assert lonely.run("cases/add", {"a": 1})["state"] == "succeeded"
    assert not file.exists()


def test_lost_message_is_rung_again(lonely):
    import redis

    lonely.kill("worker")
    run = lonely.start_run("cases/add", {"a": 1})
    redis.Redis(port=lonely.redis_port).delete("pegboard.default")
    lonely.start_worker("worker2")
    assert lonely.ended(run["id"])["state"] == "succeeded"


def test_what_a_worker_had_not_taken_up_outlives_the_broker(lonely):
    lonely.kill("worker")
    lonely.start_worker("two", "-P", "threads", "-c", "2", "-Q", "default")
    nap = {"path": "/dev/null", "seconds": 2}
    runs = [lonely.start_run("cases/slow_append", nap) for _ in range(8)]
    wait_for(lonely, runs[1], "running")
    lonely.kill("valkey")
    until(lambda: "Connection to broker lost" in lonely.log("two"))
    lonely.start_valkey()
    for run in runs:
        assert lonely.ended(run["id"], seconds=60)["state"] == "succeeded"
    assert "EMERGENCY" not in lonely.log("two")


def test_broker_down_is_503_and_comes_back_by_itself(lonely):
    client = lonely.api()
    lonely.kill("valkey")
    answer = client.post(
        "tools/cases/add/runs",
        json={"arguments": {"a": 1}},
        headers={"Idempotency-Key": "again"},
    )
    assert answer.status_code == 503, answer.text
    assert "could not be queued" in answer.json()["title"]
    [run] = client.get("runs").json()["results"]
    assert (run["state"], "could not be queued" in run["reason"]) == ("refused", True)
    lonely.start_valkey()

    def works():
        try:
            answer = client.post(
                "tools/cases/add/runs",
                json={"arguments": {"a": 1}},
                headers={"Idempotency-Key": "again", "Prefer": "wait=20"},
            )
        except httpx.HTTPError:
            return False
        return answer.status_code == 200 and answer.json()["state"] == "succeeded"

    until(works, 40, "a run after the broker came back")


def test_worker_asked_to_stop_lets_runs_end_then_ends_them(lonely, tmp_path):
    short = lonely.start_run(
        "cases/slow_append", {"path": str(tmp_path / "a"), "seconds": 2}
    )
    long = lonely.start_run(
        "cases/slow_append", {"path": str(tmp_path / "b"), "seconds": 60}
    )
    for run in (short, long):
        wait_for(lonely, run, "running")
    lonely.kill("worker", signal.SIGTERM)
    assert lonely.look(short["id"])["state"] == "succeeded"
    ended = lonely.look(long["id"])
    assert (ended["state"], ended["reason"]) == ("cancelled", "worker stopped")


def test_run_whose_secrets_cannot_be_read_any_more_is_refused(lonely):
    lonely.kill("worker")
    run = lonely.start_run("cases/login", {"user": "u", "api_key": "open sesame"})
    lonely.manage(
        "shell", "-v0", "-c",
        "from runner.models import Run; Run.objects.update(secrets=b'of another key')",
    )  # fmt: skip
    lonely.start_worker("worker2")
    ended = lonely.ended(run["id"])
    assert ended["state"] == "refused"
    assert "SECRET_KEY has changed" in ended["reason"]


def test_run_whose_end_cannot_be_stored_still_ends(lonely):
    assert lonely.run("cases/add", {"a": 1})["state"] == "succeeded"
    lonely.manage(
        "shell", "-v0", "-c",
        "from django.db import connection\n"
        'connection.cursor().execute("CREATE UNIQUE INDEX one ON runner_event (kind)'
        " WHERE kind = 'outcome'\")",
    )  # fmt: skip
    ended = lonely.run("cases/add", {"a": 1})
    assert ended["state"] == "crashed"
    assert "could not see it through" in ended["reason"]


def test_switch_off_between_queue_and_claim_refuses(lonely):
    lonely.kill("worker")
    run = lonely.start_run("cases/add", {"a": 1})
    answer = lonely.api("root").patch(
        "tools/cases/add", json={"enabled": False, "reason": "under repair"}
    )
    assert answer.status_code == 200
    ended = lonely.look(run["id"])
    assert (ended["state"], "under repair" in ended["reason"]) == ("refused", True)
    lonely.start_worker("worker2")
    answer = lonely.api().post("tools/cases/add/runs", json={"arguments": {"a": 1}})
    assert answer.status_code == 409
