"""GAIA agents as its guide shows them: tools that exist once an agent registers them."""

from gaia.agents.base.agent import Agent
from gaia.agents.base.tools import _TOOL_REGISTRY, tool


@tool
def orphan_tool(text: str) -> str:
    """Stand outside the agent, in the registry of all."""
    return text.upper()


class SupportAgent(Agent):
    """An agent with tools of its own, one of them behind its gate."""

    CONFIRMATION_REQUIRED_TOOLS = frozenset({"close_ticket"})

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.greeting = "Hello"

    def _register_tools(self):
        @tool
        def greet(name: str = "you") -> dict:
            """Greet someone.

            Args:
                name: Who is greeted
            """
            return {"status": "success", "message": f"{self.greeting}, {name}"}

        @tool
        def close_ticket(number: int) -> dict:
            """Close a ticket for good."""
            return {"status": "success", "closed": number}

        @tool(timeout=1)
        def linger(seconds: float) -> str:
            """Wait longer than allowed."""
            import time

            time.sleep(seconds)
            return "awake"

        @tool
        async def later(text: str) -> dict:
            """Answer from a coroutine, which GAIA itself never awaits."""
            return {"status": "success", "text": text}

        @tool
        def stumble(text: str) -> str:
            """Raise what no tool should raise."""
            raise LookupError(f"bad {text}")

        def any_sum(**arguments) -> dict:
            return {"status": "success", "sum": arguments["a"] + arguments["b"]}

        _TOOL_REGISTRY["mcp_demo_get-sum"] = {  # as GAIA registers a server's tools
            "name": "mcp_demo_get-sum",
            "display_name": "get-sum (demo)",
            "description": "[MCP:demo] Add two numbers.",
            "parameters": {
                "a": {"type": "number", "required": True, "description": "First"},
                "b": {"type": "number", "required": True},
                "note": {"type": "unknown", "required": False},
            },
            "function": any_sum,
            "atomic": True,
            "requires_confirmation": False,
            "_mcp_server": "demo",
        }


def make_agent():
    """Make an agent whose tools come from a list."""

    class Listed(Agent):
        def _register_tools(self):
            @tool
            def listed(text: str) -> str:
                """Say it again."""
                return text

    return Listed(skip_lemonade=True, silent_mode=True)
