"""One walk over a contract makes the tree of its fields."""

import re
from dataclasses import replace
from typing import Any

from catalog.schema import Schema, pointer

from .given import Given
from .kinds import Shape, kinds_of
from .look import Node
from .node import ROW, UNPICKED, below
from .posted import Posted

Source = Given | Posted
ANYTHING: Schema = {}
MAX_DEPTH = 12


class Grower:
    """Makes the fields of one contract, from a value or from a post."""

    def __init__(self, schema: Schema, timezone: str) -> None:
        self.kinds = kinds_of(schema)
        self.timezone = timezone

    def root(self, source: Source) -> Node:
        """Return the group that holds every argument."""
        shape = self.kinds.of(self.kinds.root)
        shape = replace(shape, kind="group", nullable=False)
        return self.grow(Node(path="", pointer="", shape=shape, label=""), source)

    def pristine(self, node: Node) -> Node:
        """Return the field as it is before anyone has touched it."""
        return self.grow(_bare(node), Given())

    def grow(self, node: Node, source: Source) -> Node:
        """Fill the field and everything below it from `source`."""
        if isinstance(source, Posted) and not source.mentions(node.path):
            source = Given()
        if node.depth > MAX_DEPTH and node.kind in ("group", "list", "union"):
            node.kind = "json"
        source.fill(node, self.kinds, self.timezone)
        if not node.raw and node.opened:
            self._branch(node, source)
        source.after(node)
        return node

    def _branch(self, node: Node, source: Source) -> None:
        match node.kind:
            case "list":
                node.children = [
                    self.grow(self._row(node, index), source.row(node, index))
                    for index in range(node.count)
                ]
            case "group":
                self._members(node, source)
            case "union" if node.pick is not None:
                child = self._variant(node, node.shown)
                node.children = [self.grow(child, source.variant(node))]

    def _members(self, node: Node, source: Source) -> None:
        known = self.kinds.members(node.flat)
        demanded = node.flat.get("required", ())
        for name, schema in known.items():
            child = self._member(node, name, schema, name in demanded)
            node.children.append(self.grow(child, source.member(node, name)))
        names = source.names(node, known)
        node.count = len(names)
        for index, name in enumerate(names):
            child = self._pair(node, index, name)
            node.children.append(self.grow(child, source.member(node, name)))

    def _member(self, node: Node, name: str, schema: Schema, required: bool) -> Node:
        shape = self.kinds.of(schema)
        label = _label(schema, name)
        return self._below(
            node,
            shape,
            path=below(node.path, name),
            pointer=node.pointer + pointer(name),
            label=label,
            name=name,
            required=required,
            trail=(*node.trail, label),
        )

    def _row(self, node: Node, index: int) -> Node:
        first = node.flat.get("prefixItems", ())
        schema = first[index] if index < len(first) else node.flat.get("items")
        schema = schema if isinstance(schema, dict) else ANYTHING
        label = f"row {index + 1}"
        if index < len(first):
            label = str(schema.get("title") or f"part {index + 1}")
        return self._below(
            node,
            self.kinds.of(schema),
            path=f"{node.path}/{index}",
            pointer=f"{node.pointer}/{index}",
            label=label,
            place="part" if index < len(first) else "row",
            removable=index >= len(first) or _is_spare(node, index),
            trail=(*node.trail, label),
        )

    def _pair(self, node: Node, index: int, name: str) -> Node:
        schema = self._pair_schema(node.flat, name)
        return self._below(
            node,
            self.kinds.of(schema),
            path=f"{node.path}/{ROW}{index}",
            pointer=node.pointer + pointer(name),
            label=name or f"entry {index + 1}",
            place="pair",
            key=name,
            trail=(*node.trail, name or f"entry {index + 1}"),
        )

    def _pair_schema(self, flat: Schema, name: str) -> Schema:
        """Return the schema of a typed name; one that is not known is any JSON."""
        patterns = flat.get("patternProperties", {})
        for pattern, schema in patterns.items():
            if re.search(pattern, name):
                return schema if isinstance(schema, dict) else ANYTHING
        more = flat.get("additionalProperties", flat.get("unevaluatedProperties"))
        if isinstance(more, dict):
            return more
        first = next(iter(patterns.values()), ANYTHING)
        return first if not name and isinstance(first, dict) else ANYTHING

    def _variant(self, node: Node, shown: int | None) -> Node:
        index = node.pick if shown is None or shown == UNPICKED else shown
        variant = node.shape.variants[index or 0]
        shape = self.kinds.of(variant.schema)
        return self._below(
            node,
            shape,
            path=node.path,
            pointer=node.pointer,
            label=variant.label,
            place="variant",
            answered=node.has_ways,
            trail=node.trail,
            depth=node.depth,
        )

    def _below(self, node: Node, shape: Shape, **place: Any) -> Node:
        secret = node.secret or self.kinds.shapes.is_secret(shape.flat)
        made = {"depth": node.depth + 1, "secret": secret, **place}
        refs = tuple(dict.fromkeys((*node.refs, *node.shape.refs)))
        return Node(shape=shape, refs=refs, **made)


def _is_spare(node: Node, index: int) -> bool:
    """Tell whether a part of a tuple is its last, and may be missing."""
    return index == node.count - 1 and node.count > node.flat.get("minItems", 0)


def _bare(node: Node) -> Node:
    """Return the field without content."""
    return Node(
        path=node.path,
        pointer=node.pointer,
        shape=node.shape,
        label=node.label,
        required=node.required,
        place=node.place,
        trail=node.trail,
        refs=node.refs,
        depth=node.depth,
        secret=node.secret,
    )


def _label(schema: Schema, name: str) -> str:
    """Return the property's own title, unless it is only its name again."""
    title = str(schema.get("title") or "").strip()
    plain = re.sub(r"[\s_-]+", "", title).lower()
    same = plain == re.sub(r"[\s_-]+", "", name).lower()
    return name if same or not title else title
