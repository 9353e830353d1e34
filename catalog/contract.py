"""What a caller must know of a tool, in one shape for every dialect."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from . import docstrings
from .schema import normalise

# Not part of what a caller relies on: they change with machine and version.
OUTSIDE = ("raw", "notes", "warnings", "declared_hash", "reference")


@dataclass(frozen=True, kw_only=True)
class Contract:
    """A tool's contract.

    `parameters` and `returns` are JSON Schema 2020-12; `timeout` is in seconds
    and None where the tool sets none; `hints` holds read_only, destructive and
    idempotent, each True, False or None (not said).
    """

    name: str
    dialect: str
    title: str | None = None
    display_label: str | None = None
    description: str = ""
    summary: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    returns: dict[str, Any] | None = None
    timeout: float | None = None
    atomic: bool = False
    return_direct: bool = False
    response_format: str | None = None
    hints: dict[str, bool | None] = field(default_factory=dict)
    needs_approval: bool = False
    is_async: bool = False
    tags: list[str] = field(default_factory=list)
    reference: str = ""
    declared_hash: str = ""
    raw: Any = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def from_declaration(cls, declared: dict[str, Any]) -> Self:
        """Build the contract from what a host listed (shape: docs/protocol.md)."""
        docstring = declared.get("docstring") or ""
        parsed = docstrings.parse(docstring)
        description = declared.get("description") or docstring
        if description == docstring:
            description = parsed.description
        parameters, notes = docstrings.describe(
            normalise(declared.get("parameters") or {}), parsed
        )
        known = {f.name for f in fields(cls)}
        plain = {k: v for k, v in declared.items() if k in known and v is not None}
        return cls(
            **plain
            | {
                "description": description,
                "summary": docstrings.summary(description),
                "parameters": parameters,
                "declared_hash": declared.get("hash") or "",
                "notes": [*(declared.get("notes") or []), *notes],
            }
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        known = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in data.items() if k in known})

    def to_json(self) -> dict[str, Any]:
        """Return what a version row keeps: all but what lies outside."""
        return {k: v for k, v in asdict(self).items() if k not in OUTSIDE}

    def canonical(self) -> str:
        """Return the one spelling that the fingerprint is made of."""
        data = self.to_json()
        data["tags"] = sorted(data["tags"])
        return json.dumps(data, sort_keys=True, separators=(",", ":"))

    @property
    def fingerprint(self) -> str:
        """The sha256 of the canonical form, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    @property
    def label(self) -> str:
        """What to call it on a strip."""
        return self.display_label or self.title or self.name
