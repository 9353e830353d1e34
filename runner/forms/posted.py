"""A form filled from the controls that a browser posted."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from catalog.schema import JSONFault, loads

from .given import MAX_ROWS, Post, Shower, blank_rows
from .kinds import Kinds
from .moments import OFFSET, VERBATIM
from .node import ROW, UNPICKED, Field

BRANCHES = ("list", "group", "union")
TEXTLESS = (*BRANCHES, "const", "null")


class Posted:
    """The controls of a form as a browser posted them."""

    def __init__(self, post: Post) -> None:
        self.post = post
        self._steps: dict[str, dict[str, None]] = {}
        for name in post:
            what, _, path = name.partition(":")
            if what != "was":
                self._note(path)

    def _note(self, path: str) -> None:
        self._steps.setdefault(path, {})
        while path:
            path, _, step = path.rpartition("/")
            known = self._steps.setdefault(path, {})
            if step in known:
                return
            known[step] = None

    def mentions(self, path: str) -> bool:
        return path in self._steps

    def get(self, what: str, node: Field, fallback: str = "") -> str:
        text = self.post.get(f"{what}:{node.path}", fallback)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def fill(self, node: Field, kinds: Kinds, timezone: str) -> None:
        """Set what was posted for the field."""
        offered = {*node.hows, "empty", "default", "leave"}
        how = self.get("how", node)
        usual = "default" if node.optional else "value"
        node.how = how if how in offered else usual
        if node.required and node.how in ("default", "leave"):
            node.how = "value"
        if node.kind == "union" and not node.has_ways:
            node.how = "value"  # a tick for "empty" is the variant's
        if node.answered:
            node.how = "value"  # said by its union, at the same path
        if node.kind not in TEXTLESS or self.get("raw", node):
            node.text = self.get("arg", node)
        node.filename = self.get("name", node)
        if self.get("raw", node) and not self._fits_again(node, kinds, timezone):
            node.raw = True
            return
        self._fill_kind(node, kinds, timezone)

    def _fits_again(self, node: Field, kinds: Kinds, timezone: str) -> bool:
        """Tell whether JSON that had no place in the field now has one."""
        if node.kind in BRANCHES:
            return False
        try:
            value = loads(node.text)
        except JSONFault:
            return False
        fits = Shower(node, kinds, timezone, {}).show(value)
        if fits:
            self.post = {**self.post, f"arg:{node.path}": node.text}
        return fits

    def _fill_kind(self, node: Field, kinds: Kinds, timezone: str) -> None:
        match node.kind:
            case "text" if "\n" in node.text:
                node.kind = "long"
            case "moment":
                node.zone = _known_zone(self.get("zone", node, timezone), timezone)
            case "mixed":
                picked = self.get("pick", node)
                node.pick = int(picked) if picked.isdecimal() else None
            case "list":
                node.count = self._rows(node, "")
            case "group":
                node.count = self._rows(node, ROW)
                closed = node.has_ways and node.recurs and not self._opened(node)
                node.opened = not closed
            case "union":
                self._fill_union(node, kinds)

    def _opened(self, node: Field) -> bool:
        return bool(self.get("open", node)) or bool(self._steps.get(node.path))

    def _rows(self, node: Field, mark: str) -> int:
        posted = self.get("rows", node)
        if not posted and not mark and not self._steps.get(node.path):
            return blank_rows(node)
        if posted.isdecimal() and len(posted) < 6:
            return min(int(posted), MAX_ROWS * 5)
        numbers = [
            int(step.removeprefix(mark))
            for step in self._steps.get(node.path, ())
            if step.startswith(mark) and step.removeprefix(mark).isdecimal()
        ]
        return min(max(numbers, default=-1) + 1, MAX_ROWS * 5)

    def _fill_union(self, node: Field, kinds: Kinds) -> None:
        picked, count = self.get("pick", node), len(node.shape.variants)
        if picked.isdecimal() and int(picked) < count:
            node.pick = int(picked)
        elif not picked:
            node.pick = self._meant(node, kinds)
        shown = self.post.get(f"shown:{node.path}")
        if shown is not None:
            known = shown.isdecimal() and int(shown) < count
            node.shown = int(shown) if known else UNPICKED
        start = f"was:{node.path}/"
        node.kept = {n: text for n, text in self.post.items() if n.startswith(start)}

    def _meant(self, node: Field, kinds: Kinds) -> int | None:
        """Return the variant that a post without a chooser speaks of."""
        if self.post.get(f"shown:{node.path}") is not None:
            return None
        names = self._steps.get(node.path, {})
        given = {n: self.post.get(f"arg:{node.path}/{n}", "") for n in names}
        return kinds.choose(given, node.shape, "") if names else 0

    def member(self, node: Field, name: str) -> "Posted":
        return self

    def row(self, node: Field, index: int) -> "Posted":
        return self

    def variant(self, node: Field) -> "Posted":
        return self

    def names(self, node: Field, known: Mapping[str, Any]) -> list[str]:
        """Return the names typed in the rows of a map."""
        keys = (f"key:{node.path}/{ROW}{i}" for i in range(node.count))
        return [self.post.get(key, "") for key in keys]

    def after(self, node: Field) -> None:
        """Everything has been said by the post."""


def _known_zone(posted: str, timezone: str) -> str:
    """Return the zone that a time was shown in; a made-up one is not believed."""
    if posted in ("", VERBATIM, timezone) or OFFSET.match(posted):
        return posted
    try:
        return ZoneInfo(posted).key
    except (KeyError, ValueError, OSError):
        return timezone
