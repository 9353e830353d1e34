"""Strict JSON, with the line and column of what is wrong."""

import json
import math
import re
from typing import Any

MAX_DEPTH = 100
MAX_DIGITS = 4000

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'
    r"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN|[][{},:]",
    re.DOTALL,
)
_WORDS = {
    "Expecting value": "a value is expected here",
    "Expecting property name enclosed in double quotes": (
        "a name in double quotes is expected here"
    ),
    "Expecting ',' delimiter": "a comma or a closing bracket is expected here",
    "Expecting ':' delimiter": "a colon is expected here",
    "Extra data": "the JSON ends before this; there is more text after it",
    "Unterminated string starting at": "the text that starts here has no closing quote",
    "Illegal trailing comma before end of object": "there is a comma too many here",
    "Illegal trailing comma before end of array": "there is a comma too many here",
    "Invalid control character at": "a line break in a text is written \\n, a tab \\t",
    "Invalid \\escape": "a backslash in a text is written \\\\",
    "Invalid \\uXXXX escape": "\\u takes four digits of 0-9 and a-f",
}


class JSONFault(ValueError):
    """A text that is not strict JSON: where, and what is expected there."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message, self.line, self.column = message, line, column


def loads(text: str) -> Any:
    """Return the value of a strict JSON text; whole numbers of any size stay exact.

    Raises `JSONFault` for what does not parse, for NaN and Infinity, numbers too big
    for a float, names given twice, and more than 100 levels.
    """
    _look_over(text)
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        words = _WORDS.get(error.msg, error.msg)
        raise JSONFault(words, error.lineno, error.colno) from None


def dumps(value: Any) -> str:
    """Return `value` as JSON for people: indented, in their own letters."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _refuse(name: str) -> Any:
    raise JSONFault(f"{name} is not JSON", 1, 1)  # pragma: no cover: seen before


def _look_over(text: str) -> None:
    """Find what Python's own parser lets through, or cannot place."""
    names: list[set[str] | None] = []
    previous = ""
    for match in _TOKEN.finditer(text):
        part = match.group()
        message = _token_fault(part)
        if part in "{[":
            names.append(set() if part == "{" else None)
        elif part in "}]" and names:
            names.pop()
        elif part[0] == '"' and previous in ("{", ","):
            message = message or _name_fault(part, names)
        if len(names) > MAX_DEPTH:
            message = f"more than {MAX_DEPTH} levels"
        if message:
            raise _at(text, match.start(), message)
        previous = part


def _token_fault(token: str) -> str:
    if token in ("NaN", "Infinity", "-Infinity"):
        return f"{token} is not a number in JSON"
    if token[0] == '"':
        return _text_fault(token)
    if token[-1].isdigit() and len(token) > MAX_DIGITS:
        return f"a number of more than {MAX_DIGITS} digits"
    if token[-1].isdigit() and not token.lstrip("-").isdigit():
        return "" if math.isfinite(float(token)) else "this number is too big"
    return ""


def _text_fault(token: str) -> str:
    if "\\u" not in token:
        return ""
    try:
        text = json.loads(token, strict=False)
        text.encode()
    except json.JSONDecodeError:
        return ""  # the parser tells it better
    except UnicodeEncodeError:
        return "half of a character (a lone surrogate)"
    return "the character NUL cannot be stored" if "\0" in text else ""


def _name_fault(token: str, names: list[set[str] | None]) -> str:
    here = names[-1] if names else None
    if here is None:
        return ""
    name = token if "\\" not in token else _unescaped(token)
    if name in here:
        return "this name is given twice"
    here.add(name)
    return ""


def _unescaped(token: str) -> str:
    try:
        return f'"{json.loads(token, strict=False)}"'
    except json.JSONDecodeError:
        return token


def _at(text: str, position: int, message: str) -> JSONFault:
    line = text.count("\n", 0, position) + 1
    return JSONFault(message, line, position - text.rfind("\n", 0, position))
