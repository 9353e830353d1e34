"""Tools as LangChain's guide to custom tools shows them, its imports mended."""

from typing import Optional, Type

from langchain_core.callbacks import (
    AsyncCallbackManagerForToolRun,
    CallbackManagerForToolRun,
)
from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field


class SearchInput(BaseModel):
    query: str = Field(description="should be a search query")


class CalculatorInput(BaseModel):
    a: int = Field(description="first number")
    b: int = Field(description="second number")


@tool
def search(query: str) -> str:
    """Look up things online."""
    return "LangChain"


@tool
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


@tool("search-tool", args_schema=SearchInput, return_direct=True)
def named_search(query: str) -> str:
    """Look up things online."""
    return "LangChain"


class CustomSearchTool(BaseTool):
    name: str = "custom_search"
    description: str = "useful for when you need to answer questions about events"
    args_schema: Type[BaseModel] = SearchInput

    def _run(
        self, query: str, run_manager: Optional[CallbackManagerForToolRun] = None
    ) -> str:
        """Use the tool."""
        return "LangChain"

    async def _arun(
        self, query: str, run_manager: Optional[AsyncCallbackManagerForToolRun] = None
    ) -> str:
        """Use the tool asynchronously."""
        raise NotImplementedError("custom_search does not support async")


class CustomCalculatorTool(BaseTool):
    name: str = "Calculator"
    description: str = "useful for when you need to answer questions about math"
    args_schema: Type[BaseModel] = CalculatorInput
    return_direct: bool = True

    def _run(
        self,
        a: int,
        b: int,
        run_manager: Optional[CallbackManagerForToolRun] = None,
    ) -> int:
        """Use the tool."""
        return a * b

    async def _arun(
        self,
        a: int,
        b: int,
        run_manager: Optional[AsyncCallbackManagerForToolRun] = None,
    ) -> int:
        """Use the tool asynchronously."""
        raise NotImplementedError("Calculator does not support async")


def search_function(query: str):
    return "LangChain"


def multiplied(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


def search_tool1(s: str):
    raise ToolException("The search tool1 is not available.")


def _handle_error(error: ToolException) -> str:
    return (
        "The following errors occurred during tool execution:"
        + error.args[0]
        + "Please try another tool."
    )


def failing(name, **options):
    return StructuredTool.from_function(
        func=search_tool1, name=name, description="A bad tool", **options
    )


TOOLS = [
    search,
    multiply,
    named_search,
    CustomSearchTool(),
    CustomCalculatorTool(),
    StructuredTool.from_function(
        func=search_function,
        name="Search",
        description="useful for when you need to answer questions about events",
    ),
    StructuredTool.from_function(
        func=multiplied,
        name="calculator",
        description="multiply numbers",
        args_schema=CalculatorInput,
        return_direct=True,
    ),
    failing("Search_tool1"),
    failing("Search_tool1_true", handle_tool_error=True),
    failing("Search_tool1_text", handle_tool_error="Try later."),
    failing("Search_tool1_function", handle_tool_error=_handle_error),
]
