"""A whole board for tests: its own folder, database, Valkey, workers and web.

Its parts start and end singly, so that faults can be made. Everything is asked
of it as a person or a program would: by HTTP.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg

from tests.environment import FOLDER, ROOT, SERVICES, free_port

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
# The parent in `die_with_parent` is a thread: parts that one starts die with it, so
# all are started by one that stays.
STARTER = ThreadPoolExecutor(1)
PASSWORD = "open sesame, please"
MAKE_USER = """
from django.contrib.auth.models import User
User.objects.create_user(
    {name!r}, password={password!r}, is_staff={staff}, is_superuser={staff}
)
"""


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def until(check, seconds=30.0, what="it"):
    """Return what `check` says once it is true; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (found := check()):
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds} s"
        time.sleep(0.05)
    return found


def create_database(server: str, name: str) -> str:
    """Make an empty database on the PostgreSQL at this address; return its own."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def drop_database(server: str, address: str) -> None:
    name = urlsplit(address).path.lstrip("/")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Board:
    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "static").exists():
            (folder / "static").symlink_to(FOLDER / "static")
        self.port, self.redis_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.parts: dict[str, subprocess.Popen] = {}
        self.clients: dict[str, httpx.Client] = {}
        self.env = os.environ | {
            "PEGBOARD_DATA": str(folder),
            "PEGBOARD_SOURCES": str(ROOT / "tests" / "sources.toml"),
            "PEGBOARD_LOG_LEVEL": "INFO",
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "PYTHONPATH": str(ROOT),
            **env,
        }
        if SERVICES:
            name = f"board_{self.port}"
            self.env["DATABASE_URL"] = create_database(self.env["DATABASE_URL"], name)
        else:
            self.env.pop("DATABASE_URL", None)

    # -- parts

    def start(self) -> "Board":
        """Start all of it, and wait until the tools are there."""
        self.start_valkey()
        self.manage("migrate", "-v0")
        self.manage("shell", "-v0", "-c", self._make_users())
        self.start_worker()
        self.start_web()
        self.start_beat()
        until(self.synced, 90, "the sync of every source")
        return self

    def synced(self) -> bool:
        """Whether each source has its tools, or the worker has said why not."""
        sources = tomllib.loads(Path(self.env["PEGBOARD_SOURCES"]).read_text())
        return all(
            self.api("root").get("tools", params={"source": name}).json()["total"]
            or f"source {name}:" in self.log("worker")
            for name in sources["sources"]
        )

    def _make_users(self) -> str:
        people = (("root", True), ("alice", False), ("bob", False))
        return "\n".join(
            MAKE_USER.format(name=name, password=PASSWORD, staff=staff)
            for name, staff in people
        )

    def collect_static(self) -> None:
        self.manage("collectstatic", "--noinput", "-v0")

    def start_part(self, name: str, *command: str, pass_fds=()) -> subprocess.Popen:
        with (self.folder / f"{name}.log").open("ab") as output:
            starting = STARTER.submit(
                subprocess.Popen,
                command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=die_with_parent,
                pass_fds=pass_fds,
            )
            self.parts[name] = starting.result()
        return self.parts[name]

    def start_valkey(self) -> None:
        from config.embedded import binary

        port = str(self.redis_port)
        options = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
        self.start_part("valkey", str(binary()), "--port", port, *options)

    def start_worker(self, name: str = "worker", *options: str) -> subprocess.Popen:
        command = (sys.executable, "-m", "celery", "-A", "config", "worker")
        defaults = ("-P", "threads", "-c", "32", "-Q", "default", "-n", f"{name}@%h")
        level = self.env["PEGBOARD_LOG_LEVEL"]
        quiet = ("--without-gossip", "--without-mingle", "-l", level)
        return self.start_part(name, *command, *(options or defaults), *quiet)

    def start_web(self) -> None:
        with socket.create_server(("127.0.0.1", self.port), backlog=2048) as ours:
            fd = str(ours.fileno())
            command = (sys.executable, "-m", "config.web", fd)
            self.start_part("web", *command, pass_fds=[ours.fileno()])
        until(self.answers, 60, "the web server's answer")

    def start_beat(self) -> None:
        command = (sys.executable, "-m", "celery", "-A", "config", "beat")
        schedule = str(self.folder / "beat")
        self.start_part("beat", *command, "-s", schedule, "-l", "WARNING")

    def answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/login/").status_code == 200
        except httpx.HTTPError:
            return False

    def kill(self, name: str, sig: int = signal.SIGKILL) -> None:
        part = self.parts.pop(name)
        part.send_signal(sig)
        part.wait(30)

    def stop(self) -> None:
        for client in self.clients.values():
            client.close()
        # Workers first: without a broker Celery may take its time.
        for name in sorted(self.parts, key=lambda name: "worker" not in name):
            self.kill(name, signal.SIGTERM if "worker" in name else signal.SIGKILL)
        if SERVICES:
            drop_database(os.environ["DATABASE_URL"], self.env["DATABASE_URL"])

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    # -- what people and programs do

    def manage(self, *args: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *args],
            cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def api(self, user: str = "alice") -> httpx.Client:
        """A client of the API with this person's token."""
        if user not in self.clients:
            token = self.manage("createtoken", user).split()[-1]
            self.clients[user] = httpx.Client(
                base_url=f"{self.url}/api/v1/",
                headers={"Authorization": f"Token {token}"},
                timeout=70,
            )
        return self.clients[user]

    def start_run(self, tool: str, arguments=None, user: str = "alice", **body):
        """Start a run of `source/name`; return the answer's JSON."""
        answer = self.api(user).post(
            f"tools/{tool}/runs", json={"arguments": arguments or {}, **body}
        )
        assert answer.status_code == 202, answer.text
        return answer.json()

    def run(self, tool: str, arguments=None, user: str = "alice", wait=30, **body):
        """Start a run and wait for its end; return the ended run."""
        answer = self.api(user).post(
            f"tools/{tool}/runs",
            json={"arguments": arguments or {}, **body},
            headers={"Prefer": f"wait={wait}"},
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    def look(self, run_id: int, user: str = "alice") -> dict:
        return self.api(user).get(f"runs/{run_id}").json()

    def ended(self, run_id: int, user: str = "alice", seconds=30.0) -> dict:
        live = ("queued", "running", "cancelling")

        def look():
            run = self.look(run_id, user)
            return run if run["state"] not in live else None

        return until(look, seconds, f"the end of run {run_id}")

    def events(self, run_id: int, user: str = "alice") -> list[dict]:
        """All events of a run, by as many calls as it takes."""
        client = self.api(user)
        found: list[dict] = []
        while True:
            after = found[-1]["seq"] if found else 0
            more = client.get(f"runs/{run_id}/events", params={"after": after}).json()
            if not more:
                return found
            found += more

    def output(self, run_id: int, user: str = "alice") -> str:
        return "".join(
            e["data"]["text"]
            for e in self.events(run_id, user)
            if e["kind"] == "output"
        )
