"""`make up`: one whole board, until Ctrl-C."""

import signal
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from environs import Env

from config.board import Board
from config.children import PartDied
from config.claims import CannotStart, listen, locked
from config.embedded import NoValkey

env = Env()
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Asked(BaseException):
    """Somebody asked us to end."""


def ask(signum: int, _frame: FrameType | None) -> None:
    for ending in ENDINGS:  # once is enough: the end is not to be cut short
        signal.signal(ending, signal.SIG_IGN)
    raise Asked(signal.Signals(signum).name)


class Command(BaseCommand):
    help = "Start a whole board: Valkey, worker, web server. Ctrl-C ends it."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        for ending in ENDINGS:
            signal.signal(ending, ask)
        try:
            with locked(Path(settings.DATA_DIR)):
                self.up()
        except (CannotStart, NoValkey, PartDied) as fault:
            raise CommandError(str(fault)) from fault
        except Asked:
            self.say("Everything has ended.")

    def up(self) -> None:
        address = listen(env.str("HOST", "127.0.0.1"), env.int("PORT", 8000))
        board = Board(address, self.say)
        try:
            board.run(env.str("PEGBOARD_ADMIN_PASSWORD", "") or None)
        finally:
            board.end()

    def say(self, line: str) -> None:
        """Tell the terminal, which may be gone."""
        try:
            self.stdout.write(line)
            self.stdout.flush()
        except OSError:
            pass
