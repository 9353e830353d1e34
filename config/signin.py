"""A sign-in link for the person who started the board: works once, for a while."""

import hashlib
import hmac
import json
import secrets
import time
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user_model, login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

LINK_SECONDS = 15 * 60


def path() -> Path:
    return settings.DATA_DIR / "sign-in.json"


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_link(user: User) -> str:
    """Return the path of a fresh link for this person; an older one ends."""
    token = secrets.token_urlsafe(24)
    kept = {
        "digest": digest(token),
        "user": user.pk,
        "until": time.time() + LINK_SECONDS,
    }
    path().touch(mode=0o600)
    path().write_text(json.dumps(kept))
    return reverse("sign_in_link", args=[token])


def redeem(token: str) -> User | None:
    """Return whose link this is, once; None ever after, or when it is too old."""
    try:
        kept = json.loads(path().read_text())
        if not hmac.compare_digest(kept["digest"], digest(token)):
            return None
        path().unlink()  # whoever removes it has it: two cannot
    except (OSError, ValueError):
        return None
    if time.time() > kept["until"]:
        return None
    user: User | None = (
        get_user_model().objects.filter(pk=kept["user"], is_active=True).first()
    )
    return user


@require_GET
@never_cache
@login_not_required
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whoever brings the link that `make up` printed."""
    user = redeem(token)
    if user is None and request.user.is_authenticated:
        return redirect("tool_list")
    if user is None:
        messages.error(request, "This sign-in link was used before or is too old.")
        return redirect("login")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("tool_list")
