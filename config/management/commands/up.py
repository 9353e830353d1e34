"""`make up`: one whole board, until Ctrl-C."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from environs import Env, EnvError

from config.board import Board
from config.checks import limits_are_positive
from config.children import Asked, PartDied, Wish
from config.claims import CannotStart, listen, locked
from config.embedded import NoValkey

env = Env()


class Command(BaseCommand):
    help = "Start a whole board: Valkey, worker, web server. Ctrl-C ends it."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        wish = Wish()
        try:
            with locked(Path(settings.DATA_DIR)):
                self.up(wish)
        except (CannotStart, EnvError, NoValkey, PartDied) as fault:
            raise CommandError(str(fault)) from fault
        except Asked:
            self.say("Everything has ended.")

    def up(self, wish: Wish) -> None:
        for fault in limits_are_positive():
            raise CannotStart(fault.msg)
        address = listen(env.str("HOST", "127.0.0.1"), env.int("PORT", 8000))
        board = Board(address, wish, self.say)
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
