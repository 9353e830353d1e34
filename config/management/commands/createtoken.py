"""`manage.py createtoken USER`: a key for a program."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from catalog.account import create_token
from catalog.models import ApiToken, Door

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Make an API token; the last line printed is the token alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="command line")
        parser.add_argument(
            "--scope",
            action="append",
            choices=ApiToken.Scope.values,
            help="may be given several times; default: all that the person may have",
        )
        parser.add_argument("--days", type=int, default=90, help="how long it holds")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {options['user']!r}.")
        if not 0 < options["days"] <= MOST_DAYS:
            raise CommandError(f"--days must be 1 to {MOST_DAYS}.")
        try:
            key = create_token(
                by=user,
                name=options["name"],
                scopes=options["scope"] or scopes_of(user),
                days=options["days"],
                door=Door.COMMAND,
            )
        except PermissionDenied as fault:
            raise CommandError("Only staff may have the scope admin.") from fault
        self.stdout.write(key)


def scopes_of(user: User) -> list[str]:
    """Return every scope that is of use to this person."""
    admin = ApiToken.Scope.ADMIN
    return [s.value for s in ApiToken.Scope if s != admin or user.is_staff]
