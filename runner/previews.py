"""What a page shows of a file where it stands: pictures, tables, text; never HTML."""

import csv
import io
import json
from dataclasses import dataclass
from itertools import islice

from .downloads import INLINE
from .models import Artifact
from .shapes import Shape, shape

READ = 64_000
ROWS, COLUMNS = 30, 24
LINES = 40
SHOWN = 6


@dataclass(frozen=True)
class Row:
    """A file, and what may be seen of it."""

    file: Artifact
    kind: str = ""
    shape: Shape | None = None
    text: str = ""
    is_cut: bool = False


def rows(files: list[Artifact]) -> list[Row]:
    """Return every file; the first few with what may be seen of them."""
    return [row(file) if at < SHOWN else Row(file) for at, file in enumerate(files)]


def row(file: Artifact) -> Row:
    if file.media_type in INLINE:
        return Row(file, "picture")
    if not (
        file.media_type.startswith("text/") or file.media_type == "application/json"
    ):
        return Row(file)
    try:
        with file.file.open("rb") as opened:
            text = opened.read(READ).decode("utf-8", "replace")
    except OSError:
        return Row(file)
    is_cut = file.size > READ
    if file.media_type == "text/csv":
        return Row(file, "shape", shape=table(text), is_cut=is_cut)
    if file.media_type == "application/json" and not is_cut:
        return _json(file, text)
    head = "\n".join(text.split("\n")[:LINES])
    return Row(file, "text", text=head, is_cut=is_cut or len(head) < len(text))


def table(text: str) -> Shape:
    """Return the first rows of a CSV text."""
    lines = list(islice(csv.reader(io.StringIO(text)), ROWS + 1))
    if not lines:
        return Shape("word", "empty")
    names = lines[0][:COLUMNS]
    cells = [
        [(Shape("text", cell), False) for cell in line[:COLUMNS]] for line in lines[1:]
    ]
    return Shape("table", columns=[(name, False) for name in names], rows=cells)


def _json(file: Artifact, text: str) -> Row:
    try:
        return Row(file, "shape", shape=shape(json.loads(text)))
    except (ValueError, RecursionError):
        return Row(file, "text", text=text[:READ])
