"""A thousand sockets on one run; and from a tool's print to a reader's hands."""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import websockets

from tests.board import Board

SOCKETS = 1_000
EVENTS = 200
PRINTS = 60
WRITE = f"""
import time
from runner import events
from runner.events import Item
from runner.models import Run, State
run = Run.objects.filter(state="queued").latest("pk")
events.move(run, State.RUNNING)
print("go", flush=True)
input()
for n in range({EVENTS}):
    events.append(run, [Item("note", {{"text": str(time.time())}})])
events.move(run, State.SUCCEEDED)
"""


async def listen(url, header, joined):
    """Read one run to its end; return when each event came, and its text."""
    came = []
    async with websockets.connect(
        url,
        additional_headers=header,
        open_timeout=60,
        max_queue=None,
        ping_interval=None,
    ) as line:
        async for message in line:
            frame = json.loads(message)
            if frame["kind"] == "status" and frame["data"]["state"] == "running":
                joined()
            if frame["kind"] in ("note", "output"):
                came.append((time.time(), frame))
    return came


async def thousand(board, run_id, header, writer):
    url = f"{board.url.replace('http', 'ws')}/ws/runs/{run_id}/?after=0"
    count, everybody = 0, asyncio.Event()

    def joined():
        nonlocal count
        count += 1
        if count == SOCKETS:
            everybody.set()

    tasks = [asyncio.create_task(listen(url, header, joined)) for _ in range(SOCKETS)]
    await asyncio.wait_for(everybody.wait(), 120)
    writer.stdin.write("\n")
    writer.stdin.flush()
    return await asyncio.gather(*tasks)


def memory_mb(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def many_sockets(board, header):
    board.kill("worker")  # this run is written by hand, nobody may claim it
    run = board.start_run("cases/add", {"a": 1})
    writer = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", WRITE],
        env=board.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    writer.stdout.readline()
    found = asyncio.run(thousand(board, run["id"], header, writer))
    writer.wait()
    whole = sum(len(came) == EVENTS for came in found)
    firsts = min(came[0][0] for came in found)
    spreads = [
        max(came[n][0] for came in found) - min(came[n][0] for came in found)
        for n in range(EVENTS)
    ]
    lasts = [came[-1][0] for came in found]
    last = max(lasts)
    print(f"sockets with all {EVENTS} events  {whole:6d}      (of {SOCKETS})")
    print(f"first event to last event    {last - firsts:6.2f} s")
    print(f"first socket done to last    {last - min(lasts):6.2f} s")
    print(f"one event, first to last socket, worst {max(spreads):6.2f} s  (bar: 2)")
    print(f"web server's memory, highest {memory_mb(board.parts['web'].pid):6.0f} MB")
    board.start_worker()


def print_to_reader(board, header):
    """A tool prints the time; how old it is when a reader has it."""
    run = board.start_run("cases/clock", {"n": PRINTS})
    url = f"{board.url.replace('http', 'ws')}/ws/runs/{run['id']}/?after=0"
    came = asyncio.run(listen(url, header, lambda: None))
    ages = sorted(
        (at - float(line)) * 1000
        for at, frame in came
        for line in frame["data"]["text"].split()
    )
    p95 = ages[int(len(ages) * 0.95)]
    print(f"print to reader, median      {statistics.median(ages):6.0f} ms  (bar: 150)")
    print(f"print to reader, p95         {p95:6.0f} ms  (bar: 400)")


def main():
    board = Board(
        Path(tempfile.mkdtemp(prefix="pegboard-bench-")), PEGBOARD_LOG_LEVEL="WARNING"
    )
    board.collect_static()
    board.start()
    try:
        token = board.api().headers["Authorization"]
        header = {"Authorization": token}
        print_to_reader(board, header)
        many_sockets(board, header)
    finally:
        board.stop()


if __name__ == "__main__":
    main()
