"""One run from its claim to its end.

The guard owns the clock and the kill; this owns the state, from the guard's
report. A guard that is silent past limit, grace and a second is woken, then killed.
"""

import logging
import select
import shutil
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction

from catalog.errors import CouldNotQueue, HostError, PegboardError, ToolUnavailable
from catalog.host.pegboard_host.frames import Channel
from catalog.hosts import Host
from catalog.models import Tool
from catalog.prepared import Prepared
from catalog.schema import put

from . import artifacts, events, outcomes, places, queue, secrets, worker
from .events import Item
from .models import Artifact, Run, State, Upload
from .recorder import Recorder

log = logging.getLogger(__name__)

# Past limit and grace, so many seconds may a guard be silent before it is urged.
SILENCE = 1.0
# Reading starts at most so long after the call; a spawned tool imports first.
BEGIN = 60.0
CHANGED = "Its contract has changed since; start it anew."
TOO_LATE = "The tool still returned a value after it was asked to end; it is not taken."
LATE = "Its worker reported later that it ended as {}; that changes nothing."
BROKEN_OFF = "Pegboard could not see it through to its end: {}"
RUN = Prepared(Run.objects.for_supervision().filter(pk=0).filter(state=""))


def supervise(run_id: int) -> None:
    """Take up a queued run and see it through; stop quietly if it is not ours."""
    run = RUN.first(run_id, State.QUEUED)
    if run is None:
        return
    tool = run.contract.tool
    if tool.contract_id == run.contract_id:
        tool.contract = run.contract  # read once
    try:
        supervision = _taken_up(run, tool)
    except PegboardError as fault:
        refuse(run, str(fault))
        return
    if supervision is not None:
        supervision.carry_out()


def _taken_up(run: Run, tool: Tool) -> "Supervision | None":
    """Return what will see it through, None if that cannot be here and now.

    Raises ToolUnavailable, HostError and Unreadable: it will not be started.
    """
    if why := tool.why_not(run.user):
        raise ToolUnavailable(why)
    if run.contract_id != tool.contract_id:
        raise ToolUnavailable(CHANGED)
    workplace = worker.current()
    if workplace.stopping.is_set():
        return None
    host = workplace.host(tool.source.name)
    if host is None:
        return None
    if host.listing.hashes.get(tool.name) != run.contract.declared_hash:
        raise ToolUnavailable(CHANGED)
    return Supervision(run, tool, workplace, host)


def refuse(run: Run, why: str) -> bool:
    """End a queued run that will not be started, with the reason."""
    refused = events.move(run, State.REFUSED, reason=why)
    if refused:
        ring_next(run)
    return refused


def ring_next(run: Run) -> None:
    """An end made a place: ring for the oldest run that waits for it."""
    try:
        queue.ring_waiting(run)
    except CouldNotQueue:
        log.warning("the broker did not answer; the reaper will ring again")


