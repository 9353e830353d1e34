"""Where a form gets its content: from a value, or from what a browser posted."""

import json
from collections.abc import Mapping
from typing import Any

from catalog.schema import JSONFault, canonical, dumps, loads

from .kinds import Kinds
from .moments import VERBATIM, WALL, split
from .node import ABSENT, CHOICES, ROW, TEXTS, Node, below

MAX_ROWS = 200
MAX_DEPTH = 12
UNPICKED = -1
BRANCHES = ("list", "group", "union")
TEXTLESS = (*BRANCHES, "const", "null")
Post = Mapping[str, str]


class Given:
    """A value, or ABSENT: what a form shows before anyone has typed."""

    def __init__(self, value: Any = ABSENT, hints: Post | None = None) -> None:
        self.value = value
        self.hints = hints or {}
        self.shown: Any = ABSENT

    def fill(self, node: Node, kinds: Kinds, timezone: str) -> None:
        """Set what the field shows; a value of another shape shows as JSON."""
        shown = self._how(node)
        node.zone = timezone if node.kind == "moment" else ""
        if shown is ABSENT:
            self._blank(node)
        elif _Shower(node, kinds, timezone, self.hints).show(shown):
            self.shown = shown
        else:
            self._unfit(node)

    def _how(self, node: Node) -> Any:
        if self.value is ABSENT:
            node.how = "default" if node.optional else "value"
            return ABSENT if node.default is None else node.default
        if self.value is None and any(how == "null" for how, _ in node.ways):
            node.how = "null"
            return ABSENT
        node.how = "value"
        return self.value

    def _unfit(self, node: Node) -> None:
        node.text, node.count, node.pick = "", 0, None
        if self.value is ABSENT:
            self._blank(node)
            return
        node.raw, node.text = True, dumps(self.value)

    def _blank(self, node: Node) -> None:
        match node.kind:
            case "flag":
                node.text = "false" if node.optional or node.nullable else ""
            case "list":
                node.count = _blank_rows(node)
            case "group":
                node.opened = not (node.ways and recurs(node))
            case "union":
                node.pick = None if recurs(node) else 0

    def member(self, node: Node, name: str) -> "Given":
        return Given(self._inner(node).get(name, ABSENT), self.hints)

    def row(self, node: Node, index: int) -> "Given":
        rows = self._inner(node)
        return Given(rows[index] if index < len(rows) else ABSENT, self.hints)

    def variant(self, node: Node) -> "Given":
        return Given(self.shown, self.hints)

    def names(self, node: Node, known: Mapping[str, Any]) -> list[str]:
        """Return the names that are not the group's own, one per row."""
        return [name for name in self._inner(node) if name not in known]

    def _inner(self, node: Node) -> Any:
        nothing: Any = [] if node.kind == "list" else {}
        return nothing if self.shown is ABSENT else self.shown

    def after(self, node: Node) -> None:
        """Say "empty" where blank would mean left out."""
        blank = isinstance(self.value, str | list | dict) and not self.value
        offered = node.can_be_empty or any(how == "empty" for how, _ in node.ways)
        if blank and node.how == "value" and offered and not node.raw:
            node.how = "empty"


def _blank_rows(node: Node) -> int:
    first = len(node.flat.get("prefixItems", ()))
    least = int(node.flat.get("minItems", first))
    return min(least, MAX_ROWS) if node.required or first else 0


def recurs(node: Node) -> bool:
    """Tell whether the field stands inside another of its own kind."""
    return any(ref in node.refs for ref in node.shape.refs)


