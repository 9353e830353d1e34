"""Tools that do things a run must survive, or be ended for."""

# ruff: noqa: T201, S607

import asyncio
import contextlib
import functools
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from pegboard_tool import progress, tool


def write_down(*pids):
    """Tell the test which processes to look for."""
    folder = Path(os.environ["PEGBOARD_RUN_DIR"])
    with (folder / "pids").open("a") as file:
        file.write("".join(f"{pid}\n" for pid in pids))


def swallow_everything():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.05)


@tool
def echo(text: str = "") -> str:
    """Give a text back."""
    return text


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def sleep(seconds: float = 60) -> str:
    """Sleep."""
    write_down(os.getpid())
    time.sleep(seconds)
    return "slept"


@tool
def stubborn() -> str:
    """Swallow every exception and SIGTERM, with a grandchild that does too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    shell = subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
    write_down(os.getpid(), shell.pid)
    swallow_everything()


@tool
def busy() -> int:
    """One long call in C code."""
    return sum(range(10**13))


@tool
def daemon(path: str = "beats") -> str:
    """Fork twice with a session of its own, and have the grandchild write on."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            write_down(os.getpid())
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                with Path(path).open("a") as file:
                    file.write("beat\n")
                time.sleep(0.02)
        os._exit(0)
    while not Path(path).exists():
        time.sleep(0.005)
    return "away"


@tool
def daemon_and_stay() -> None:
    """As `daemon`, but stay."""
    daemon()
    swallow_everything()


@tool
def ticker(path: str = "ticks") -> str:
    """Start a helper that writes every while."""
    command = f"( while :; do date >> {path}; sleep 0.05; done ) & wait"
    subprocess.run(["sh", "-c", command], check=False)
    return "end"


@tool
def from_a_thread() -> str:
    """Start a process from another thread."""

    def work():
        write_down(subprocess.Popen(["sleep", "60"]).pid)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    time.sleep(60)


@tool
def cleans_up(path: str) -> None:
    """Take the chance that SIGTERM gives."""

    def leave(*_):
        Path(path).write_text("cleaned")
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    print("ready", flush=True)
    time.sleep(60)


@tool
def die(how: str = "exit") -> None:
    """End without a value."""
    print("last words")
    match how:
        case "exit":
            os._exit(7)
        case "fine":
            os._exit(0)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "sys":
            sys.exit(3)
        case "interrupt":
            raise KeyboardInterrupt


@tool
def kill_guard() -> None:
    """Kill the guard, with a grandchild that has its own session."""
    daemon()
    write_down(os.getpid())
    os.kill(os.getppid(), signal.SIGKILL)
    swallow_everything()


