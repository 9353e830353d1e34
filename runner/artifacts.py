"""Files that a run brought and left: gathered, named safely, stored."""

import logging
import mimetypes
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.core.files import File

from .events import Item
from .models import Artifact, Run

log = logging.getLogger(__name__)

MAX_FILES = 200
MAX_BYTES = 500_000_000
LONGEST_NAME = 200  # bytes; file systems take 255, and storages may add to a name
BAD = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]+')


class Moved(File):  # type: ignore[type-arg]
    """A file that storage on the same disk may take over instead of copying."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def safe_name(name: str) -> str:
    """Return a name without folders, control characters or markup, never empty."""
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    last = BAD.sub("_", last).strip(" .")
    if len(last.encode()) > LONGEST_NAME:
        stem, dot, suffix = last.rpartition(".")
        ending = _first_bytes(dot + suffix, 20) if dot and stem else ""
        last = _first_bytes(stem if ending else last, LONGEST_NAME - 20) + ending
    return last or "file"


def _first_bytes(text: str, most: int) -> str:
    """Cut a text to so many bytes, at a character's end."""
    return text.encode()[:most].decode(errors="ignore")


def left_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield (relative name, path) of regular files; no links are followed."""
    if folder.is_symlink():  # the tool put it in its folder's place
        return
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            try:
                mode = path.lstat().st_mode
            except OSError:
                continue
            if stat.S_ISREG(mode):
                yield path.relative_to(folder).as_posix(), path


class Gathered(NamedTuple):
    """Files that are stored, as rows that are not, and what to tell of them."""

    rows: list[Artifact]
    items: list[Item]


def gather(
    run: Run, files: list[dict[str, Any]], folder: Path, spill: Path
) -> Gathered:
    """Store what a value carried and what was left in the folder, capped.

    The database is left alone: a file moves once, rows may have to be tried again.
    An item `artifact` tells of each, and a note of what was left out.
    """
    found = [
        (str(one.get("name") or "file"), Path(one["path"]), one.get("media_type"))
        for one in files
        if _inside(Path(one.get("path", "")), spill)
    ]
    if (whole := spill / "value.json").is_file():
        found.append(("value.json", whole, "application/json"))
    found += [(name, path, None) for name, path in left_in(folder)]
    gathered = Gathered([], [])
    for name, path, media_type in found:
        try:
            _store(gathered, run, name, path, media_type)
        except Exception as fault:  # a storage's own, whichever it is
            log.warning("run %s: %r could not be stored", run.pk, name, exc_info=True)
            _leave_out(gathered, name, f"it could not be stored ({fault})")
    return gathered


def _store(
    gathered: Gathered, run: Run, name: str, path: Path, media_type: str | None
) -> None:
    size = path.lstat().st_size
    total = sum(row.size for row in gathered.rows) + size
    if len(gathered.rows) >= MAX_FILES or total > MAX_BYTES:
        _leave_out(gathered, name, "too many or too large files")
        return
    taken = {row.name for row in gathered.rows}
    kept = _unused(safe_name(name.replace("/", "-")), taken)
    media_type = media_type_of(kept, path, media_type)
    row = Artifact(run=run, name=kept, size=size, media_type=media_type)
    # O_NOFOLLOW: a link put there at the last moment is not followed.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as opened:
        content = Moved(opened, name=str(path))
        row.file.save(f"runs/{run.pk}/{kept}", content, save=False)
    gathered.rows.append(row)
    data = {"name": kept, "media_type": media_type, "size": size}
    gathered.items.append(Item("artifact", data))


def _leave_out(gathered: Gathered, name: str, why: str) -> None:
    text = f"{name[:200]} was left out: {why[:300]}."
    gathered.items.append(Item("note", {"text": text}))


def _inside(path: Path, folder: Path) -> bool:
    """Whether a path that a tool's process named is a regular file of ours."""
    try:
        real = path.resolve(strict=True)
        return real.is_relative_to(folder.resolve()) and stat.S_ISREG(
            path.lstat().st_mode
        )
    except (OSError, ValueError):
        return False


def _unused(name: str, taken: set[str]) -> str:
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        stem, suffix = name, ""
    number = 2
    tried = name
    while tried in taken:
        tried = f"{stem}-{number}{dot}{suffix}"
        number += 1
    return tried


SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
SNIFFED = {media for _, media in SIGNATURES} - {"application/zip"} | {"image/webp"}


def media_type_of(name: str, path: Path, claimed: str | None) -> str:
    """Return the media type: the content's own, else the claim, else by the name.

    A claim to be an image or PDF that the content does not bear out is dropped,
    so that only what really is one is ever shown inline.
    """
    with path.open("rb") as opened:
        head = opened.read(2048)
    for signature, media in SIGNATURES[:-1]:
        if head.startswith(signature):
            return media
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    said = (
        (claimed or mimetypes.guess_type(name)[0] or "").split(";")[0].strip().lower()
    )
    if (
        not re.fullmatch(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,59}", said)
        or said in SNIFFED
    ):
        said = ""
    if said:
        return said
    return "text/plain" if _is_text(head) else "application/octet-stream"


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    try:
        head[:2000].decode()
    except UnicodeDecodeError as fault:
        return fault.start > 1990
    return True
