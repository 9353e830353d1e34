"""Start to value, and small runs per second, against bare Celery."""

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

from tests.board import Board, until

TOOL = "cases/add"
ROUNDS = 60
MANY = 400
CALLERS = 12


def median_ms(work, rounds=ROUNDS):
    """Median and 95th percentile of so many rounds, in milliseconds."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    taken.sort()
    return statistics.median(taken), taken[int(len(taken) * 0.95)]


def bare_celery(board):
    """Start a bare worker; return how to do one round trip and many tasks."""
    os.environ["REDIS_URL"] = board.env["REDIS_URL"]
    command = (sys.executable, "-m", "celery", "-A", "tests.bench.bare", "worker")
    board.start_part(
        "bare", *command, "-P", "threads", "-c", "32", "-Q", "bare",
        "--without-gossip", "--without-mingle",
    )  # fmt: skip
    from tests.bench.bare import nothing

    nothing.delay().get(timeout=30)

    def one():
        nothing.delay().get(timeout=30)

    def many(count):
        began = time.perf_counter()
        for result in [nothing.delay() for _ in range(count)]:
            result.get(timeout=60)
        return count / (time.perf_counter() - began)

    return one, many


class Caller:
    """A kept connection to the API; a fuller client takes a tenth of a small run."""

    def __init__(self, board):
        self.authorization = board.api().headers["Authorization"]
        self.connection = HTTPConnection("127.0.0.1", board.port)

    def start(self, a, **headers):
        """Start a run, and return the answer's JSON."""
        self.connection.request(
            "POST",
            f"/api/v1/tools/{TOOL}/runs",
            json.dumps({"arguments": {"a": a}}),
            {
                "Authorization": self.authorization,
                "Content-Type": "application/json",
                **headers,
            },
        )
        answer = self.connection.getresponse()
        body = json.loads(answer.read())
        assert answer.status in (200, 202), body
        return body


def runs_per_second(board, count):
    """Start so many runs from several callers; the time until all have ended."""
    client = board.api()
    mine = threading.local()

    def start(n):
        return mine.caller.start(n)["id"]

    def begin():
        mine.caller = Caller(board)

    began = time.perf_counter()
    with ThreadPoolExecutor(CALLERS, initializer=begin) as pool:
        ids = list(pool.map(start, range(count)))
    until(lambda: is_over(client, ids[-1]), 120, "the end of the last run")
    until(lambda: ended(client, ids), 120, "the end of all runs")
    return count / (time.perf_counter() - began)


def value(caller):
    run = caller.start(1, Prefer="wait=10")
    assert run["outcome"]["value"] == 4, run


def is_over(client, pk):
    """Look at one run; to list all that live costs as much as three runs."""
    return client.get(f"runs/{pk}").json()["times"]["finished"]


def ended(client, ids):
    live = client.get("runs", params={"state": "live"}).json()["results"]
    return not {run["id"] for run in live} & set(ids)


def main():
    board = Board(
        Path(tempfile.mkdtemp(prefix="pegboard-bench-")), PEGBOARD_LOG_LEVEL="WARNING"
    )
    board.collect_static()
    board.start()
    try:
        one, many = bare_celery(board)
        board.run(TOOL, {"a": 1})
        bare, bare_95 = median_ms(one)
        caller = Caller(board)
        ours, ours_95 = median_ms(lambda: value(caller))
        print(f"bare Celery round trip     {bare:8.1f} ms   p95 {bare_95:6.1f} ms")
        print(f"start to value over API    {ours:8.1f} ms   p95 {ours_95:6.1f} ms")
        print(f"ratio                      {ours / bare:8.1f}      (bar: 8)")
        bare_rate = many(MANY * 2)
        our_rate = runs_per_second(board, MANY)
        print(f"bare Celery tasks/s        {bare_rate:8.0f}")
        print(f"runs/s, history complete   {our_rate:8.0f}")
        print(f"ratio                      {bare_rate / our_rate:8.1f}      (bar: 7)")
    finally:
        board.stop()


if __name__ == "__main__":
    main()