@tool
def kill_own_group() -> str:
    """Signal the whole process group, as a careless clean-up does."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    return "still here"


@tool
def garbage(kind: str) -> str:
    """Write what it should not into every socket it can find."""
    data = {
        "noise": b"\xff" * 64,
        "huge": b"\x7f\xff\xff\xff" + b"x" * 64,
        "text": b"\0\0\0\x05hello",
        "list": b"\0\0\0\x02[]",
        "kind": b'\0\0\0\x10{"kind":"pizza"}',
        "nan": b'\0\0\0\x1c{"kind":"value","value":NaN}',
        "verdict": b'\0\0\0\x19{"kind":"value","value":1}',
        "deep": (200_000).to_bytes(4, "big") + b"[" * 200_000,
    }[kind]
    for fd in range(3, 64):
        try:
            socket.socket(fileno=os.dup(fd)).sendall(data)
        except OSError:
            continue
    time.sleep(5)
    return "unharmed"


@tool
def close_all() -> str:
    """Close every descriptor, as a daemon does."""
    os.closerange(0, 256)
    return "closed"


@tool
def output(lines: int = 10, width: int = 10, stream: str = "stdout") -> str:
    """Print lines."""
    for number in range(lines):
        print(f"{number:08}", "x" * width, file=getattr(sys, stream))
    return "done"


@tool
def both_streams(times: int = 200) -> None:
    """Print to the two streams in turn."""
    for number in range(times):
        print(f"out {number}")
        print(f"err {number}", file=sys.stderr)


@tool
def every_level() -> None:
    """Print from python, from a descriptor, from a process and from C code."""
    import ctypes

    print("from python")
    os.write(1, b"from a descriptor\n")
    subprocess.run(["echo", "from a process"], check=True)
    ctypes.CDLL(None).printf(b"from C\n")
    os.write(1, b"caf\xc3")
    time.sleep(0.05)
    os.write(1, b"\xa9 \xff\n")


@tool
def report(times: int = 10, pause: float = 0.0, work: float = 0.0) -> float:
    """Report progress again and again; return the seconds that took."""
    began = time.perf_counter()
    for number in range(1, times + 1):
        if work:
            until = time.perf_counter() + work
            while time.perf_counter() < until:
                pass
        progress(number, times, f"step {number}")
    took = time.perf_counter() - began
    time.sleep(pause)
    return took


@tool
def cost_of_progress(rounds: int = 20, times: int = 1000) -> float:
    """Do steps of 50 µs with and without a report; return the ratio of the two.

    Both are measured in turn and the best of each counts, so that what else the
    machine does falls out.
    """
    size = 1000
    while cpu(functools.partial(sum, range(size)), 200) / 200 < 50e-6:
        size = size * 11 // 10
    numbers, done = range(size), iter(range(1, rounds * times + 1))
    plain, told = [], []
    for _ in range(rounds):
        plain.append(cpu(lambda: sum(numbers), times // 4) * 4)
        told.append(
            cpu(lambda: (sum(numbers), progress(next(done), rounds * times)), times)
        )
    return min(told) / min(plain)


def cpu(step, times):
    began = time.process_time()
    for _ in range(times):
        step()
    return time.process_time() - began


@tool
def odd_progress() -> None:
    """Report nonsense."""

    class Mute:
        def __str__(self):
            raise RuntimeError("no text")

    for done, total in (
        (float("nan"), 10), (5, float("nan")), (float("inf"), 1), (20, 10), (-5, 10),
        (1, 0), (1, -1), ("one", "two"), (None, None), (10**400, 1), (3, 10),
    ):  # fmt: skip
        progress(done, total, "odd")
        time.sleep(0.11)
    progress(4, 10, Mute())
    time.sleep(0.15)


@tool
def each_item(count: int = 3) -> list[int]:
    """Go through a list, and through what has no length."""
    done = list(progress.each(range(count), "counting"))
    done += progress.each(iter(range(count)))
    progress.label("nearly there")
    return done


def square(number):
    progress(number, 10, "squaring")
    return number * number


@tool
def pool(method: str = "fork", count: int = 5) -> list[int]:
    """Work in several processes, which report on their own."""
    with multiprocessing.get_context(method).Pool(2) as workers:
        return workers.map(square, range(count))


@tool
def eat_memory(megabytes: int = 200) -> str:
    """Take memory and keep it."""
    kept = [bytearray(os.urandom(1024) * 1024) for _ in range(megabytes)]
    time.sleep(10)
    return f"{len(kept)}"


@tool
def many_processes(count: int = 20) -> None:
    """Start many processes."""
    for _ in range(count):
        subprocess.Popen(["sleep", "30"])
    time.sleep(10)


@tool
def lingering_thread(seconds: float) -> str:
    """Return while a thread is still at work."""

    def work():
        time.sleep(seconds)
        print("thread done")

    threading.Thread(target=work).start()
    return "returned"


@tool
def returns_twice() -> int:
    """Fork and let both return."""
    return os.fork()


@tool
async def nap(seconds: float = 60) -> str:
    """Sleep without blocking."""
    write_down(os.getpid())
    await asyncio.sleep(seconds)
    return "napped"


@tool
def surroundings() -> dict:
    """Tell what a tool finds around it."""
    return {
        "cwd": str(Path.cwd()),
        "run_dir": os.environ["PEGBOARD_RUN_DIR"],
        "greeting": os.environ.get("GREETING"),
        "stdin": sys.stdin.read(),
        "session": os.getsid(0) == os.getpid(),
        "random": __import__("random").random(),
        "descriptors": [path.name for path in Path("/proc/self/fd").iterdir()],
    }
