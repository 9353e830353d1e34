"""What a run says while it runs, gathered into few events."""

import time
from typing import Any

from catalog.fields import dumps

from . import events
from .events import Item
from .models import Run
from .secrets import Masker

# The first piece goes at once, then at most so often (seconds).
PACE = 0.1
# An event holds up to so many characters of output (64 KB when plain).
PIECE = 60_000
# More than this waiting is stored at once, whatever the pace.
FULL = 1_000_000


class Recorder:
    """Takes a run's frames and stores them in batches, masked and cut to size."""

    def __init__(self, run: Run, masker: Masker) -> None:
        self.run = run
        self.masker = masker
        self.items: list[Item] = []
        self.texts: list[tuple[str, str]] = []
        self.size = 0
        self.columns: dict[str, Any] = {}
        self.written = 0.0
        self.offset = 0

    def take(self, frame: dict[str, Any]) -> None:
        """Add a frame of kind output, progress, label or note; nothing is stored."""
        match frame["kind"]:
            case "output":
                self._output(frame["stream"], frame["text"])
            case "progress":
                self._progress(frame)
            case "label":
                self.columns["label"] = self.masker.text(str(frame["text"])[:200])
                self._item("label", {"text": self.columns["label"]})
            case "note":
                self._item(
                    "note", {"text": self.masker.text(str(frame["text"])[:2000])}
                )

    def due(self) -> float:
        """Return the seconds until what is gathered should be stored."""
        if not (self.items or self.texts):
            return PACE
        if self.size > FULL:
            return 0.0
        return self.written + PACE - time.monotonic()

    def _output(self, stream: str, text: str, *, last: bool = False) -> None:
        stream = "stderr" if stream == "stderr" else "stdout"
        text = self.masker.piece(stream, text, last=last)
        if text:
            self.texts.append((stream, text))
            self.size += len(text)

    def _progress(self, frame: dict[str, Any]) -> None:
        data = {
            key: frame.get(key) for key in ("fraction", "current", "total", "message")
        }
        data["message"] = self.masker.text(str(data["message"] or "")[:500])
        self.columns["progress"] = data
        self._item("progress", data)

    def _item(self, kind: str, data: dict[str, Any]) -> None:
        self._join_texts()
        # The newest progress wins over one that was not stored yet.
        if kind == "progress" and self.items and self.items[-1].kind == "progress":
            self.items.pop()
        self.items.append(Item(kind, data))

    def _join_texts(self) -> None:
        """Turn the gathered text into output events, streams in their order."""
        joined: list[tuple[str, list[str]]] = []
        for stream, text in self.texts:
            if joined and joined[-1][0] == stream:
                joined[-1][1].append(text)
            else:
                joined.append((stream, [text]))
        for stream, texts in joined:
            for piece in pieces("".join(texts)):
                data = {"stream": stream, "text": piece, "offset": self.offset}
                self.items.append(Item("output", data))
                self.offset += len(piece)
        self.texts, self.size = [], 0

    def flush(self) -> None:
        """Store what was gathered; after a failure it may be tried again."""
        self._join_texts()
        if self.items:
            events.append(self.run, self.items, **self.columns)
            self.items, self.columns = [], {}
        self.written = time.monotonic()

    def finish(self) -> None:
        """Let go of what the masker held back, and store the rest."""
        for stream in list(self.masker.held):
            self._output(stream, "", last=True)
        self.flush()


def pieces(text: str) -> list[str]:
    """Cut text so that each piece fits into an event, however it is escaped."""
    cut = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    return [part for piece in cut for part in _escaped(piece)]


def _escaped(piece: str) -> list[str]:
    """Cut a piece smaller where escaping (up to 12 for 1) makes it too long."""
    if len(dumps(piece)) <= events.MAX_DATA - 200:
        return [piece]
    size = PIECE // 12
    return [piece[at : at + size] for at in range(0, len(piece), size)]
