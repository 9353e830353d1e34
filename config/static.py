"""The static files, collected anew only when one of them has changed."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders


def stamp_path() -> Path:
    return Path(settings.STATIC_ROOT) / "stamp"


def fingerprint() -> str:
    """Return a hash over the names, sizes and times of all static files."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def is_current(wanted: str) -> bool:
    try:
        return stamp_path().read_text() == wanted
    except OSError:
        return False
