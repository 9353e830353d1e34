"""From what a call hands back to a value: awaitables awaited, generators read."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

MOST = 100_000
Report = Callable[[Any, Any, Any], None]


def settle(result: Any, report: Report | None = None) -> Any:
    """Await it, or collect what it yields, telling each item."""
    if inspect.isawaitable(result):
        return settle(asyncio.run(_awaited(result)), report)
    if inspect.isasyncgen(result):
        return asyncio.run(_collected(result, report))
    if inspect.isgenerator(result):
        return _collect(result, report)
    return result


async def _awaited(result: Any) -> Any:
    value = await result
    if inspect.isasyncgen(value):
        return await _collected(value, None)
    return value


async def _collected(items: AsyncIterator[Any], report: Report | None) -> list[Any]:
    found: list[Any] = []
    async for item in items:
        _add(found, item, report)
        if len(found) >= MOST:
            break
    return found


def _collect(items: Iterator[Any], report: Report | None) -> Any:
    found: list[Any] = []
    try:
        while len(found) < MOST:
            _add(found, next(items), report)
    except StopIteration as stop:
        return stop.value if not found and stop.value is not None else found
    return found


def _add(found: list[Any], item: Any, report: Report | None) -> None:
    found.append(item)
    if report is not None:
        text = item if isinstance(item, str) else ""
        report(len(found), None, text)