class _Shower:
    """Puts a value into a field, if the field has a place for it."""

    def __init__(self, node: Node, kinds: Kinds, timezone: str, hints: Post) -> None:
        self.node, self.kinds, self.timezone = node, kinds, timezone
        self.hints = hints

    def show(self, value: Any) -> bool:
        """Return whether the field now shows `value`, to be read back as it is."""
        if isinstance(value, str) and not _postable(value):
            return False
        kind = self.node.kind
        if kind in CHOICES:
            return self._choice(value)
        kind = "text" if kind in TEXTS else kind
        return bool(getattr(self, f"_{kind}")(value))

    def _text(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        self.node.text = value
        if "\n" in value and self.node.kind == "text":
            self.node.kind = "long"
        return True

    _date = _time = _text

    def _moment(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        found = split(value, self.timezone)
        self.node.text, self.node.zone = found or (value, VERBATIM)
        return True

    def _number(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return False
        self.node.text = value if isinstance(value, str) else json.dumps(value)
        return "\n" not in self.node.text

    def _flag(self, value: Any) -> bool:
        self.node.text = json.dumps(value)
        return isinstance(value, bool)

    def _choice(self, value: Any) -> bool:
        wanted = canonical(value)
        for option in self.node.options:
            if canonical(option.value) == wanted and type(option.value) is type(value):
                self.node.text = option.token
                return True
        unknown = isinstance(value, str) and value != "" and "\n" not in value
        self.node.text = value if unknown else ""
        return unknown and all(value != option.token for option in self.node.options)

    def _const(self, value: Any) -> bool:
        same = canonical(value) == canonical(self.node.options[0].value)
        return same and type(value) is type(self.node.options[0].value)

    def _null(self, value: Any) -> bool:
        return value is None

    def _file(self, value: Any) -> bool:
        if not isinstance(value, dict) or set(value) != {"upload"}:
            return False
        self.node.text = str(value["upload"])
        return isinstance(value["upload"], int | str)

    def _json(self, value: Any) -> bool:
        self.node.text = dumps(value)
        return True

    def _list(self, value: Any) -> bool:
        if not isinstance(value, list) or len(value) > MAX_ROWS:
            return False
        first = len(self.node.flat.get("prefixItems", ()))
        more = isinstance(self.node.flat.get("items"), dict)
        self.node.count = len(value)
        return more or len(value) <= first

    def _group(self, value: Any) -> bool:
        if not isinstance(value, dict) or len(value) > MAX_ROWS * 5:
            return False
        known = self.kinds.members(self.node.flat)
        more = [name for name in value if name not in known]
        self.node.count = len(more)
        return all(name and "\n" not in name and _postable(name) for name in more)

    def _union(self, value: Any) -> bool:
        hinted = self.hints.get(f"pick:{self.node.path}", "")
        self.node.pick = self.kinds.choose(value, self.node.shape, hinted)
        return True

    def _mixed(self, value: Any) -> bool:
        if not isinstance(value, str | int | float):
            return False
        self.node.text = value if isinstance(value, str) else json.dumps(value)
        self.node.pick = self.kinds.pick_for(value, self.node.text, self.node.shape)
        return True


def _postable(text: str) -> bool:
    """Tell whether a browser posts the text back as it is."""
    return "\r" not in text and "\0" not in text


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

    def get(self, what: str, node: Node, fallback: str = "") -> str:
        text = self.post.get(f"{what}:{node.path}", fallback)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def fill(self, node: Node, kinds: Kinds, timezone: str) -> None:
        """Set what was posted for the field."""
        offered = {how for how, _ in node.ways} | {"empty", "default", "leave"}
        how = self.get("how", node)
        usual = "default" if node.optional else "value"
        node.how = how if how in offered else usual
        if node.required and node.how in ("default", "leave"):
            node.how = "value"
        if node.kind not in TEXTLESS or self.get("raw", node):
            node.text = self.get("arg", node)
        node.filename = self.get("name", node)
        if self.get("raw", node) and not self._fits_again(node, kinds, timezone):
            node.raw = True
            return
        self._fill_kind(node, kinds, timezone)

    def _fits_again(self, node: Node, kinds: Kinds, timezone: str) -> bool:
        """Tell whether JSON that had no place in the field now has one."""
        if node.kind in BRANCHES:
            return False
        try:
            value = loads(node.text)
        except JSONFault:
            return False
        fits = _Shower(node, kinds, timezone, {}).show(value)
        if fits:
            self.post = {**self.post, f"arg:{node.path}": node.text}
        return fits

    def _fill_kind(self, node: Node, kinds: Kinds, timezone: str) -> None:
        match node.kind:
            case "text" if "\n" in node.text:
                node.kind = "long"
            case "moment":
                node.zone = self.get("zone", node, timezone)
            case "mixed":
                picked = self.get("pick", node)
                node.pick = int(picked) if picked.isdecimal() else None
            case "list":
                node.count = self._rows(node, "")
            case "group":
                node.count = self._rows(node, ROW)
                closed = node.ways and recurs(node) and not self._opened(node)
                node.opened = not closed
            case "union":
                self._fill_union(node, kinds)

    def _opened(self, node: Node) -> bool:
        return bool(self.get("open", node)) or bool(self._steps.get(node.path))

    def _rows(self, node: Node, mark: str) -> int:
        posted = self.get("rows", node)
        if not posted and not mark and not self._steps.get(node.path):
            return _blank_rows(node)
        if posted.isdecimal() and len(posted) < 6:
            return min(int(posted), MAX_ROWS * 5)
        numbers = [
            int(step.removeprefix(mark))
            for step in self._steps.get(node.path, ())
            if step.startswith(mark) and step.removeprefix(mark).isdecimal()
        ]
        return min(max(numbers, default=-1) + 1, MAX_ROWS * 5)

    def _fill_union(self, node: Node, kinds: Kinds) -> None:
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

    def _meant(self, node: Node, kinds: Kinds) -> int | None:
        """Return the variant that a post without a chooser speaks of."""
        if self.post.get(f"shown:{node.path}") is not None:
            return None
        names = self._steps.get(node.path, {})
        given = {n: self.post.get(f"arg:{node.path}/{n}", "") for n in names}
        return kinds.choose(given, node.shape, "") if names else 0

    def member(self, node: Node, name: str) -> "Posted":
        return self

    def row(self, node: Node, index: int) -> "Posted":
        return self

    def variant(self, node: Node) -> "Posted":
        return self

    def names(self, node: Node, known: Mapping[str, Any]) -> list[str]:
        """Return the names typed in the rows of a map."""
        keys = (f"key:{below_row(node, i)}" for i in range(node.count))
        return [self.post.get(key, "") for key in keys]

    def after(self, node: Node) -> None:
        """Everything has been said by the post."""


def below_row(node: Node, index: int) -> str:
    """Return the path of a row of a map."""
    return f"{node.path}/{ROW}{index}"


def is_wall(text: str) -> bool:
    """Tell whether a control for date and time can show the text."""
    return text == "" or WALL.match(text) is not None


__all__ = ["MAX_DEPTH", "MAX_ROWS", "Given", "Posted", "below", "below_row", "is_wall"]
