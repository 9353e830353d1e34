"""What a docstring says of a tool and of its parameters.

Google's `Args:` block is read here, because the rest of the docstring (blank
lines, "Use this tool when") must stay exactly as written; NumPy and reST go
through docstring_parser.
"""

import inspect
import re
from dataclasses import dataclass, field
from typing import Any

import docstring_parser
from docstring_parser import DocstringStyle

ARGS = re.compile(r"^(Args|Arguments|Parameters|Params):\s*$")
ENTRY = re.compile(
    r"^(?P<name>\*{0,2}[A-Za-z_]\w*)\s*(?:\((?P<type>.*?)\))?\s*:(?:\s+|$)(?P<text>.*)$"
)
REST = re.compile(r"^\s*:param\b", re.MULTILINE)
NUMPY = re.compile(r"^Parameters\n-{3,}$", re.MULTILINE)


@dataclass(frozen=True)
class Parsed:
    """A docstring, without its block of parameters, and what that block said."""

    description: str = ""
    arguments: dict[str, str] = field(default_factory=dict)


def parse(docstring: str) -> Parsed:
    """Read a raw docstring; Google, NumPy and reST parameter blocks."""
    text = inspect.cleandoc(docstring.expandtabs()).strip()
    if REST.search(text):
        return _foreign(text, DocstringStyle.REST, REST)
    if NUMPY.search(text):
        return _foreign(text, DocstringStyle.NUMPYDOC, NUMPY)
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if ARGS.match(line):
            end = _end_of_block(lines, at + 1)
            kept = "\n".join([*lines[:at], *lines[end:]])
            return Parsed(_tidy(kept), _entries(lines[at + 1 : end]))
    return Parsed(text)


def summary(description: str) -> str:
    """Return the first paragraph as one line, cut to 200 characters."""
    first = description.strip().split("\n\n", 1)[0]
    line = " ".join(first.split())
    return line if len(line) <= 200 else line[:199].rsplit(" ", 1)[0] + "…"


def describe(
    parameters: dict[str, Any], parsed: Parsed
) -> tuple[dict[str, Any], list[str]]:
    """Add the documented help to parameters that have none of their own.

    Returns the schema, and a note for each documented name that is no parameter.
    """
    properties = dict(parameters.get("properties") or {})
    notes = []
    for name, text in parsed.arguments.items():
        if name not in properties:
            notes.append(f"The docstring describes `{name}`, which is no parameter.")
        elif isinstance(properties[name], dict) and not properties[name].get(
            "description"
        ):
            properties[name] = {**properties[name], "description": text}
    if not properties:
        return parameters, notes
    return {**parameters, "properties": properties}, notes


def _tidy(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end_of_block(lines: list[str], start: int) -> int:
    """Return the line after a block: the first that is not indented."""
    for at in range(start, len(lines)):
        if lines[at].strip() and _indent(lines[at]) == 0:
            return at
    return len(lines)


def _entries(block: list[str]) -> dict[str, str]:
    """Read `name (type): text`, continuation lines indented more than the name."""
    filled = [line for line in block if line.strip()]
    if not filled:
        return {}
    margin = min(_indent(line) for line in filled)
    entries: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in filled:
        match = ENTRY.match(line.strip()) if _indent(line) == margin else None
        if match:
            current = entries.setdefault(match["name"].lstrip("*"), [])
            current.append(match["text"])
        elif current is not None:
            current.append(line.strip())
    return {name: "\n".join(text).strip() for name, text in entries.items()}


def _foreign(text: str, style: DocstringStyle, block: re.Pattern[str]) -> Parsed:
    try:
        parsed = docstring_parser.parse(text, style)
    except docstring_parser.ParseError:
        return Parsed(text)
    arguments = {p.arg_name: (p.description or "").strip() for p in parsed.params}
    first = block.search(text)
    opening = text[: first.start()] if first else text
    closing = ""
    if parsed.returns and parsed.returns.description:
        closing = f"\n\nReturns: {parsed.returns.description}"
    return Parsed(_tidy(opening + closing), arguments)
