"""Secrets of a run: kept apart, encrypted, wiped at its end, masked in what it says."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from catalog.errors import PegboardError
from catalog.fields import dumps
from catalog.schema import loads

MASK = "••••••"
# Shorter values would blot out ordinary text all over the output.
SHORTEST = 3


class Unreadable(PegboardError):
    """Its secrets cannot be read any more: SECRET_KEY has changed. Start it anew."""

    code = "secrets_unreadable"


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"pegboard.secrets:" + settings.SECRET_KEY.encode())
    return Fernet(base64.urlsafe_b64encode(digest.digest()))


def seal(values: dict[str, Any]) -> bytes | None:
    """Encrypt `{pointer: value}`; None when there are none."""
    return _fernet().encrypt(dumps(values).encode()) if values else None


def unseal(sealed: bytes | memoryview | None) -> dict[str, Any]:
    """Return what was sealed, `{pointer: value}`; raise Unreadable."""
    if not sealed:
        return {}
    try:
        text = _fernet().decrypt(bytes(sealed)).decode()
    except InvalidToken as fault:
        raise Unreadable from fault
    opened: dict[str, Any] = loads(text)
    return opened


class Masker:
    """Replaces secret values in text that arrives in pieces."""

    def __init__(self, values: Iterable[Any]) -> None:
        texts = {str(value) for value in values if value is not None}
        self.secrets = sorted((t for t in texts if len(t) >= SHORTEST), key=len)[::-1]
        self.held: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Mask a whole text."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text

    def piece(self, stream: str, text: str, *, last: bool = False) -> str:
        """Mask a piece of a stream; hold back an end that may begin a secret."""
        if not self.secrets:
            return text
        text = self.text(self.held.pop(stream, "") + text)
        keep = 0 if last else max(self._begun(text, secret) for secret in self.secrets)
        if keep:
            self.held[stream] = text[-keep:]
            return text[:-keep]
        return text

    @staticmethod
    def _begun(text: str, secret: str) -> int:
        longest = min(len(text), len(secret) - 1)
        return next(
            (n for n in range(longest, 0, -1) if secret.startswith(text[-n:])), 0
        )

    def value(self, value: Any) -> Any:
        """Mask every text in a JSON value, keys included."""
        if not self.secrets:
            return value
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(one) for one in value]
            case dict():
                return {self.text(key): self.value(one) for key, one in value.items()}
        return value
