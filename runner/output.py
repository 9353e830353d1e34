"""A run's output as a page can bear it: the head, the tail, what was left out."""

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .models import Event, Run

HEAD = 48_000
TAIL = 96_000


class Piece(NamedTuple):
    """Text of one stream."""

    stream: str
    text: str


@dataclass(frozen=True)
class Output:
    """What the page shows: everything when `left_out` is None."""

    head: list[Piece] = field(default_factory=list)
    tail: list[Piece] = field(default_factory=list)
    left_out: int | None = None

    def __bool__(self) -> bool:
        return bool(self.head or self.tail)


def output(run: Run, upto: int) -> Output:
    """Return the output up to event `upto`, bounded, in one pass over the events."""
    head: list[Piece] = []
    tail: deque[Piece] = deque()
    size = kept = dropped_lines = 0
    cut = False
    rows = Event.objects.filter(run=run, kind="output", seq__lte=upto).order_by("seq")
    for data in rows.values_list("data", flat=True).iterator(chunk_size=200):
        piece = Piece(data["stream"], data["text"])
        if size < HEAD:
            room = HEAD - size
            head.append(Piece(piece.stream, piece.text[:room]))
            size += len(piece.text)
            piece = Piece(piece.stream, piece.text[room:])
        if not piece.text:
            continue
        tail.append(piece)
        kept += len(piece.text)
        while kept - len(tail[0].text) >= TAIL:
            gone = tail.popleft()
            kept -= len(gone.text)
            dropped_lines += gone.text.count("\n")
            cut = True
    return Output(head, list(tail), dropped_lines if cut else None)


async def whole(run: Run) -> AsyncIterator[bytes]:
    """Yield the complete stored text, for a download."""
    rows = Event.objects.filter(run=run, kind="output").order_by("seq")
    async for data in rows.values_list("data", flat=True).aiterator(chunk_size=100):
        yield data["text"].encode("utf-8", "replace")
