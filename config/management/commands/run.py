"""Start a tool from a terminal: `manage.py run source/name --arg value`."""

import asyncio
import json
import sys
from argparse import REMAINDER, ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError

from catalog.errors import CouldNotQueue, InvalidArguments, PegboardError
from catalog.models import Door, Tool
from catalog.schema import JSONFault, loads
from runner import actions
from runner.models import Run, State
from runner.streams import follow

NO_BROKER = (
    "The run could not be queued: no board runs in this folder, or its broker does "
    "not answer. Start one with `make up`, or name its Redis with REDIS_URL."
)
# How the command exits: by the run's end state.
EXIT = {
    State.SUCCEEDED: 0,
    State.FAILED: 1,
    State.TIMED_OUT: 124,
    State.CANCELLED: 130,
    State.CRASHED: 70,
    State.LOST: 75,
    State.REFUSED: 69,
}


class Command(BaseCommand):
    help = "Start a tool, show its strip and output, exit by its end state."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--as", dest="user", help="who starts it")
        parser.add_argument("--json", help="all arguments as one JSON object")
        parser.add_argument("--yes", action="store_true", help="the explicit yes")
        parser.add_argument("tool", help="source/name")
        parser.add_argument("rest", nargs=REMAINDER, help="--name value, each")

    def handle(self, *args: Any, **options: Any) -> None:
        run = self._start(options)
        self.interactive = sys.stderr.isatty()
        try:
            asyncio.run(self._watch(run))
        except KeyboardInterrupt:
            user = self._user(options["user"])
            actions.cancel_run(run=run, by=user, door=Door.COMMAND)
            asyncio.run(self._watch(run))
        run.refresh_from_db()
        self._tell_end(run)
        sys.exit(EXIT[State(run.state)])

    def _start(self, options: dict[str, Any]) -> Run:
        tool = Tool.objects.with_contract().labelled(options["tool"]).first()
        if tool is None:
            raise CommandError(f"There is no tool {options['tool']}.")
        given = self._pairs(options, set(tool.now.parameters.get("properties", {})))
        try:
            return actions.start_run(
                tool=tool,
                by=self._user(options["user"]),
                arguments=self._arguments(options["json"], given),
                door=Door.COMMAND,
                confirm=options["yes"],
            )
        except InvalidArguments as fault:
            lines = [f"  {f.pointer or '/'}: {f.message}" for f in fault.faults]
            raise CommandError("\n".join([str(fault), *lines])) from fault
        except CouldNotQueue as fault:
            raise CommandError(NO_BROKER) from fault
        except PegboardError as fault:
            raise CommandError(str(fault)) from fault

    def _pairs(self, options: dict[str, Any], known: set[str]) -> dict[str, str]:
        """Split `--name value` pairs; `--as`, `--json`, a last `--yes` too."""
        rest = _words(options["rest"])
        if rest[-1:] == ["--yes"]:
            options["yes"], rest = True, rest[:-1]
        if len(rest) % 2 or not all(name.startswith("--") for name in rest[::2]):
            raise CommandError("Give arguments as pairs: --name value.")
        names = [name.removeprefix("--") for name in rest[::2]]
        given = dict(zip(names, rest[1::2], strict=True))
        for own, option in (("as", "user"), ("json", "json")):
            if own in given and own not in known:
                options[option] = given.pop(own)
        return given

    def _user(self, name: str | None) -> User:
        users = User.objects.filter(is_active=True)
        found = (
            users.filter(username=name)
            if name
            else users.filter(is_superuser=True).order_by("pk")
        ).first()
        if found is None:
            raise CommandError(f"There is no active user {name or '(no superuser)'}.")
        return found

    def _arguments(self, text: str | None, given: dict[str, str]) -> dict[str, Any]:
        try:
            arguments = loads(text) if text else {}
        except JSONFault as fault:
            raise CommandError(f"--json: {fault}") from fault
        if not isinstance(arguments, dict):
            raise CommandError("--json must be an object.")
        return arguments | {name: _value(one) for name, one in given.items()}

    async def _watch(self, run: Run) -> None:
        async for frames in follow(run.pk, 0):
            for frame in frames:
                self._show(frame["kind"], frame["data"])

    def _show(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "output":
                stream = self.stderr if data["stream"] == "stderr" else self.stdout
                stream.write(data["text"], ending="")
            case "progress":
                self._strip(data)
            case "status" if data["state"] == State.QUEUED and self.interactive:
                self._strip({"message": "waiting for a worker"})
            case "note":
                self.stderr.write(f"note: {data['text']}")

    def _strip(self, data: dict[str, Any]) -> None:
        fraction = data.get("fraction")
        done = "" if fraction is None else f"{fraction:4.0%} "
        line = f"{done}{data.get('message') or ''}"
        if self.interactive:
            self.stderr.write(f"\r\033[K{line}", ending="")
        else:
            self.stderr.write(line)

    def _tell_end(self, run: Run) -> None:
        if self.interactive:
            self.stderr.write("\r\033[K", ending="")
        outcome = run.outcome or {}
        self.stderr.write(
            f"run {run.pk}: {run.get_state_display()} {run.reason}".strip()
        )
        if "value" in outcome:
            self.stdout.write(json.dumps(outcome["value"], indent=2))
        for name in outcome.get("files", []):
            self.stderr.write(f"file: {name}")


def _value(text: str) -> Any:
    """Read what is JSON as JSON where it is an object, list or text in quotes."""
    if text[:1] not in '[{"':
        return text
    try:
        return loads(text)
    except JSONFault:
        return text


def _words(rest: list[str]) -> list[str]:
    """Return names and values in turns; `--name=value` is one word for two."""
    words: list[str] = []
    for word in rest:
        name, equals, value = word.partition("=")
        is_name = len(words) % 2 == 0 and word.startswith("--")
        words += [name, value] if is_name and equals else [word]
    return words
