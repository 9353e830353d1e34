"""Who a request comes from: a token of a program, or a browser's session."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.crypto import hash_token
from rest_framework.authentication import SessionAuthentication as DRFSession
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from .models import ApiToken
from .prepared import Prepared

TOKEN = Prepared(ApiToken.objects.select_related("user").filter(digest=""))


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """`Authorization: Token …`; remembers roughly when a token was last used."""

    def authenticate_credentials(self, token: bytes) -> tuple[Any, ApiToken]:
        """Find a token by its digest, which is its key.

        The base class compares the digests of all tokens that begin alike, and deletes
        those of their owners that have expired; we keep them in view.
        """
        now = timezone.now()
        found = TOKEN.first(hash_token(token.decode(errors="replace")))
        if found is None or (found.expiry is not None and found.expiry < now):
            raise AuthenticationFailed("Invalid token.")
        if found.last_used is None or now - found.last_used > timedelta(minutes=5):
            ApiToken.objects.filter(pk=found.pk).update(last_used=now)
        return self.validate_user(found)  # type: ignore[no-any-return]


class SessionAuthentication(DRFSession):
    """A session answers 401, not 403, to a stranger, as a token does."""

    def authenticate_header(self, request: Request) -> str:
        return "Session"


class ScopeAllows(BasePermission):
    """A token may only do what its scopes say: `read` to look, else the view's."""

    message = "This token's scopes do not allow this."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return True
        if request.method in SAFE_METHODS:
            return request.auth.allows(getattr(view, "read_scope", "read"))
        return request.auth.allows(getattr(view, "write_scope", "run"))
