"""Advice to a tool's author: where a model will misread the tool.

By what the seeds of the ecosystems teach: the description decides whether a
model picks the tool, the parameters' help whether it fills them rightly.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from .contract import Contract

# "Use this tool when …", "Useful for …", "Call this after …", "Do NOT use …"
WHEN = re.compile(
    r"\b(use (this|it|when|for|only|to)|useful (for|when|to)|call (this|it|when|after|"
    r"before)|when(ever)? (the|a|an|you|someone|asked)|(do not|don't|never) use|if you "
    r"(want|need)|to be used)\b",
    re.IGNORECASE,
)
TYPED = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties")
ALIKE = 92.0


def advise(contract: Contract) -> list[str]:
    """Return what the author should mend, in words; empty when all is well."""
    return [*_on_description(contract), *_on_parameters(contract.parameters)]


def _on_description(contract: Contract) -> Iterator[str]:
    text = contract.description.strip()
    if not text:
        yield "It has no description: a model sees only its name."
        return
    if not contract.summary:
        yield "Its description has no first line that says what it does."
    elif len(contract.summary) < 12:
        yield f"Its first line, “{contract.summary}”, says too little to choose it by."
    if not WHEN.search(text):
        yield "Its description does not say when to use it (“Use this tool when …”)."


def _on_parameters(parameters: dict[str, Any]) -> Iterator[str]:
    bare, untyped = [], []
    for name, schema in (parameters.get("properties") or {}).items():
        known = schema if isinstance(schema, dict) else {}
        if not str(known.get("description") or "").strip():
            bare.append(name)
        if not any(key in known for key in TYPED):
            untyped.append(name)
    if bare:
        yield f"Without a description: {_listed(bare)}."
    if untyped:
        yield f"Of unknown type: {_listed(untyped)}."


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def twins(name: str, summary: str, others: dict[str, str]) -> list[str]:
    """Name the tools of `others` (name → summary) whose summary is nearly this one."""
    if len(summary) < 12:
        return []
    alike = process.extract(
        summary, others, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=4
    )
    found: Sequence[str] = [other for _, _, other in alike if other != name][:3]
    if not found:
        return []
    return [f"Described almost as {_listed(list(found))}: a model may mix them up."]
