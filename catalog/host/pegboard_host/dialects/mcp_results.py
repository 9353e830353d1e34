"""What an MCP tool answered: its blocks of content as a value."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from .base import Outcome

REFUSED = re.compile(r"-32602|input validation error", re.IGNORECASE)


def judge(result: Any) -> Outcome:
    """Read a result: structured content if there is some, else text, else blocks."""
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    blocks = told.get("content") or []
    structured = told.get("structuredContent")
    texts = [block["text"] for block in blocks if block.get("type") == "text"]
    outcome = Outcome(_value(blocks, texts, structured))
    outcome.model_text = "\n".join(texts) or json.dumps(structured or blocks)
    if told.get("isError"):
        outcome.failed = True
        outcome.error = "\n".join(texts) or "the server says that it failed"
        refused = REFUSED.search(outcome.error)
        outcome.reported_by = "arguments" if refused else "tool"
    return outcome


def _value(blocks: list[dict[str, Any]], texts: list[str], structured: Any) -> Any:
    only_text = len(texts) == len(blocks) <= 1
    if structured is None and only_text:
        return texts[0] if texts else None
    shown = [shown_block(block) for block in blocks]
    if structured is None:
        return shown
    if only_text and (not texts or _repeats(texts[0], structured)):
        return structured
    return {"content": shown, "structuredContent": structured}


def _repeats(text: str, structured: Any) -> bool:
    """Whether the text says no more than the structured content."""
    if isinstance(structured, dict) and text in structured.values():
        return True
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return structured in (value, {"result": value})


def shown_block(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its base64 as bytes, which become a file of the run."""
    shown = {key: value for key, value in block.items() if value is not None}
    if "data" in shown:
        shown["data"] = _bytes(shown["data"])
    inner = shown.get("resource")
    if isinstance(inner, dict) and "blob" in inner:
        shown["resource"] = {**inner, "blob": _bytes(inner["blob"])}
    return shown


def _bytes(text: str) -> bytes | str:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
