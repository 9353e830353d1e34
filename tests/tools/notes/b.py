"""Copy B."""

from pegboard_tool import tool


@tool
def read_note(name: str) -> str:
    """Read a note (copy B)."""
    return "B:" + name
