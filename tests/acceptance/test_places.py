"""Limits on how many run at once: the others wait, and come in order."""

import time
from itertools import pairwise

from tests.board import until


def test_exclusive_tool_runs_one_after_the_other(board, tmp_path):
    file = tmp_path / "lines"
    board.manage(
        "shell", "-v0", "-c",
        "from catalog.models import Tool; "
        "Tool.objects.filter(source__name='cases', name='slow_append')"
        ".update(max_concurrent=1)",
    )  # fmt: skip
    arguments = {"path": str(file), "seconds": 1}
    runs = [board.start_run("cases/slow_append", arguments) for _ in range(3)]
    until(file.exists, 10, "the first start")
    time.sleep(0.5)
    states = [board.look(run["id"])["state"] for run in runs]
    assert states.count("running") <= 1
    waiting = [r for r in (board.look(r["id"]) for r in runs) if r["state"] == "queued"]
    assert all("at most 1 at once" in run["reason"] for run in waiting)
    ended = [board.ended(run["id"], seconds=40) for run in runs]
    assert [run["state"] for run in ended] == ["succeeded"] * 3
    times = sorted((r["times"]["started"], r["times"]["finished"]) for r in ended)
    for (_, finished), (started, _) in pairwise(times):
        assert started >= finished
    board.manage(
        "shell", "-v0", "-c",
        "from catalog.models import Tool; Tool.objects.update(max_concurrent=None)",
    )  # fmt: skip


def test_waiting_runs_hold_no_connection_to_the_database(board):
    """More at once than a pool of PostgreSQL has connections."""
    nap = {"path": "/dev/null", "seconds": 8}
    runs = [board.start_run("cases/slow_append", nap) for _ in range(24)]

    def all_run():
        live = board.api().get("runs", params={"state": "running"}).json()["results"]
        return {run["id"] for run in runs} <= {run["id"] for run in live}

    until(all_run, 20, "24 runs at once")
    for run in runs:
        assert board.ended(run["id"])["state"] == "succeeded"