class Supervision:
    """The conversation with one guard."""

    def __init__(
        self, run: Run, tool: Tool, workplace: worker.Workplace, host: Host
    ) -> None:
        self.run, self.tool, self.workplace, self.host = run, tool, workplace, host
        self.config = host.config
        self.limit = places.limit_of(tool, self.config)
        self.folder = Path(settings.DATA_DIR) / "runs" / str(run.pk)
        self.secrets = secrets.unseal(run.secrets)
        self.masker = secrets.Masker(self.secrets.values())
        self.recorder = Recorder(run, self.masker)
        self.value: dict[str, Any] | None = None
        self.end: dict[str, Any] | None = None
        self.cancelled = ""
        self.silent_at = 0.0
        self.guard = 0
        self.urging = iter((signal.SIGCONT, signal.SIGKILL))
        ours, self.theirs = socket.socketpair()
        self.channel = Channel(ours)

    def carry_out(self) -> None:
        assert self.workplace.row is not None  # noqa: S101
        try:
            with self.host.calling():
                self._call()
                row = self.workplace.row
                if not places.claim(self.run, self.tool, row, self.limit):
                    return
                self._see_through()
        finally:
            self.channel.close()
            self.theirs.close()
        ring_next(self.run)

    def _see_through(self) -> None:
        """Whatever happens, to an end: no reaper ends what a living worker has.

        Only from here on the run's folder is ours: messages may come twice.
        """
        try:
            self._prepare()
            self._talk()
            self._finish()
        except Exception as fault:
            log.exception("run %s: could not be seen through", self.run.pk)
            self.channel.close()  # which ends what still runs
            reason = BROKEN_OFF.format(str(fault)[:300])
            lasting(lambda: events.move(self.run, State.CRASHED, reason=reason))
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def cancel(self, reason: str) -> None:
        """Ask the guard to end the run; the first reason stays."""
        if self.cancelled:
            return
        self.cancelled = reason or "cancelled"
        self.silent_at = time.monotonic() + self.config.grace + SILENCE
        try:
            self.channel.send({"op": "cancel", "reason": self.cancelled})
        except OSError:
            log.info("run %s ended before it heard of its cancel", self.run.pk)

    # -- before

    def _prepare(self) -> None:
        """Make the run's folder; `out` is made by whoever writes there."""
        if self.folder.exists():  # of a board that was reset
            shutil.rmtree(self.folder)
        (self.folder / "work").mkdir(parents=True)

    def _start_frame(self) -> dict[str, Any]:
        config = self.config
        cap = config.timeout_cap or settings.RUN_TIMEOUT_MAX
        return {
            "op": "start",
            "run": self.run.pk,
            "tool": self.tool.name,
            "arguments": put(self.run.arguments, self.secrets),
            "limit": self.limit,
            "grace": config.grace,
            "folder": str(self.folder / "work"),
            "spill": str(self.folder / "out"),
            "cwd": config.cwd,
            "env": {},
            "max_output": config.max_output or settings.RUN_MAX_OUTPUT,
            "memory": config.memory,
            "processes": config.processes,
            "confirm": self.run.confirmed,
            "uploads": self._uploads(),
            "secret": bool(self.secrets),
            "timezone": self.run.timezone or None,
            "extends": {"cap": cap} if config.timeout_extends else None,
        }

    def _uploads(self) -> dict[str, dict[str, str]]:
        """Put the files that the arguments name into the run's own folder."""
        found = {}
        wanted = upload_ids(self.run.arguments)
        for upload in Upload.objects.filter(pk__in=wanted) if wanted else ():
            path = (
                self.folder / "in" / str(upload.pk) / artifacts.safe_name(upload.name)
            )
            path.parent.mkdir(parents=True)
            with upload.file.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
            found[str(upload.pk)] = {
                "path": str(path),
                "name": upload.name,
                "media_type": upload.media_type,
            }
        return found

    def _call(self) -> None:
        """Have a guard made ready while we claim; it waits for the start frame."""
        try:
            self.host.call(self.run.pk, self.theirs)
        except HostError as fault:
            log.warning("run %s: %s", self.run.pk, fault)
        self.theirs.close()

    # -- during

    def _talk(self) -> None:
        """Start the tool and take down what its guard says, to the end."""
        self.silent_at = time.monotonic() + self.limit + self.config.grace + BEGIN
        self.workplace.runs[self.run.pk] = self.cancel
        try:
            self.channel.send(self._start_frame())
            self._listen()
        except (OSError, ValueError) as fault:
            log.warning("run %s: %s", self.run.pk, fault)
        finally:
            self.workplace.runs.pop(self.run.pk, None)
        lasting(self.recorder.finish)

    def _listen(self) -> None:
        ready = select.poll()
        ready.register(self.channel.fileno(), select.POLLIN)
        while self.end is None:
            wait = min(self.recorder.due(), self.silent_at - time.monotonic())
            give_back()
            if not ready.poll(max(wait, 0.001) * 1000):
                if time.monotonic() > self.silent_at and not self._urge():
                    return
                if self.recorder.due() <= 0:
                    lasting(self.recorder.flush)
                continue
            frame = self.channel.receive()
            if frame is None:
                return
            self._take(frame)

    def _urge(self) -> bool:
        """Wake a guard that fell silent, then kill it; at last kill its host.

        A stopped guard goes on and ends its run. Returns whether to listen on.
        """
        log.error("run %s: its guard fell silent", self.run.pk)
        for number in self.urging:
            if self.host.signal_guard(self.guard, number):
                self.silent_at = time.monotonic() + SILENCE
                return True
        self.host.kill()
        return False

    def _take(self, frame: dict[str, Any]) -> None:
        match frame["kind"]:
            case "started":
                self.guard = frame["guard"]
                extends = self.config.timeout_extends
                cap = self.config.timeout_cap or settings.RUN_TIMEOUT_MAX
                limit = cap if extends else self.limit
                if not self.cancelled:
                    self.silent_at = (
                        time.monotonic() + limit + self.config.grace + SILENCE
                    )
            case "value":
                self.value = frame
            case "end":
                self.end = frame
            case _:
                self.recorder.take(frame)
                if self.recorder.due() <= 0:
                    lasting(self.recorder.flush)

    # -- after

    def _finish(self) -> None:
        """Store files, outcome and end state; a value that came too late is a note."""
        ended = outcomes.read(
            tool_name=self.tool.name,
            limit=self.limit,
            read_only=self.tool.now.hints.get("read_only") is True,
            value=self.value,
            end=self.end,
            cancelled=self.cancelled,
        )
        files = (self.value or {}).get("files") or []
        gathered = artifacts.gather(
            self.run, files, self.folder / "work", self.folder / "out"
        )
        outcome = self.masker.value(ended.outcome)
        outcome["files"] = [row.name for row in gathered.rows]
        outcome |= {
            key: self.end[key]
            for key in ("exit_code", "signal", "seconds", "truncated_output")
            if self.end and self.end.get(key) not in (None, False)
        }
        items = [*gathered.items, *self._notes(ended), Item("outcome", outcome)]
        lasting(lambda: self._store(ended, outcome, gathered.rows, items))

    def _store(
        self,
        ended: outcomes.End,
        outcome: dict[str, Any],
        files: list[Artifact],
        items: list[Item],
    ) -> None:
        with transaction.atomic():
            ours = events.move(
                self.run,
                ended.state,
                reason=self.masker.text(ended.reason),
                first=items,
                shade=ended.shade,
                outcome=outcome,
            )
            if ours and files:
                for one in files:
                    one.pk = None  # of a try that the database broke off
                Artifact.objects.bulk_create(files)
        if not ours:
            for one in files:
                one.file.delete(save=False)
            events.append(self.run, [Item("note", {"text": LATE.format(ended.state)})])

    def _notes(self, ended: outcomes.End) -> list[Item]:
        texts = []
        if self.value is not None and ended.state in (State.CANCELLED, State.TIMED_OUT):
            texts.append(TOO_LATE)
        return [Item("note", {"text": text}) for text in texts]


def upload_ids(value: Any) -> list[int]:
    """Return the ids in every `{"upload": id}` of some arguments."""
    match value:
        case {"upload": int(pk)} if len(value) == 1:
            return [pk]
        case dict():
            return [pk for one in value.values() for pk in upload_ids(one)]
        case list():
            return [pk for one in value for pk in upload_ids(one)]
    return []


def lasting(work: Callable[[], Any]) -> None:
    """Do work on the database, again after growing waits while it is away."""
    wait = 0.1
    while True:
        try:
            work()
        except (OperationalError, InterfaceError) as fault:
            log.warning("the database did not answer, trying again: %s", fault)
            connection.close()
            time.sleep(wait)
            wait = min(wait * 2, 5.0)
        else:
            return


def give_back() -> None:
    """Give a pooled connection back while nothing is asked of the database.

    A run may take hours, and a worker has more threads than a pool has connections.
    """
    if "pool" in connection.settings_dict["OPTIONS"]:
        connection.close()
