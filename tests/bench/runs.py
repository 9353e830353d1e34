"""Start to value, and small runs per second, against bare Celery."""

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from tests.board import Board, until

TOOL = "cases/add"
TURNS = 5  # the machine's pace changes within a minute, so both go by turns
ROUNDS = 20
MANY = 400
CALLERS = 12


def median_ms(work):
    """Median of some rounds, in milliseconds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


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


def ratios(many, few):
    return [one / other for one, other in zip(many, few, strict=True)]


def tell(what, turns):
    middle = statistics.median(turns)
    print(f"{what:28}{middle:8.1f}   ({min(turns):.1f} to {max(turns):.1f})")


def main():
    board = Board(
        Path(tempfile.mkdtemp(prefix="pegboard-bench-")), PEGBOARD_LOG_LEVEL="WARNING"
    )
    board.collect_static()
    board.start()
    try:
        one, many = bare_celery(board)
        board.run(TOOL, {"a": 1})
        trips, values, bare, ours = [], [], [], []
        for _ in range(TURNS):
            caller = Caller(board)  # the server gives up a connection that rests
            trips.append(median_ms(one))
            values.append(median_ms(partial(value, caller)))
            bare.append(many(MANY * 2))
            ours.append(runs_per_second(board, MANY))
        tell("bare Celery round trip, ms", trips)
        tell("start to value over API, ms", values)
        tell("ratio (bar: 8)", ratios(values, trips))
        tell("bare Celery tasks/s", bare)
        tell("runs/s, history complete", ours)
        tell("ratio (bar: 7)", ratios(bare, ours))
    finally:
        board.stop()


if __name__ == "__main__":
    main()
