"""A form filled from a value: defaults, an old run, an address, the JSON side."""

import json
from collections.abc import Mapping
from typing import Any

from catalog.schema import canonical, dumps

from .kinds import Kinds
from .moments import VERBATIM, split
from .node import ABSENT, CHOICES, TEXTS, Field

MAX_ROWS = 200
Post = Mapping[str, str]


class Given:
    """A value, or ABSENT: what a form shows before anyone has typed."""

    def __init__(self, value: Any = ABSENT, hints: Post | None = None) -> None:
        self.value = value
        self.hints = hints or {}
        self.shown: Any = ABSENT

    def fill(self, node: Field, kinds: Kinds, timezone: str) -> None:
        """Set what the field shows; a value of another shape shows as JSON."""
        shown = self._how(node)
        node.zone = timezone if node.kind == "moment" else ""
        if shown is ABSENT:
            self._blank(node)
        elif Shower(node, kinds, timezone, self.hints).show(shown):
            self.shown = shown
        else:
            self._unfit(node)

    def _how(self, node: Field) -> Any:
        if self.value is ABSENT:
            node.how = "default" if node.optional else "value"
            return ABSENT if node.default is None else node.default
        if self.value is None and "null" in node.hows:
            node.how = "null"
            return ABSENT
        node.how = "value"
        return self.value

    def _unfit(self, node: Field) -> None:
        node.text, node.count, node.pick = "", 0, None
        if self.value is ABSENT:
            self._blank(node)
            return
        node.raw, node.text = True, dumps(self.value)

    def _blank(self, node: Field) -> None:
        match node.kind:
            case "flag":
                node.text = "false" if node.optional or node.nullable else ""
            case "list":
                node.count = blank_rows(node)
            case "group":
                node.opened = not (node.has_ways and node.recurs)
            case "union":
                node.pick = None if node.recurs else 0

    def member(self, node: Field, name: str) -> "Given":
        return Given(self._inner(node).get(name, ABSENT), self.hints)

    def row(self, node: Field, index: int) -> "Given":
        rows = self._inner(node)
        return Given(rows[index] if index < len(rows) else ABSENT, self.hints)

    def variant(self, node: Field) -> "Given":
        return Given(self.shown, self.hints)

    def names(self, node: Field, known: Mapping[str, Any]) -> list[str]:
        """Return the names that are not the group's own, one per row."""
        return [name for name in self._inner(node) if name not in known]

    def _inner(self, node: Field) -> Any:
        nothing: Any = [] if node.kind == "list" else {}
        return nothing if self.shown is ABSENT else self.shown

    def after(self, node: Field) -> None:
        """Say "empty" where blank would mean left out."""
        # What no variant can show is JSON, and stands in the place of the union.
        if node.kind == "union" and any(child.raw for child in node.children):
            node.raw, node.text = True, node.children[0].text
            node.children, node.pick = [], None
        blank = isinstance(self.value, str | list | dict) and not self.value
        offered = node.can_be_empty or "empty" in node.hows
        if blank and node.how == "value" and offered and not node.raw:
            node.how = "empty"


def blank_rows(node: Field) -> int:
    """Return how many rows a list shows that nobody has filled."""
    first = len(node.flat.get("prefixItems", ()))
    least = int(node.flat.get("minItems", first))
    return min(least, MAX_ROWS) if node.required or first else 0


class Shower:
    """Puts a value into a field, if the field has a place for it."""

    def __init__(self, node: Field, kinds: Kinds, timezone: str, hints: Post) -> None:
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
