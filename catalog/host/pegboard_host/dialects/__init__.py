"""Dialects: what a reference of a source leads to, and how each tool is called."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import GeneratorType
from typing import Any

from . import functions, gaia, gaia_agents, langchain, lye, mcp_server
from .base import NoTools, Tool


@dataclass
class Catalog:
    """The tools of one source by their names here, and what could not be had."""

    tools: dict[str, Tool] = field(default_factory=dict)
    problems: list[dict[str, str]] = field(default_factory=list)

    def add(self, reference: str, tool: Tool) -> None:
        """List a tool; a name that is taken is listed with its reference."""
        if why := _unsayable(tool.declaration):
            self.tell(reference, f"the tool {tool.name!r} is not listed: {why}")
            return
        tool.declaration["reference"] = reference
        name, first = tool.name, self.tools.get(tool.name)
        if first is not None:
            if tool.found is not None and first.found is tool.found:
                return
            name = self._other_name(reference, tool.name)
            self.tell(
                reference,
                f"the name {tool.name!r} is taken by {first.declaration['reference']}; "
                f"the one of {reference} is listed as {name!r}",
            )
        tool.declaration["name"] = name
        self.tools[name] = tool

    def _other_name(self, reference: str, name: str) -> str:
        name, count = f"{reference}.{name}", 1
        other = name
        while other in self.tools:
            count += 1
            other = f"{name}.{count}"
        return other

    def listing(self) -> dict[str, Any]:
        """What a host answers once its source is loaded."""
        main = threading.main_thread()
        threads = [each.name for each in threading.enumerate() if each is not main]
        with contextlib.suppress(OSError):
            count = len(list(Path("/proc/self/task").iterdir())) - 1
            threads += ["(native)"] * (count - len(threads))
        return {
            "op": "loaded",
            "tools": [tool.declaration for tool in self.tools.values()],
            "problems": self.problems,
            "threads": threads,
            "python": platform.python_version(),
            "pid": os.getpid(),
        }

    def tell(self, reference: str, reason: str) -> None:
        """Add one line on what is wrong with a reference."""
        line = " ".join(reason.split())
        self.problems.append({"reference": reference, "reason": line[:1000]})


def _unsayable(declaration: dict[str, Any]) -> str:
    """Say why a declaration cannot be sent; one alone would end the whole listing."""
    try:
        json.dumps(declaration, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        return f"what it declares is not JSON: {fault}"
    return ""


def load(source: dict[str, Any], only: str | None = None) -> Catalog:
    """Import a source's references and list what they hold.

    With `only`, stop at the reference that the tool of this name came from.
    """
    for folder in reversed(source.get("path") or []):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    catalog = Catalog()
    named = [one for name in source.get("tools") or [] for one in lye.opened(name)]
    references = [(name, partial(find, name)) for name in named]
    if server := source.get("mcp"):
        references.append(("mcp", partial(mcp_server.tools_of, server)))
    for reference, tools in references:
        _load_reference(catalog, reference, tools)
        if only in catalog.tools:
            break
    return catalog


def _load_reference(
    catalog: Catalog, reference: str, tools: Callable[[], list[Tool]]
) -> None:
    try:
        for tool in tools():
            catalog.add(reference, tool)
    except BaseException as error:  # an import may also call sys.exit(), or worse
        catalog.tell(reference, _reason(error))


def _reason(error: BaseException) -> str:
    if isinstance(error, NoTools):
        return str(error)
    said = traceback.format_exception_only(type(error), error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    if last is None or "importlib" in last.filename or last.filename.startswith("<"):
        return said
    return f"{said} ({last.filename}, line {last.lineno})"


def find(reference: str) -> list[Tool]:
    """Return the tools that one reference leads to."""
    with gaia_agents.fresh_registry():
        found = list(_find(reference))
    if not found:
        raise NoTools(f"{reference} holds no tools")
    return found


def _find(reference: str) -> Iterator[Tool]:
    name, colon, attribute = reference.partition(":")
    if name == "gaia" and colon:
        yield from gaia.named(attribute)
        return
    module = importlib.import_module(name)
    if not colon:
        yield from _in_module(module)
        return
    called = attribute.endswith("()")
    value: Any = module
    for step in attribute.removesuffix("()").split("."):
        if not hasattr(value, step):
            yield from _by_its_name(module, attribute)
            return
        value = getattr(value, step)
    yield from recognise(value() if called else value)


def _by_its_name(module: Any, name: str) -> Iterator[Tool]:
    """The tool of a module that has this name, as in `lye.files:files-read_file`."""
    found = [tool for tool in _in_module(module) if tool.name == name]
    if not found:
        raise NoTools(f"{module.__name__} has no {name!r}")
    yield from found


def _in_module(module: Any) -> Iterator[Tool]:
    found: dict[int, Any] = {id(f): f for f in gaia.marked_in(module)}
    tools = getattr(module, "TOOLS", None)
    if isinstance(tools, list | tuple):
        found |= {id(one): one for one in tools}
    for value in vars(module).values():
        if lye.is_dict_tool(value) or langchain.is_tool(value):
            found.setdefault(id(value), value)
    new = gaia_agents.registry().values()
    entries = {id(one): one for one in [*new, *gaia_agents.declared_in(module)]}
    if not found and not entries:
        agents = _own(module, gaia_agents.is_class_of_tools)
        plain = _own(module, inspect.isfunction)
        found = {id(one): one for one in [*agents, *plain]}
    for value in found.values():
        yield from recognise(value)
    yield from map(gaia.describe_entry, entries.values())


def _own(module: Any, is_one: Callable[[Any], bool]) -> list[Any]:
    """What a module defines itself, by a public name, that is such a one."""
    return [
        value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and is_one(value)
        and value.__module__ == module.__name__
    ]


def recognise(value: Any, depth: int = 0) -> Iterator[Tool]:
    """Yield the tools that a value is, holds or makes."""
    if depth > 4:
        raise NoTools("too many lists in one another")
    if inspect.ismodule(value):
        yield from _in_module(value)
        return
    if gaia_agents.is_class_of_tools(value):
        value = gaia_agents.made(value)
    if gaia_agents.is_agent(value):
        yield from gaia.describe_agent(value)
        return
    for is_one, describe in KINDS:
        if is_one(value):
            yield describe(value)
            return
    for one in _opened(value):
        yield from recognise(one, depth + 1)


KINDS: list[tuple[Callable[[Any], bool], Callable[[Any], Tool]]] = [
    (langchain.is_tool, langchain.describe),
    (langchain.is_tool_class, langchain.describe_class),
    (lye.is_dict_tool, lye.describe),
    (gaia.is_marked, gaia.describe),
    (functions.is_plain, lambda value: functions.describe(value, "function")),
]


def _opened(value: Any) -> Iterable[Any]:
    """What a list, a toolkit, a class or a factory holds or makes."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, list | tuple | set | frozenset | GeneratorType):
        return value
    if langchain.is_toolkit(value):
        return [value.get_tools()]
    if functions.is_factory(value):
        return [value()]
    raise NoTools(f"a {type(value).__name__} is no tool and holds none")
