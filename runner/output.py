"""A run's output as a page can bear it: the head, the tail, what was left out."""

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from channels.db import database_sync_to_async

from .models import Event, Run
from .terminal import Terminal

HEAD = 48_000
TAIL = 96_000
PAGE = 100


class Piece(NamedTuple):
    """Text of one stream."""

    stream: str
    text: str


@dataclass(frozen=True)
class Output:
    """What the page shows, and how many lines and characters it leaves out between."""

    head: Terminal = field(default_factory=Terminal)
    tail: Terminal = field(default_factory=Terminal)
    lines: int = 0
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.head.segments or self.tail.segments)

    @property
    def last(self) -> Terminal:
        """Where text that arrives later goes on."""
        return self.tail if self.tail.segments else self.head


@dataclass
class Window:
    """The head and the tail of a text that passes by piece by piece."""

    head: list[Piece] = field(default_factory=list)
    tail: deque[Piece] = field(default_factory=deque)
    room: int = HEAD
    kept: int = 0
    lines: int = 0
    size: int = 0

    def take(self, piece: Piece) -> None:
        if self.room > 0:
            self.head.append(Piece(piece.stream, piece.text[: self.room]))
        rest = piece.text[max(self.room, 0) :]
        self.room -= len(piece.text)
        if rest:
            self.tail.append(Piece(piece.stream, rest))
            self.kept += len(rest)
        while self.tail and self.kept - len(self.tail[0].text) >= TAIL:
            gone = self.tail.popleft()
            self.kept -= len(gone.text)
            self.lines += gone.text.count("\n")
            self.size += len(gone.text)


def output(run: Run, upto: int) -> Output:
    """Return the output up to event `upto`, bounded, in one pass over the events."""
    window = Window()
    rows = Event.objects.filter(run=run, kind="output", seq__lte=upto).order_by("seq")
    for data in rows.values_list("data", flat=True).iterator(chunk_size=200):
        window.take(Piece(data["stream"], data["text"]))
    head = Terminal()
    for piece in window.head:
        head.write(*piece)
    if not window.size:
        for piece in window.tail:
            head.write(*piece)
        return Output(head)
    tail = Terminal()
    for piece in window.tail:
        tail.write(*piece)
    return Output(head, tail, window.lines, window.size)


async def whole(run: Run) -> AsyncIterator[bytes]:
    """Yield the complete text as it was stored when `run` was read, for a download.

    Each page is a statement of its own that is done before the client reads on: one
    left open would keep an old state before all others on the same connection.
    """
    last = 0
    while page := await _page(run, last):
        for seq, data in page:
            yield data["text"].encode("utf-8", "replace")
            last = seq


@database_sync_to_async
def _page(run: Run, after: int) -> list[tuple[int, Any]]:
    rows = Event.objects.filter(run=run, kind="output", seq__lte=run.last_seq)
    following = rows.filter(seq__gt=after).order_by("seq")
    return list(following.values_list("seq", "data")[:PAGE])
