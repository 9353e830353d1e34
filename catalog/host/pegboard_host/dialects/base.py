"""What every dialect speaks of: tools, the context of a call, its outcome."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = Any
Schema = dict[str, Any]
NOTHING: Schema = {"type": "object", "properties": {}, "additionalProperties": False}


class NoTools(LookupError):
    """A reference leads to nothing that can be listed."""


class ArgumentsRefused(ValueError):
    """The tool's own code refused the arguments."""


@dataclass(frozen=True)
class File:
    """A file that a value carries."""

    name: str
    content: bytes
    media_type: str = ""


@dataclass
class Outcome:
    """What a dialect makes of a call: the value, and whether it is a failure."""

    value: Any = None
    files: list[File] = field(default_factory=list)
    failed: bool = False
    reported_by: str | None = None
    message: str | None = None
    error: str | None = None
    suggestion: str | None = None
    instruction: str | None = None
    shade: str | None = None
    traceback: str | None = None
    exception: str | None = None
    model_text: str | None = None


@dataclass(frozen=True)
class Context:
    """What a call may know of its run."""

    tool: str
    folder: Path
    spill: Path
    confirm: bool
    uploads: dict[str, dict[str, str]]
    limit: float | None  # the longest it may take, in seconds
    report: Callable[[Any, Any, Any], None]
    note: Callable[[str], None]


@dataclass(frozen=True)
class Tool:
    """A tool as found: what it declares, and how it is called."""

    declaration: dict[str, Any]
    call: Callable[[dict[str, Any], Context], Outcome]
    found: Any = None  # the object itself, to tell the same from another

    @property
    def name(self) -> str:
        return str(self.declaration["name"])


def declaration(name: str, dialect: str, **known: Any) -> dict[str, Any]:
    """Write a declaration with every field, unknown ones at their defaults."""
    parameters = known.pop("parameters", NOTHING)
    hints = {"read_only": None, "destructive": None, "idempotent": None}
    return {
        "name": name, "title": None, "display_label": None, "description": "",
        "docstring": None, "parameters": parameters, "returns": None, "timeout": None,
        "atomic": False, "return_direct": False, "response_format": None,
        "needs_approval": False, "is_async": False, "tags": [], "dialect": dialect,
        "reference": "", "raw": None, "unusable": None, "notes": [],
        **known,
        "hints": hints | (known.get("hints") or {}),
        "hash": hashlib.sha256(canonical(parameters)).hexdigest(),
    }  # fmt: skip


def canonical(value: Json) -> bytes:
    """One spelling of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)
    return text.encode("ascii")


def unusable(name: str, dialect: str, reason: str, **known: Any) -> Tool:
    """A tool that is listed with the reason why it cannot run."""

    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        raise ArgumentsRefused(reason)

    return Tool(declaration(name, dialect, unusable=reason, **known), call)


def refuse_unknown(schema: Schema, arguments: dict[str, Any]) -> None:
    """Refuse names that a closed schema does not have, injected ones among them."""
    if schema.get("additionalProperties") is not False:
        return
    if schema.get("patternProperties"):
        return
    unknown = [name for name in arguments if name not in schema.get("properties", {})]
    if unknown:
        said = [f"{name}: there is no such argument" for name in unknown]
        raise ArgumentsRefused("\n".join(said))


def positive(timeout: Any, name: str) -> str | None:
    """Why this is no time limit, if it is none."""
    if timeout is None:
        return None
    number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if number and 0 < timeout < float("inf"):
        return None
    return f"timeout for tool {name!r} must be a positive number, got {timeout!r}"
