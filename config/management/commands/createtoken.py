"""`manage.py createtoken USER`: a key for a program."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from catalog import audit
from catalog.models import ApiToken, Door


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
        parser.add_argument("--days", type=int, help="how long it holds")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {options['user']!r}.")
        scopes = options["scope"] or scopes_of(user)
        days = options["days"]
        if days is not None and days <= 0:
            raise CommandError("--days must be positive.")
        expiry = settings.REST_KNOX["TOKEN_TTL"] if days is None else timedelta(days)
        token, key = create(user, options["name"], scopes, expiry)
        self.stderr.write(
            f"Token {token.name!r} of {user}: {', '.join(scopes)}, until {token.expiry}"
        )
        self.stdout.write(key)


def scopes_of(user: User) -> list[str]:
    """Return every scope that is of use to this person."""
    admin = ApiToken.Scope.ADMIN
    return [s.value for s in ApiToken.Scope if s != admin or user.is_staff]


@transaction.atomic
def create(
    user: User, name: str, scopes: list[str], expiry: timedelta
) -> tuple[ApiToken, str]:
    """Make the token and its audit entry; return it with the key shown only now."""
    token, key = ApiToken.objects.create(
        user=user, name=name, scopes=scopes, expiry=expiry
    )
    audit.append(
        actor=user,
        verb="token created",
        of=user,
        label=f"{user}: {name}",
        after={"scopes": scopes},
        door=Door.COMMAND,
    )
    return token, key
