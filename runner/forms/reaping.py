"""One walk over the tree of fields makes the value that was meant."""

from collections.abc import Callable
from typing import Any

from catalog.schema import JSONFault, loads
from catalog.schema.coercion import meanings

from .growing import Grower
from .kinds import Shape
from .look import Node
from .moments import VERBATIM, WALL, NoSuchTime, join
from .node import ABSENT, CHOICES, TEXTS, UNPICKED

EMPTY = {"list": list, "group": dict}


class Reaper:
    """Reads a tree of fields back; what cannot be read gets a fault and stays text."""

    def __init__(self, grower: Grower) -> None:
        self.grower = grower
        self.chosen: dict[str, int] = {}

    def reap(self, node: Node) -> Any:
        """Return the value of a field, or ABSENT if it is left out."""
        self._settle(node)
        match node.how:
            case "default" | "leave":
                return ABSENT
            case "null":
                return None
            case "empty":
                return EMPTY.get(_innermost(node).kind, str)()
        if node.raw:
            return self._json(node)
        if node.kind in CHOICES:
            return self._choice(node)
        kind = "text" if node.kind in TEXTS else node.kind
        read: Callable[[Node], Any] = getattr(self, f"_{kind}")
        return read(node)

    def _settle(self, node: Node) -> None:
        """Decide how the field is given, from what was said and what was typed."""
        if node.how == "default" and self._touched(node):
            emptied = node.kind in EMPTY and node.count == 0 and node.takes_empty
            node.how = "empty" if emptied else "value"
        if node.how == "value" and node.optional and _is_blank(node):
            node.how = "leave" if self._loses_rows(node) else "default"
        if node.how == "empty" and node.can_be_empty and node.text:
            node.how = "value"

    def _touched(self, node: Node) -> bool:
        before = self.grower.pristine(node)
        return before.state != node.state

    def _loses_rows(self, node: Node) -> bool:
        return node.count == 0 and self.grower.pristine(node).count > 0

    def _json(self, node: Node) -> Any:
        if not node.text.strip():
            return self._nothing(node)
        try:
            return loads(node.text)
        except JSONFault as fault:
            node.fault, node.stuck = f"is not JSON yet: {fault}", True
            return node.text

    def _nothing(self, node: Node) -> Any:
        """Leave out a member that is blank; say what is missing elsewhere."""
        if node.place == "member":
            return ABSENT
        node.fault = "required"
        return ""

    def _text(self, node: Node) -> Any:
        return node.text if node.text != "" else self._nothing(node)

    _date = _time = _text

    def _moment(self, node: Node) -> Any:
        if not WALL.match(node.text) or node.zone == VERBATIM:
            return self._text(node)
        try:
            return join(node.text, node.zone)
        except NoSuchTime:
            node.fault = f"does not exist in {node.zone}: the clocks go forward over it"
        except ValueError:
            node.fault = "is a date or time that does not exist"
        return node.text

    def _number(self, node: Node) -> Any:
        text = node.text.strip()
        if not text:
            return self._nothing(node)
        found = meanings(text, ("number",))
        if not found:
            node.fault = _number_fault(node.text, node.shape)
        return found[0] if found else node.text

    def _flag(self, node: Node) -> Any:
        if node.text == "":
            return self._nothing(node)
        known = {"true": True, "false": False}
        if node.text not in known:
            node.fault = "must be yes or no"
        return known.get(node.text, node.text)

    def _choice(self, node: Node) -> Any:
        if node.text == "":
            return self._nothing(node)
        for option in node.options:
            if option.token == node.text:
                return option.value
        for option in node.options:
            if option.label == node.text:
                return option.value
        node.fault = "is not one of the choices"
        return node.text

    def _const(self, node: Node) -> Any:
        return node.options[0].value

    def _null(self, node: Node) -> Any:
        return None

    def _file(self, node: Node) -> Any:
        if node.text == "":
            return self._nothing(node)
        known = node.text.isdecimal() and not node.text.startswith("0")
        return {"upload": int(node.text) if known else node.text}

    def _mixed(self, node: Node) -> Any:
        if node.text == "":
            return self._nothing(node)
        shape = node.shape
        if node.pick is None or node.pick >= len(shape.variants):
            return self.grower.kinds.meaning(node.text, shape)[1]
        inner = self.grower.kinds.of(shape.variants[node.pick].schema)
        part = Node(
            path=node.path,
            pointer=node.pointer,
            shape=inner,
            label=node.label,
            text=node.text,
            how="value",
        )
        value = self.reap(part)
        node.fault = part.fault
        return value

    def _list(self, node: Node) -> list[Any]:
        return [self.reap(child) for child in node.children]

    def _group(self, node: Node) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for child in node.children:
            if child.place == "pair" and not child.key and not _has_content(child):
                continue
            value = self.reap(child)
            name = child.key if child.place == "pair" else child.name
            if child.place == "pair" and (not name or name in out):
                child.fault = _NAME_TWICE if name else "needs a name"
                child.stuck = True
                continue
            if value is not ABSENT:
                out[name] = value
        return out

    def _union(self, node: Node) -> Any:
        if not node.children:
            return self._nothing(node)
        place = node.pick if node.shown in (None, UNPICKED) else node.shown
        self.chosen[node.pointer] = node.shape.variants[place or 0].index
        return self.reap(node.children[0])


_NAME_TWICE = "has a name that is given above already"


def _innermost(node: Node) -> Node:
    return node.children[0] if node.kind == "union" and node.children else node


def _is_blank(node: Node) -> bool:
    """Tell whether nothing was filled in, so that "this value" means left out."""
    inner = _innermost(node)
    if node.raw or inner.raw:
        return False
    match inner.kind:
        case "flag" | "const" | "null":
            return False
        case "list":
            return inner.count == 0 and inner.takes_empty
        case "group":
            rows = [child for child in inner.children if child.place == "pair"]
            return inner.is_map and not any(map(_has_content, rows))
        case "union":
            return not inner.children
        case "number" | "json":
            return not inner.text.strip()
    return inner.text == ""


def _has_content(row: Node) -> bool:
    return bool(row.key) or row.how in ("empty", "null") or not _is_blank(row)


def _number_fault(text: str, shape: Shape) -> str:
    types = shape.flat.get("type", "number")
    whole = types == "integer" or (isinstance(types, list) and "number" not in types)
    noun = "a whole number" if whole else "a number"
    if "," in text:
        return f"must be {noun}, written with a dot and without separators"
    if text.strip().lstrip("-").startswith("0") and text.strip().isdecimal():
        return f"must be {noun}, written without zeros in front"
    return f"must be {noun}"
