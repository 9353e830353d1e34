"""One whole board on one machine: what `make up` starts, watches and ends."""

import http.client
import json
import os
import secrets
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from catalog.errors import SourcesFileError
from catalog.hosts import START_SECONDS as HOST_SECONDS
from catalog.models import Source
from catalog.sources import read_file
from runner.models import Worker

from . import embedded, signin, static
from .children import Children, Wish
from .claims import Address, CannotStart

WEB_SECONDS = 30.0
SOURCES_SECONDS = HOST_SECONDS + 10.0
LOOK = 0.05


def sources() -> tuple[set[str], list[str]]:
    """Return the names in the sources file, and the queues that serve them."""
    try:
        good, _ = read_file()
    except SourcesFileError as fault:
        raise CannotStart(str(fault)) from fault
    return set(good), sorted({"default", *(one.queue for one in good.values())})


class Board:
    """The parts of a board in the order in which they start and end."""

    def __init__(self, address: Address, wish: Wish, say: Callable[[str], Any]) -> None:
        self.address = address
        self.say = say
        self.children = Children(wish)
        self.env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
        self.ready_file = Path(settings.DATA_DIR) / "ready.json"
        self.began = datetime.now(UTC)
        self.sources, self.queues = sources()

    def run(self, password: str | None) -> None:
        """Start everything and watch it; returns only by an exception."""
        self.ready_file.unlink(missing_ok=True)
        valkey = self.start_valkey()
        static_stamp = self.start_static()
        self.migrate()
        admin = self.first_admin(password)
        if valkey is not None:
            embedded.wait(self.children, valkey)
        self.start_worker()
        self.finish_static(static_stamp)
        self.start_web()
        self.until(self.web_answers, WEB_SECONDS, "The web server does not answer.")
        self.greet(admin)
        self.until(self.worker_is_there, WEB_SECONDS, "No worker came up.")
        self.await_sources()
        self.write_ready()
        self.say("Ready. Ctrl-C ends everything.")
        self.start_part("beat", "celery", "-A", "config", "-q", "beat",
                        "--scheduler", "celery.beat:Scheduler")  # fmt: skip
        while True:
            self.children.check()
            time.sleep(4 * LOOK)

    def start_part(
        self, name: str, *module: str, quiet: str = "", pass_fds: tuple[int, ...] = ()
    ) -> None:
        """Start a module of ours, without the warning that begins so."""
        options = ["-W", f"ignore:{quiet}"] if quiet else []
        command = [sys.executable, *options, "-m", *module]
        self.children.start(name, command, env=self.env, pass_fds=pass_fds)

    def start_valkey(self) -> embedded.Valkey | None:
        if os.environ.get("REDIS_URL"):
            return None
        valkey = embedded.start(self.children, Path(settings.DATA_DIR))
        self.env["REDIS_URL"] = valkey.url
        return valkey

    def start_static(self) -> str | None:
        """Start collecting the static files, if any has changed."""
        wanted = static.fingerprint()
        if static.is_current(wanted):
            return None
        static.stamp_path().unlink(missing_ok=True)
        self.start_part("static", "django", "collectstatic", "--noinput", "-v0")
        return wanted

    def finish_static(self, wanted: str | None) -> None:
        if wanted is None:
            return
        if self.children.finish("static") != 0:
            raise CannotStart("The static files could not be collected (see above).")
        static.stamp_path().write_text(wanted)

    def migrate(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)

    def first_admin(self, password: str | None) -> User:
        """Return the board's admin, made and told once."""
        admin = User.objects.filter(is_superuser=True, is_active=True).first()
        if admin is not None:
            return admin
        if User.objects.filter(username="admin").exists():
            raise CannotStart("There is no active superuser: manage.py createsuperuser")
        if not password:
            password = secrets.token_urlsafe(9)
            self.say(f"First admin: admin, password: {password} (shown only now)")
        return User.objects.create_superuser("admin", "", password)

    def start_worker(self) -> None:
        threads = str(settings.WORKER_THREADS)
        options = ["-P", "threads", "-c", threads, "-Q", ",".join(self.queues)]
        self.start_part(
            "worker", "celery", "-A", "config", "-q", "worker", "-l", "WARNING",
            "--without-gossip", "--without-mingle", *options,
            quiet="You're running the worker with superuser",
        )  # fmt: skip

    def start_web(self) -> None:
        if self.address.local != self.address.host:
            self.env.setdefault("ALLOWED_HOSTS", self.address.allowed_hosts())
        fd = self.address.socket.fileno()
        self.start_part("web", "config.web", str(fd), pass_fds=(fd,))
        self.address.socket.detach()
        os.close(fd)

    def until(self, happened: Callable[[], bool], seconds: float, failure: str) -> None:
        deadline = time.monotonic() + seconds
        while not happened():
            self.children.check()
            if time.monotonic() > deadline:
                raise CannotStart(failure)
            time.sleep(LOOK)

    def web_answers(self) -> bool:
        web = http.client.HTTPConnection(self.address.local, self.address.port, 1)
        try:
            web.request("GET", "/login/")
            status = web.getresponse().status
        except OSError:
            return False
        finally:
            web.close()
        if status >= 500:
            raise CannotStart("The web server answers with errors (see above).")
        return True

    def worker_is_there(self) -> bool:
        return Worker.objects.filter(pid=self.children.parts["worker"].pid).exists()

    def await_sources(self) -> None:
        """Wait until the worker has listed each source, or said why it cannot."""
        deadline = time.monotonic() + SOURCES_SECONDS
        while time.monotonic() < deadline:
            fresh = Source.objects.filter(synced_at__gte=self.began)
            if self.sources <= set(fresh.values_list("name", flat=True)):
                return
            self.children.check()
            time.sleep(LOOK)

    def greet(self, admin: User) -> None:
        self.say(f"Pegboard is at {self.address.url}")
        link = self.address.url + signin.new_link(admin)
        self.say(f"Sign in as {admin}, once, within 15 minutes: {link}")

    def write_ready(self) -> None:
        """Tell scripts that runs can be started now, and commands where."""
        redis = self.env.get("REDIS_URL", settings.REDIS_URL)
        told = {"url": self.address.url, "pid": os.getpid(), "redis": redis}
        partial = self.ready_file.with_suffix(".partial")
        partial.touch(mode=0o600)  # the address holds a password
        partial.write_text(json.dumps(told) + "\n")
        partial.rename(self.ready_file)

    def end(self) -> None:
        """End every part: Valkey last, whatever is left by force."""
        self.ready_file.unlink(missing_ok=True)
        patience = settings.WORKER_STOP_SECONDS + 5.0
        self.children.stop("web", "beat", "worker", seconds=patience)
        self.children.stop("Valkey", seconds=2.0)
        self.children.kill_all()
