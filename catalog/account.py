"""A person's own tokens: make one, take one back."""

from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from . import audit
from .models import ApiToken


def create_token(
    *, by: User, name: str, scopes: Iterable[str], days: int | None, door: str
) -> str:
    """Make a token and return it; it cannot be shown again."""
    chosen = sorted(scopes)
    if ApiToken.Scope.ADMIN in chosen and not by.is_staff:
        raise PermissionDenied
    with transaction.atomic():
        token, secret = ApiToken.objects.create(
            user=by,
            name=name,
            scopes=chosen,
            expiry=None if days is None else timedelta(days=days),
        )
        audit.append(
            actor=by,
            verb="created token",
            of=by,
            label=name,
            after={"scopes": chosen, "expires": token.expiry and str(token.expiry)},
            door=door,
        )
    return str(secret)


def revoke_token(*, token: ApiToken, by: User, door: str) -> None:
    """End a token of one's own at once."""
    if token.user_id != by.pk:
        raise PermissionDenied
    with transaction.atomic():
        audit.append(actor=by, verb="revoked token", of=by, label=token.name, door=door)
        token.delete()
