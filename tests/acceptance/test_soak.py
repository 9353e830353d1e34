"""Runs of mixed tools while parts are killed and come back: every run ends, truly.

`PEGBOARD_SOAK_ROUNDS` repeats it (`make soak`); the seed is printed.
"""

import os
import random
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest

from catalog.host.pegboard_host.processes import children
from config.children import offspring
from tests import environment
from tests.board import Board, until

ROUNDS = int(os.environ.get("PEGBOARD_SOAK_ROUNDS", "1"))
RUNS = 300
LIVE = ("queued", "running", "cancelling")
ENDS = {
    "add": {"succeeded"},
    "slow_append": {"succeeded"},
    "broken": {"failed"},
    "stubborn": {"timed_out"},
    "die": {"crashed"},
}
# What a fault may turn an end into; `refused` when the broker was away.
FAULTY = {"lost", "crashed", "refused", "cancelled"}


class Chaos(threading.Thread):
    """Kills a part at random, and brings it back."""

    def __init__(self, board, seed):
        super().__init__(daemon=True)
        self.board, self.random = board, random.Random(seed)
        self.over = threading.Event()
        self.count = 0

    def run(self):
        while not self.over.wait(self.random.uniform(1.5, 4)):
            self.random.choice([self.worker, self.host, self.valkey, self.web])()
            self.count += 1

    def worker(self):
        name = next(n for n in self.board.parts if n.startswith("worker"))
        self.board.kill(name, self.random.choice([signal.SIGKILL, signal.SIGTERM]))
        self.board.start_worker(f"worker-{self.count}")

    def host(self):
        worker = next(p for n, p in self.board.parts.items() if n.startswith("worker"))
        found = [pid for pid in offspring(worker.pid) if is_host(pid)]
        if found:
            os.kill(self.random.choice(found), signal.SIGKILL)

    def valkey(self):
        self.board.kill("valkey")
        self.over.wait(self.random.uniform(0, 1.5))
        self.board.start_valkey()

    def web(self):
        self.board.kill("web")
        self.board.start_web()


def is_host(pid):
    try:
        return "catalog/host" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def arguments(name, n, folder):
    match name:
        case "add":
            return {"a": n}
        case "slow_append":
            return {"path": str(folder / str(n)), "seconds": 0.3}
    return {}


def start(board, name, n, folder):
    """Start one run; None where the board was away. The key makes it at most one."""
    for _ in range(100):
        try:
            answer = board.api().post(
                f"tools/cases/{name}/runs",
                json={"arguments": arguments(name, n, folder)},
                headers={"Idempotency-Key": f"soak-{folder.name}-{n}"},
            )
        except httpx.HTTPError:
            time.sleep(0.2)
            continue
        if answer.status_code == 202:
            return answer.json()["id"]
        assert answer.status_code == 503, answer.text
        time.sleep(0.2)
    return None


@pytest.mark.parametrize("round_", range(ROUNDS))
@pytest.mark.timeout(900)
def test_every_run_ends_truly_whatever_is_killed(static_files, tmp_path, round_):
    seed = random.randrange(10**6)
    print("seed", seed)
    board = Board(environment.FOLDER / f"soak-{round_}").start()
    try:
        soak(board, seed, tmp_path)
    except AssertionError:
        for log in sorted(board.folder.glob("*.log")):
            print(f"== {log.name}\n{log.read_text(errors='replace')[-3000:]}")
        raise
    finally:
        board.stop()


def soak(board, seed, folder):
    pick = random.Random(seed)
    chaos = Chaos(board, seed)
    chaos.start()
    started = {}
    for n in range(RUNS):
        name = pick.choices(list(ENDS), weights=[5, 5, 2, 1, 2])[0]
        if run := start(board, name, n, folder):
            started[n] = (name, run)
    chaos.over.set()
    chaos.join()
    until(lambda: board.answers(), 60, "the web server's answer")
    ends = {n: board.ended(run, seconds=90) for n, (_, run) in started.items()}
    check(started, ends, folder)
    board.api().get("runs")
    until(lambda: not leftovers(board), 30, "the end of all tools' processes")
    print(f"{len(started)} runs through {chaos.count} faults:", tally(ends))


def check(started, ends, folder):
    for n, run in ends.items():
        name = started[n][0]
        assert run["state"] in ENDS[name] | FAULTY, (n, name, run)
        effects = folder / str(n)
        lines = effects.read_text().count("x") if effects.exists() else 0
        assert lines <= 1, f"run {n} acted {lines} times"
        if name == "slow_append" and run["state"] == "succeeded":
            assert lines == 1
        if run["state"] == "refused" and name == "slow_append":
            assert lines <= 1


def leftovers(board):
    """What is there beside each host and one guard of it with a tool's process.

    Those two wait for the host's next run; more of them end after 10 quiet seconds.
    """
    worker = next(p for n, p in board.parts.items() if n.startswith("worker"))
    hosts = [pid for pid in children(worker.pid) if is_host(pid)]
    return [host for host in hosts if not is_quiet(host)]


def is_quiet(host):
    guards = children(host)
    waiting = [pid for guard in guards for pid in children(guard)]
    return len(guards) <= 1 and len(waiting) == len(guards) and not below(waiting)


def below(pids):
    return [child for pid in pids for child in children(pid)]


def tally(ends):
    states = [run["state"] for run in ends.values()]
    return {state: states.count(state) for state in sorted(set(states))}
