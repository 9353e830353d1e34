"""One call through GAIA's own `_execute_tool`, in a process that ends after it."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .awaiting import settle
from .base import Context
from .gaia_agents import new_memory

LIMIT = "GAIA_AGENT_TOOL_TIMEOUT"
MARGIN, FOREVER = 60.0, 1e7  # seconds
# A yes to a tool is no yes to folders beyond the run's own.
ASKS_FOR_PATHS = "allow_path_access"


class Call:
    """A tool's function, watched for what it raises: GAIA tells only its text."""

    def __init__(self, agent: Any, entry: dict[str, Any], context: Context) -> None:
        self.agent, self.entry, self.context = agent, entry, context
        self.raised: BaseException | None = None

    def make(self, arguments: dict[str, Any]) -> Any:
        """Call it by GAIA's rules; its result, in GAIA's shapes."""
        name = self.entry["name"]
        limit = (self.context.limit or FOREVER) + MARGIN
        os.environ[LIMIT] = str(limit)
        own = {**self.entry, "function": self._watched(), "timeout": limit}
        furnish(self.agent, self.context)
        self.agent._instance_tools = {**self.agent._tools_registry, name: own}
        return self.agent._execute_tool(name, arguments)

    def _watched(self) -> Callable[..., Any]:
        function = self.entry["function"]

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            try:
                return settle(function(*args, **kwargs), self.context.report)
            except BaseException as error:
                self.raised = error
                raise

        return watched


def furnish(agent: Any, context: Context) -> None:
    """Bind what tool bodies look for at their agent, as far as nothing is there."""
    agent.console.confirm_tool_execution = lambda name, arguments: (
        context.confirm and name != ASKS_FOR_PATHS
    )
    security = importlib.import_module("gaia.security")
    validator = security.PathValidator(allowed_paths=[str(Path.cwd())])
    validator.read_only_paths |= {Path(one["path"]) for one in context.uploads.values()}
    for name in ("path_validator", "_path_validator"):
        if getattr(agent, name, None) is None:
            _bind(agent, name, validator)
    for name, make in SERVICES.items():
        if hasattr(agent, name) and getattr(agent, name) is None:
            with contextlib.suppress(ImportError):
                _bind(agent, name, make())
    if getattr(agent, "pegboard_made", False):
        _reopen(agent)


def _bind(agent: Any, name: str, value: Any) -> None:
    with contextlib.suppress(AttributeError):
        setattr(agent, name, value)


def _reopen(agent: Any) -> None:
    """Open this process's own way to the databases of an agent made here."""
    if getattr(agent, "_memory_store", None) is not None:
        agent._memory_store = new_memory()
    if hasattr(agent, "init_db"):
        config = importlib.import_module("gaia.config")
        agent.init_db(str(config.gaia_home() / "database.db"), quiet=True)


def _scratchpad() -> Any:
    return importlib.import_module("gaia.scratchpad.service").ScratchpadService()


def _web_client() -> Any:
    return importlib.import_module("gaia.web.client").WebClient()


SERVICES: dict[str, Callable[[], Any]] = {
    "_scratchpad": _scratchpad,
    "_web_client": _web_client,
}
