"""This worker process: its row, its hosts, and the watch over its runs."""

import logging
import os
import platform
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connection,
)
from django.db.models.functions import Now
from watchfiles import watch

from catalog import sync
from catalog.errors import HostError, SourcesFileError
from catalog.hosts import Host
from catalog.sources import SourceConfig, read_file

from . import queue
from .models import CLAIMED, Run, Worker

log = logging.getLogger(__name__)

# A closed worker ends within so many seconds, and one that was asked to stop so long
# after its runs, whatever Celery and its threads wait for: while it lives it could
# pass for one that works.
LAST = 15.0
# Sends a run's guard a wish to end it, with the reason.
Cancel = Callable[[str], None]


class Workplace:
    """What one worker process owns: hosts by source, and the runs it supervises."""

    def __init__(self, queues: list[str], threads: int) -> None:
        self.name = f"{platform.node()}:{os.getpid()}"
        self.queues = queues
        self.threads = threads
        self.row: Worker | None = None
        self.configs: dict[str, SourceConfig] = {}
        self.hosts: dict[str, Host] = {}
        self.locks: dict[str, threading.Lock] = {}
        self.starting = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))
        self.runs: dict[int, Cancel] = {}
        self.stopping = threading.Event()
        self.closed = False

    # -- life

    def open(self) -> None:
        """Register, start the hosts and list the tools, then keep watch."""
        self.row, _ = Worker.objects.update_or_create(
            name=self.name,
            defaults={
                "machine": platform.node(),
                "pid": os.getpid(),
                "queues": self.queues,
                "threads": self.threads,
                "stopping": False,
                "started_at": Now(),
                "seen_at": Now(),
                "doubted_at": None,
            },
        )
        clear_leftovers()
        self._thread("beat", self._every, settings.WORKER_BEAT, self.beat)
        self._thread("watch", self._every, settings.CANCEL_BEAT, self.watch)
        self.sync_all()
        self._thread("files", self._watch_files)

    def _thread(self, name: str, target: Callable[..., None], *args: Any) -> None:
        threading.Thread(target=target, args=args, name=name, daemon=True).start()

    def _every(self, seconds: float, work: Callable[[], None]) -> None:
        """Do `work` again and again; a database that is away is waited for."""
        while not self.closed:
            try:
                work()
            except DatabaseError as fault:
                log.warning("the database did not answer: %s", fault)
                connection.close()
            time.sleep(seconds)

    def close(self) -> None:
        """Stop the hosts and leave; what still runs is ended by them.

        Celery may be here without having been asked (it gives up when it cannot
        talk to its broker any more), so nothing is taken up or kept alive from now.
        """
        self.stopping.set()
        self.closed = True
        self._thread("last", leave_at_last, LAST)
        for host in self.hosts.values():
            host.stop(1.0)
        if self.row is not None:
            Worker.objects.filter(pk=self.row.pk).delete()

    # -- beats

    def beat(self) -> None:
        """Say that we are here, by the database's clock; revive dead hosts."""
        if self.row is None or self.closed:
            return
        hosts = [
            {"source": name, "pid": host.process and host.process.pid, "up": host.alive}
            for name, host in list(self.hosts.items())
        ]
        changes = {"seen_at": Now(), "doubted_at": None, "hosts": hosts}
        if not Worker.objects.filter(pk=self.row.pk).update(**changes):
            self._register_again()
        for name, host in list(self.hosts.items()):
            if not host.alive and not self.stopping.is_set():
                log.error("the host of source %s died; starting it anew", name)
                self._thread(f"revive-{name}", self.revive, name)

    def _register_again(self) -> None:
        """The reaper took us for gone; our runs are no longer ours."""
        assert self.row is not None  # noqa: S101
        if self.closed:
            return
        self.row.pk = None
        self.row.save(force_insert=True)

    def watch(self) -> None:
        """One look at which of our runs are to be cancelled or no longer ours."""
        if not self.runs or self.row is None:
            return
        rows = Run.objects.filter(pk__in=list(self.runs))
        for pk, state, reason, worker in rows.values_list(
            "pk", "state", "reason", "worker_id"
        ):
            cancel = self.runs.get(pk)
            if cancel is None:
                continue
            if state == "cancelling":
                cancel(reason)
            elif state not in CLAIMED or worker != self.row.pk:
                cancel("no longer this worker's run")

    # -- hosts

    def sync_all(self) -> None:
        """Read the sources file, and bring every source of our queues up to it."""
        try:
            configs, bad = read_file()
        except SourcesFileError as fault:
            log.error("%s", fault)
            return
        for line in bad:
            name, _, error = line.partition(": ")
            sync.failed(name, error)
        sync.remove_missing({*configs, *(line.partition(": ")[0] for line in bad)})
        self.configs = {n: c for n, c in configs.items() if c.queue in self.queues}
        for name in set(self.hosts) - set(self.configs):
            self._retire(self.hosts.pop(name))
        # Each in its own time: a slow source keeps no other's runs waiting.
        for name in self.configs:
            self.locks.setdefault(name, threading.Lock())
            self._thread(f"sync-{name}", self.sync_one, name)

    def sync_one(self, name: str) -> None:
        """Start a source's host anew and bring its rows to what it lists."""
        with self.locks[name]:
            self._renew(name)

    def revive(self, name: str) -> None:
        """Start a source's host if none lives; wait for one that is starting."""
        with self.locks[name]:
            if not self._alive(name):
                self._renew(name)

    def _renew(self, name: str) -> None:
        config = self.configs[name]
        host = Host(config)
        try:
            if why := self._take_up(host):
                sync.failed(name, why, config.queue)
        except DatabaseError as fault:
            log.warning("source %s: the database did not answer: %s", name, fault)
            why = "nothing could be stored"
        finally:
            close_old_connections()
        if why:
            host.stop()
            return
        old, self.hosts[name] = self.hosts.get(name), host
        if old is not None:
            self._retire(old)
        queue.ring_source(name)
        close_old_connections()

    def _take_up(self, host: Host) -> str:
        """Start a host and keep what it lists; return why not, if it failed.

        Whatever goes wrong is the source's own trouble and must be told at
        `/sources/`, where a person looks; only a database that is away cannot be.
        """
        try:
            with self.starting:  # many at once would all miss their time
                listing = host.start()
            sync.sync(host.config, listing)
        except HostError as fault:
            return str(fault)
        except (OperationalError, InterfaceError):
            raise
        except Exception as fault:
            log.exception("source %s could not be taken up", host.config.name)
            said = " ".join(str(fault).split())[:300]
            return f"its tools could not be taken up: {type(fault).__name__}: {said}"
        return ""

    def _retire(self, host: Host) -> None:
        """Let the runs of a replaced host end before it goes."""
        self._thread("retire", self._stop_when_idle, host)

    def _stop_when_idle(self, host: Host) -> None:
        while host.alive and host.calls and not self.stopping.is_set():
            time.sleep(0.2)
        host.stop()

    def host(self, source: str) -> Host | None:
        """Return the source's living host; None while another thread starts it.

        To wait would let one slow source have all threads; its runs are rung for when
        its host is up. Raises HostError when there is none.
        """
        if source not in self.configs:
            raise HostError(f"this worker does not serve the source {source}")
        if not self._alive(source):
            lock = self.locks[source]
            if not lock.acquire(blocking=False):
                return None
            try:
                if not self._alive(source):
                    self._renew(source)
            finally:
                lock.release()
        if not self._alive(source):
            raise HostError(f"the host of source {source} did not come up")
        return self.hosts[source]

    def _alive(self, source: str) -> bool:
        host = self.hosts.get(source)
        return host is not None and host.alive

    def _watch_files(self) -> None:
        """Sync a source again when a file under its path, or the file itself, moves."""
        while not self.stopping.is_set():
            places = {settings.SOURCES_FILE}
            for config in self.configs.values():
                places.update(config.watched())
            self._watch_once(places)

    def _watch_once(self, places: set[Any]) -> None:
        existing = [place for place in places if place.exists()]
        for changes in watch(
            *existing, stop_event=self.stopping, step=200, raise_interrupt=False
        ):
            changed = {path for _, path in changes}
            if str(settings.SOURCES_FILE) in changed:
                self.sync_all()
                return
            for name, config in self.configs.items():
                folders = [str(folder) for folder in config.watched()]
                if any(
                    p.startswith(f) and p.endswith(".py")
                    for p in changed
                    for f in folders
                ):
                    self.sync_one(name)

    # -- the end

    def wind_down(self) -> None:
        """Let runs end within the stated time, then end them as worker stopped."""
        self.stopping.set()
        self._thread("last", leave_at_last, settings.WORKER_STOP_SECONDS + LAST)
        if self.row is not None:
            Worker.objects.filter(pk=self.row.pk).update(stopping=True)
        deadline = time.monotonic() + settings.WORKER_STOP_SECONDS
        while self.runs and time.monotonic() < deadline:
            time.sleep(0.1)
        for cancel in list(self.runs.values()):
            cancel("worker stopped")


def clear_leftovers() -> None:
    """Take away the folders of runs whose worker was killed before it could."""
    for folder in (Path(settings.DATA_DIR) / "runs").glob("*"):
        pk = int(folder.name) if folder.name.isdecimal() else 0
        if not Run.objects.live().filter(pk=pk).exists():
            shutil.rmtree(folder, ignore_errors=True)


def leave_at_last(seconds: float) -> None:
    """End this process if it is still there then."""
    time.sleep(seconds)
    log.error("the worker did not end by itself")
    os._exit(1)


_workplace: Workplace | None = None


def start(queues: list[str], threads: int) -> Workplace:
    """Open this process's workplace."""
    global _workplace
    _workplace = Workplace(queues, threads)
    _workplace.open()
    return _workplace


def current() -> Workplace:
    """Return this process's workplace; it must have been started."""
    if _workplace is None:
        raise RuntimeError("this process is not a worker")
    return _workplace
