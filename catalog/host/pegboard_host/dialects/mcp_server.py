"""MCP servers as sources: what they list, and one connection for each call."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

from . import files
from .base import Context, NoTools, Outcome, Tool, declaration
from .mcp_results import judge

PATIENCE = 25.0  # seconds for a server to start and list what it has
CONNECTING = 30.0
PAGES = 1000
Settings = dict[str, Any]  # {command, args, env, cwd} or {url, headers}
ABILITIES = ("sampling", "elicitation", "roots")
UNTRUSTED = "its hints are the server's own word"


def tools_of(settings: Settings) -> list[Tool]:
    """Ask a server for its tools; raise NoTools with what went wrong."""
    _check_package()
    try:
        plain = asyncio.run(_listed(settings))
        more = asyncio.run(_listed(settings, *ABILITIES))
        names = {tool.name for tool in plain}
        beyond = [tool for tool in more if tool.name not in names]
        lacking = asyncio.run(_lacking(settings, beyond))
    except BaseException as error:
        raise NoTools(f"{_place(settings)}: {reason_of(error)}") from error
    listed = [_describe(settings, tool, None) for tool in plain]
    return listed + [_describe(settings, tool, lacking[tool.name]) for tool in beyond]


def _check_package() -> None:
    try:
        from mcp import Client  # noqa: F401
    except ImportError as error:
        raise NoTools(
            f"needs the package mcp, 2 or newer, in {sys.executable}: {error}"
        ) from error


def _place(settings: Settings) -> str:
    return str(settings.get("url") or settings.get("command"))


async def _lacking(settings: Settings, beyond: list[Any]) -> dict[str, str]:
    """Find which ability of a client each of these tools wants."""
    wants = {tool.name: f"one of {', '.join(ABILITIES)}" for tool in beyond}
    for ability in ABILITIES if beyond else ():
        seen = {tool.name for tool in await _listed(settings, ability)}
        wants |= {name: ability for name in wants if name in seen}
    return wants


async def _listed(settings: Settings, *abilities: str) -> list[Any]:
    import anyio

    tools: list[Any] = []
    with anyio.fail_after(PATIENCE):
        async with connected(settings, abilities=abilities) as client:
            cursor = None
            for _ in range(PAGES):
                page = await client.list_tools(cursor=cursor)
                tools += page.tools
                cursor = page.next_cursor
                if cursor is None:
                    break
    return tools


@contextlib.asynccontextmanager
async def connected(
    settings: Settings, abilities: tuple[str, ...] = ()
) -> AsyncIterator[Any]:
    """Connect to the server; at the end of it a started server ends too."""
    from mcp import Client

    options: dict[str, Any] = {"logging_callback": _log, "log_level": "info"}
    options |= {_CALLBACKS[name]: _refuse for name in abilities}
    async with contextlib.AsyncExitStack() as stack:
        server = await _server(settings, stack)
        yield await stack.enter_async_context(Client(server, **options))


_CALLBACKS = {
    "sampling": "sampling_callback",
    "elicitation": "elicitation_callback",
    "roots": "list_roots_callback",
}


async def _refuse(*_: Any) -> Any:
    from mcp.types import ErrorData

    return ErrorData(code=-32601, message="Pegboard only lists the tools")


async def _server(settings: Settings, stack: contextlib.AsyncExitStack) -> Any:
    from mcp import StdioServerParameters

    if "command" in settings:
        return StdioServerParameters(
            command=settings["command"],
            args=[str(one) for one in settings.get("args") or []],
            env={**os.environ, **(settings.get("env") or {})},
            cwd=settings.get("cwd"),
        )
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    client = create_mcp_http_client(headers=settings.get("headers"))
    # The run's own limit holds, however long a server thinks.
    client.timeout = type(client.timeout)(CONNECTING, read=None)
    await stack.enter_async_context(client)
    return streamable_http_client(settings["url"], http_client=client)


async def _log(message: Any) -> None:
    sys.stdout.write(f"[{message.level}] {message.data}\n")


def _describe(settings: Settings, tool: Any, lacks: str | None) -> Tool:
    told = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    said = told.get("annotations") or {}
    unusable = lacks and f"needs a client that offers {lacks}, which Pegboard does not"
    if (told.get("execution") or {}).get("taskSupport") == "required":
        unusable = "runs as a task only (task support), which Pegboard does not offer"
    declared = declaration(
        tool.name,
        "mcp",
        title=told.get("title") or said.get("title"),
        description=told.get("description") or "",
        parameters=told.get("inputSchema") or {},
        returns=told.get("outputSchema"),
        is_async=True,
        hints={
            "read_only": said.get("readOnlyHint"),
            "destructive": said.get("destructiveHint"),
            "idempotent": said.get("idempotentHint"),
        },
        raw=told,
        unusable=unusable or None,
        notes=[UNTRUSTED] if said else [],
    )
    return Tool(declared, _caller(settings, tool.name, declared["parameters"]))


def _caller(
    settings: Settings, name: str, schema: dict[str, Any]
) -> Callable[[dict[str, Any], Context], Outcome]:
    def call(arguments: dict[str, Any], context: Context) -> Outcome:
        ready = files.place(schema, arguments, context)
        try:
            return judge(asyncio.run(_call(settings, name, ready, context)))
        except asyncio.CancelledError:
            os._exit(1)  # asked to end; the server was told
        except Exception as error:
            return _broken(settings, error)

    return call


async def _call(
    settings: Settings, name: str, arguments: dict[str, Any], context: Context
) -> Any:
    task = asyncio.current_task()
    if task is not None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, task.cancel)

    async def progress(done: float, total: float | None, text: str | None) -> None:
        context.report(done, total, text or "")

    async with connected(settings) as client:
        return await client.call_tool(name, arguments, progress_callback=progress)


def _broken(settings: Settings, error: BaseException) -> Outcome:
    """What to tell of a server that is not there, or broke off."""
    said = reason_of(error)
    wrong = bool(re.match(r"-32602\b", said))
    return Outcome(
        failed=True,
        reported_by="arguments" if wrong else "exception",
        error=said if wrong else f"the MCP server {_place(settings)}: {said}",
        exception=type(_innermost(error)).__name__,
    )


def reason_of(error: BaseException) -> str:
    """Say what went wrong, taken out of the groups that tasks wrap it in."""
    inner = _innermost(error)
    if isinstance(inner, TimeoutError):
        return f"did not answer within {PATIENCE:g} s"
    if isinstance(inner, FileNotFoundError):
        return f"there is no command {inner.filename!r}"
    code = getattr(inner, "code", None)
    text = str(getattr(inner, "message", "") or inner) or type(inner).__name__
    return f"{code} {text}" if isinstance(code, int) else text


def _innermost(error: BaseException) -> BaseException:
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    return error
