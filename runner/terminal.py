"""What a terminal would show of a text: colours as classes, lines written over.

static/js/run.js does the same for text that arrives while the page is open, and
goes on from `style` and `rewind`.
"""

import re
from dataclasses import dataclass, field
from itertools import islice

TOKEN = re.compile(
    r"\x1b\[([0-9;]*)m"  # colours
    # all else that a terminal obeys
    r"|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\r+\n|\r|\n"
)
NAMES = {1: "ansi-bold", 2: "ansi-dim", 3: "ansi-italic", 4: "ansi-underline"}


@dataclass
class Segment:
    """A piece of text of one look."""

    classes: str
    text: str


@dataclass
class Terminal:
    """Takes text as it was printed; keeps what would be seen."""

    segments: list[Segment] = field(default_factory=list)
    style: str = ""
    rewind: bool = False

    def write(self, stream: str, text: str) -> None:
        """Add text of a stream: stdout or stderr."""
        at = 0
        for match in TOKEN.finditer(text):
            self._put(stream, text[at : match.start()])
            at = match.end()
            if match[0].endswith("\n"):
                self.rewind = False
                self._put(stream, "\n")
            elif match[0] == "\r":
                self.rewind = True
            elif match[1] is not None:
                self.style = restyled(self.style, match[1])
        self._put(stream, text[at:])

    def _put(self, stream: str, text: str) -> None:
        if not text:
            return
        if self.rewind:
            self._erase_line()
            self.rewind = False
        classes = " ".join(filter(None, ("stderr" * (stream == "stderr"), self.style)))
        if self.segments and self.segments[-1].classes == classes:
            self.segments[-1].text += text
        else:
            self.segments.append(Segment(classes, text))

    def _erase_line(self) -> None:
        while self.segments:
            last = self.segments[-1]
            kept = last.text.rfind("\n") + 1
            if kept:
                last.text = last.text[:kept]
                return
            self.segments.pop()


def restyled(style: str, codes: str) -> str:
    """Return the classes after an SGR sequence (ECMA-48, section 8.3.117)."""
    now = set(style.split())
    numbers = iter([int(code or 0) for code in codes.split(";")])
    for code in numbers:
        match code:
            case 0:
                now.clear()
            case 1 | 2 | 3 | 4:
                now.add(NAMES[code])
            case 22:
                now -= {NAMES[1], NAMES[2]}
            case 23 | 24:
                now.discard(NAMES[code - 20])
            case 38 | 48:  # a colour by number or by its parts: not shown
                more = 1 if next(numbers, 0) == 5 else 3
                list(islice(numbers, more))
            case _:
                now = _coloured(now, code)
    return " ".join(sorted(now))


def _coloured(now: set[str], code: int) -> set[str]:
    colour = None
    if 30 <= code < 38:
        colour = code - 30
    elif 90 <= code < 98:
        colour = code - 82
    elif code != 39:
        return now
    plain = {name for name in now if not name.removeprefix("ansi-").isdigit()}
    return plain if colour is None else plain | {f"ansi-{colour}"}
