"""The real `manage.py up`, as a process of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.children import offspring
from config.embedded import free_port

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 60
END_SECONDS = 25
# What the suite or a developer's shell may hold and a fresh one does not.
SETTINGS = re.compile(
    r"PEGBOARD_|DATABASE_URL|REDIS_URL|DEBUG|SECRET_KEY|ALLOWED_HOSTS"
)


def fresh_environment(folder):
    inherited = {k: v for k, v in os.environ.items() if not SETTINGS.match(k)}
    return inherited | {"PEGBOARD_DATA": str(folder)}


@dataclass
class Up:
    """A started `up`: its process, its folder, and what it printed."""

    folder: Path
    port: int = field(default_factory=free_port)
    env: dict = field(default_factory=dict)

    def __post_init__(self):
        self.folder.mkdir(exist_ok=True)
        self.output = self.folder.with_suffix(f".{self.port}.log")
        env = fresh_environment(self.folder) | {"PORT": str(self.port)} | self.env
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up"],
                cwd=ROOT,
                env=env,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )

    @property
    def said(self):
        return self.output.read_text()

    @property
    def ready_file(self):
        return self.folder / "ready.json"

    @property
    def link(self):
        return re.search(r"http://\S+/sign-in/\S+", self.said)[0]

    def ready(self):
        """Wait until runs can be started; return what `ready.json` says."""
        deadline = time.monotonic() + START_SECONDS
        while (told := self.told()).get("pid") != self.process.pid:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)
        return told

    def told(self):
        """Return what `ready.json` says; one that was killed left its own behind."""
        if not self.ready_file.exists():
            return {}
        return json.loads(self.ready_file.read_text())

    def family(self):
        """Return every process below it, by what it runs."""
        return {pid: command_of(pid) for pid in offspring(self.process.pid)}

    def pid_of(self, part):
        """Return the process that runs this; None while there is none."""
        matching = (pid for pid, what in self.family().items() if part in what)
        return next(matching, None)

    def wait(self):
        """Wait for its end; return the exit code."""
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()  # its parts die with it
            raise


def command_of(pid):
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return raw.replace(b"\0", b" ").decode()


def alive(pids):
    """Return those that still run, after a moment for the system to bury them."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = [pid for pid in pids if command_of(pid)]
        if not left:
            return []
        time.sleep(0.05)
    return left


def end(up):
    if up.process.poll() is None:
        up.process.send_signal(signal.SIGTERM)
        up.wait()


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    """A board for all tests that leave it as they found it."""
    up = Up(tmp_path_factory.mktemp("running") / "data")
    up.ready()
    yield up
    end(up)


@pytest.fixture(scope="session")
def folder(running, tmp_path_factory):
    """A data folder whose static files are collected already."""
    folder = tmp_path_factory.mktemp("up") / "data"
    shutil.copytree(running.folder / "static", folder / "static")
    return folder


@pytest.fixture
def start(folder):
    """Start boards that end with the test, whatever it did."""
    started = []

    def begin(at=folder, **options):
        started.append(Up(at, **options))
        return started[-1]

    yield begin
    for up in started:
        end(up)
