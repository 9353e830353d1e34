"""GAIA's agents and mixins: made with no model, listed by what they register."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any

from .base import NoTools

REGISTRY = "gaia.agents.base.tools"
AGENT = "gaia.agents.base.agent"
KNOWN = "gaia.agents.registry"
# Mixins that the package ships but does not have in its registry of mixins.
UNLISTED = {
    "memory": ("gaia.agents.base.memory", "MemoryMixin"),
    "database": ("gaia.database.agent", "DatabaseAgent"),
    "file_monitor": ("gaia.agents.tools.file_monitor_tools", "FileToolsMixin"),
}
REGISTRAR = re.compile(r"register_\w*tools\Z|init_sd\Z|init_vlm\Z")
OWN_READER = "read_tool_output"  # an agent's view of its own earlier results
QUIET = {"skip_lemonade": True, "silent_mode": True}


def agent_class() -> Any:
    """GAIA's `Agent`, if this process has imported its tools."""
    if REGISTRY not in sys.modules:
        return None
    try:
        return importlib.import_module(AGENT).Agent
    except ImportError:
        return None  # installed for its decorator only


def registry() -> dict[str, dict[str, Any]]:
    """GAIA's own registry of tools, which agents fill."""
    module = sys.modules.get(REGISTRY)
    found: dict[str, dict[str, Any]] = getattr(module, "_TOOL_REGISTRY", {})
    return found


def is_from(entry: dict[str, Any], module: Any) -> bool:
    return bool(getattr(entry.get("function"), "__module__", "") == module.__name__)


def declared_in(module: Any) -> list[dict[str, Any]]:
    """The entries that a module's import made, whenever that was."""
    found = [*registry().values(), *imported]
    own = {id(entry): entry for entry in found if is_from(entry, module)}
    return list(own.values())


imported: list[dict[str, Any]] = []  # entries that earlier imports made


@contextlib.contextmanager
def fresh_registry(*entries: dict[str, Any]) -> Iterator[None]:
    """Let only these and what is registered within stand in the registry."""
    kept = dict(registry())
    registry().clear()
    registry().update({entry["name"]: entry for entry in entries})
    try:
        yield
    finally:
        seen = {id(entry) for entry in imported}
        imported.extend(
            entry
            for entry in registry().values()
            if id(entry) not in seen
            and "<locals>" not in getattr(entry["function"], "__qualname__", "<locals>")
        )
        registry().clear()
        registry().update(kept)


def by_name(name: str) -> Any:
    """Return the mixin that GAIA's registry has under this name; raise NoTools."""
    known = {**UNLISTED, **importlib.import_module(KNOWN).KNOWN_TOOLS}
    if name not in known:
        raise NoTools(
            f"GAIA's registry has no {name!r}; it has {', '.join(sorted(known))}"
        )
    module, attribute = known[name]
    importlib.import_module(REGISTRY)
    return getattr(importlib.import_module(module), attribute)


def is_agent(found: Any) -> bool:
    agent = agent_class()
    return agent is not None and isinstance(found, agent)


def is_class_of_tools(found: Any) -> bool:
    """Whether this is an agent's class, or a mixin that registers tools."""
    agent = agent_class() if isinstance(found, type) else None
    if agent is None or found is agent:
        return False
    return issubclass(found, agent) or bool(registrars(found))


def registrars(mixin: type) -> list[str]:
    """The methods of a mixin that register its tools."""
    agent = agent_class()
    return [
        name
        for kind in mixin.__mro__
        if kind not in agent.__mro__
        for name in vars(kind)
        if REGISTRAR.match(name) and callable(getattr(mixin, name))
    ]


def made(kind: type) -> Any:
    """Make an agent of a class or a mixin, without a model; its tools its own."""
    agent_type = kind if _is_whole(kind) else _host_of(kind)
    own = declared_in(sys.modules[kind.__module__])
    with fresh_registry(*own), _listening() as heard:
        agent = agent_type(**_accepted(agent_type))
        agent._snapshot_tools()
    if not tools_of(agent):
        said = f": {heard[-1]}" if heard else ""
        raise NoTools(f"{kind.__name__} registers no tools here{said}")
    return agent


def tools_of(agent: Any) -> list[dict[str, Any]]:
    """The entries of an agent's registry."""
    entries = agent._tools_registry.items()
    return [entry for name, entry in entries if name != OWN_READER]


def _is_whole(kind: type) -> bool:
    return issubclass(kind, agent_class()) and not inspect.isabstract(kind)


def _host_of(mixin: type) -> type:
    """An agent around a mixin, as GAIA's users write one."""

    def _register_tools(self: Any) -> None:
        if hasattr(mixin, "register_memory_tools"):
            self._memory_store = new_memory()
        for name in registrars(mixin):
            getattr(self, name)()

    base = agent_class()
    bases = (mixin,) if issubclass(mixin, base) else (base, mixin)
    members = {"_register_tools": _register_tools, "pegboard_made": True}
    return type("Host", bases, members)


def new_memory() -> Any:
    return importlib.import_module("gaia.agents.base.memory_store").MemoryStore()


def _accepted(agent_type: type) -> dict[str, Any]:
    """The arguments for a start without a model, as far as it takes them."""
    wanted: dict[str, Any] = dict(QUIET)
    if getattr(agent_type, "pegboard_made", False) and hasattr(
        agent_type, "model_grades_reasoning"
    ):  # the tool is there for such models only; a name is no model
        client = importlib.import_module("gaia.llm.lemonade_client")
        wanted["model_id"] = client.GPT_OSS_20B_MODEL_NAME
    parameters = inspect.signature(agent_type).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return wanted
    return {name: value for name, value in wanted.items() if name in parameters}


@contextlib.contextmanager
def _listening() -> Iterator[list[str]]:
    """Hear what GAIA logs: it says there why a mixin registers nothing."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    ear, logger = Ear(logging.INFO), logging.getLogger("gaia")
    logger.addHandler(ear)
    try:
        yield heard
    finally:
        logger.removeHandler(ear)
