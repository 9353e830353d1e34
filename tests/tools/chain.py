"""LangChain tools in all their forms."""

import asyncio
import functools
from typing import Annotated, Any

from langchain_core.callbacks import dispatch_custom_event
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    ToolException,
    tool,
)
from pydantic import BaseModel, Field

BUILT = []


class SearchInput(BaseModel):
    query: str = Field(description="should be a search query")


class CalculatorInput(BaseModel):
    a: int = Field(description="first number")
    b: int = Field(description="second number")


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


@tool("search-tool", args_schema=SearchInput, return_direct=True)
def search(query: str) -> str:
    """Look up things online."""
    return "LangChain"


class CustomCalculatorTool(BaseTool):
    name: str = "Calculator"
    description: str = "useful for when you need to answer questions about math"
    args_schema: type[BaseModel] = CalculatorInput
    return_direct: bool = True

    def _run(self, a: int, b: int, run_manager: Any = None) -> Any:
        """Use the tool."""
        return a * b

    async def _arun(self, a: int, b: int, run_manager: Any = None) -> Any:
        raise NotImplementedError("Calculator does not support async")


class Upper(BaseTool):
    name: str = "upper"
    description: str = "Sync only"

    def _run(self, q: str) -> str:
        return q.upper()

    async def _arun(self, q: str) -> str:
        raise NotImplementedError("no async")


class Lower(BaseTool):
    name: str = "lower"
    description: str = "Async only"

    def _run(self, q: str) -> str:
        raise NotImplementedError("no sync")

    async def _arun(self, q: str) -> str:
        await asyncio.sleep(0)
        return q.lower()


@tool
def whoami(greeting: str, user_id: Annotated[str, InjectedToolArg]) -> str:
    """Greet the current user."""
    return f"{greeting} {user_id}"


@tool
def whoever(
    greeting: str, user_id: Annotated[str, InjectedToolArg] = "somebody"
) -> str:
    """Greet a user, if there is one."""
    return f"{greeting} {user_id}"


@tool
def my_call(text: str, call: Annotated[str, InjectedToolCallId]) -> str:
    """Tell of the call."""
    return f"{text} {call[:5]}"


async def ping3_impl(host: str) -> str:
    await asyncio.sleep(0)
    return "pong3 " + host


ping3 = StructuredTool.from_function(
    coroutine=ping3_impl, name="ping3", description="Async only"
)


def wrapped(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@tool
@wrapped
async def shell(host: str) -> str:
    """Sync shell around async."""
    return "shell " + host


def refuse(s: str):
    raise ToolException("The search tool1 is not available.")


def modes():
    for name, mode in (
        ("raises", False),
        ("tells", True),
        ("says", "try later"),
        ("asks", lambda error: f"sorry: {error.args[0]}"),
    ):
        yield StructuredTool.from_function(
            func=refuse, name=name, description="A bad tool", handle_tool_error=mode
        )


lenient = StructuredTool.from_function(
    func=multiply.func,
    name="lenient",
    description="Forgives",
    handle_validation_error="give two numbers",
)
single = Tool(name="single", func=lambda text: f"got {text}", description="One text")
shapeless = StructuredTool.from_function(
    func=lambda **given: given,
    name="shapeless",
    description="By JSON Schema",
    args_schema={
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    },
)


@tool(response_format="content_and_artifact")
def artifact(n: int) -> tuple[str, list[int]]:
    """Return content and artifact."""
    return f"{n} numbers", list(range(n))


@tool
def steps(n: int) -> dict:
    """Tell of progress."""
    for done in range(1, n + 1):
        dispatch_custom_event("progress", {"done": done, "total": n, "message": "m"})
        dispatch_custom_event("other", {"done": 0})
    return {"n": n}


@tool
def broken(n: int) -> str:
    """Raise something that is no ToolException."""
    raise ValueError(f"bad {n}")


class Toolkit:
    def get_tools(self):
        return [multiply]


toolkit = Toolkit()


def make_tools():
    BUILT.append(1)
    return [multiply, CustomCalculatorTool()]


TOOLS = [
    multiply, search, CustomCalculatorTool(), Upper(), Lower(), whoami, whoever,
    my_call, ping3, shell, *modes(), lenient, single, shapeless, artifact, steps,
    broken,
]  # fmt: skip
