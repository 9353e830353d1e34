"""Tools of LangChain: decorated functions, a structured tool, a class of its own."""

from __future__ import annotations

import asyncio
import re
import time
from enum import StrEnum
from typing import Any

from langchain_core.callbacks import dispatch_custom_event
from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field


class Style(StrEnum):
    """How a text is to be written."""

    plain = "plain"
    titled = "titled"
    shout = "shout"


class CountInput(BaseModel):
    text: str = Field(description="The text to count", min_length=1)
    longest: int = Field(5, description="How many of the longest words to list", ge=0)


@tool("count-words", args_schema=CountInput)
def count_words(text: str, longest: int = 5) -> dict[str, Any]:
    """Count the characters, words and lines of a text.

    Use this when the user asks how long a text is.
    """
    words = re.findall(r"\w+", text)
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return {
        "characters": len(text),
        "words": len(words),
        "lines": len(text.splitlines()),
        "longest": ordered[:longest],
    }


@tool(parse_docstring=True)
def change_case(text: str, style: Style = Style.titled) -> str:
    """Write a text in another style. Use this to fix or play with capitals.

    Args:
        text: The text to change.
        style: plain is all small letters, titled starts each word with a capital.
    """
    match style:
        case Style.plain:
            return text.lower()
        case Style.titled:
            return text.title()
    return text.upper() + "!"


async def _fetch_quotes(topic: str, count: int = 3) -> list[str]:
    quotes = []
    for number in range(1, count + 1):
        await asyncio.sleep(0.3)
        quotes.append(f"Of {topic}, one says: measure twice, cut once ({number}).")
    return quotes


class QuoteInput(BaseModel):
    topic: str = Field(description="What the quotes are about, e.g. wood")
    count: int = Field(3, description="How many quotes", ge=1, le=10)


collect_quotes = StructuredTool.from_function(
    coroutine=_fetch_quotes,
    name="collect_quotes",
    description="Collect invented quotes on a topic. Use this to try an async tool.",
    args_schema=QuoteInput,
)


class Step(BaseModel):
    name: str = Field(description="What is done in this step")
    minutes: float = Field(description="How long it takes", gt=0)


class PlanInput(BaseModel):
    steps: list[Step] = Field(description="The steps, in their order", min_length=1)
    workers: int = Field(1, description="How many people work side by side", ge=1)


class PlanTool(BaseTool):
    """A class of its own, with a nested list as its input."""

    name: str = "plan_work"
    description: str = (
        "Plan steps of work over one or more workers and tell when each starts and "
        "ends. Use this when the user wants to know how long a job takes."
    )
    args_schema: type[BaseModel] = PlanInput
    handle_tool_error: bool = True

    def _run(self, steps: list[Step], workers: int = 1) -> list[dict[str, Any]]:
        if sum(step.minutes for step in steps) > 7 * 24 * 60:
            raise ToolException("That is more than a week of work: split the plan.")
        free = [0.0] * workers
        plan = []
        for done, step in enumerate(steps, 1):
            who = free.index(min(free))
            start, free[who] = free[who], free[who] + step.minutes
            plan.append(
                {"step": step.name, "worker": who + 1, "start": start, "end": free[who]}
            )
            dispatch_custom_event(
                "progress", {"done": done, "total": len(steps), "message": step.name}
            )
            time.sleep(0.1)
        return plan


@tool(response_format="content_and_artifact")
def reverse_lines(text: str) -> tuple[str, dict[str, Any]]:
    """Turn the lines of a text around, last one first. Use this to flip a list."""
    lines = text.splitlines()
    return "\n".join(reversed(lines)), {"lines": len(lines)}


TOOLS = [count_words, change_case, collect_quotes, PlanTool(), reverse_lines]
