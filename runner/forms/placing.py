"""Faults put at their fields, and told in the order of the form."""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.schema import Fault, steps

from .look import Node


@dataclass(frozen=True)
class Problem:
    """A fault of a field, with the words and the link of the summary."""

    pointer: str
    message: str
    code: str
    label: str
    anchor: str


def walk(node: Node) -> Iterator[Node]:
    """Yield the field and every field below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def placed(
    root: Node, own: list[Node], found: list[Fault], anchor: str = ""
) -> list[Problem]:
    """Put each fault at its field, and return them in the order of the form."""
    rows = [(node, Fault(node.pointer, node.fault, "form")) for node in own]
    nodes: dict[str, Node] = {}
    for node in walk(root):
        nodes.setdefault(node.pointer, node)
    for fault in found:
        node = _nearest(nodes, fault.pointer)
        node.fault = node.fault or _told_at(node, fault)
        rows.append((node, fault))
    order = {id(node): number for number, node in enumerate(walk(root))}
    rows.sort(key=lambda row: order[id(row[0])])
    return [_problem(node, fault, anchor) for node, fault in rows]


def _problem(node: Node, fault: Fault, anchor: str) -> Problem:
    words = _words(node, fault)
    where = anchor or node.id
    return Problem(fault.pointer, fault.message, fault.code, words, where)


def json_problem(message: str) -> Problem:
    """Return the fault of a JSON side that cannot be read."""
    return Problem("", message, "json", "JSON", "json")


def is_told(pointer: str, own: list[Node]) -> bool:
    """Tell whether the form itself has said what is wrong there."""
    return any(f"{pointer}/".startswith(f"{node.pointer}/") for node in own)


def _nearest(nodes: dict[str, Node], pointer: str) -> Node:
    while pointer and pointer not in nodes:
        pointer = pointer.rpartition("/")[0]
    return nodes[pointer]


def _told_at(node: Node, fault: Fault) -> str:
    rest = ", ".join(steps(fault.pointer[len(node.pointer) :]))
    return f"{rest}: {fault.message}" if rest else fault.message


def _words(node: Node, fault: Fault) -> str:
    rest = steps(fault.pointer[len(node.pointer) :])
    return ", ".join([*node.trail, *rest]) or "arguments"


def point_at_first(root: Node, problems: list[Problem]) -> None:
    """Put the cursor at the first fault."""
    anchors = [problem.anchor for problem in problems]
    for node in walk(root):
        node.focus = bool(anchors) and node.id == anchors[0]
