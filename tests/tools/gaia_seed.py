"""Tools as GAIA's guide to creating tools shows them, under its `tool` or ours."""

import ast
import operator
import os
import shutil
from typing import List, Optional

try:
    from gaia.agents.base.tools import tool
except ImportError:
    from pegboard_tool import tool

PEOPLE = [
    {"id": 1, "name": "Alice", "role": "admin", "department": "Engineering"},
    {"id": 2, "name": "Bob", "role": "developer", "department": "Engineering"},
    {"id": 3, "name": "Carol", "role": "developer", "department": "Design"},
    {"id": 4, "name": "Dave", "role": "manager", "department": "Sales"},
    {"id": 5, "name": "Eve", "role": "developer", "department": "Engineering"},
]
SUMS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


@tool
def get_weather(city: str, units: str = "fahrenheit") -> dict:
    """Get the weather of a city as it is now.

    Args:
        city: Name of the city (e.g., "Seattle", "Tokyo")
        units: Temperature units - "fahrenheit" or "celsius"

    Use this tool when the user asks about weather conditions,
    temperature, or if they need an umbrella.

    Returns:
        Dictionary with temperature, conditions, humidity
    """
    temperature = 72 if units == "fahrenheit" else 22
    return {"temperature": temperature, "conditions": "sunny", "humidity": 40}


@tool
def calculate(expression: str) -> float:
    """Work out a sum.

    Args:
        expression: Whole numbers with +, - and *, like "2 + 2"

    Use this tool when the user asks to calculate, compute,
    or do math.
    """

    def value(node):
        if isinstance(node, ast.BinOp):
            return SUMS[type(node.op)](value(node.left), value(node.right))
        return node.value

    return float(value(ast.parse(expression, mode="eval").body))


@tool
def search_files(query: str, file_type: str = "all", max_results: int = 10) -> dict:
    """Look for files that match a query.

    Args:
        query: Text to look for in names and contents
        file_type: Filter by type - "all", "py", "js", "md", etc.
        max_results: Most results to return (default: 10)

    Use this tool when the user wants to find or locate files.
    """
    found = [f"{query}-{n}.{file_type}" for n in range(20)][:max_results]
    return {"status": "success", "count": len(found), "results": found}


@tool
def create_task(
    title: str,
    description: str,
    assignees: List[str],
    priority: str = "medium",
    labels: Optional[List[str]] = None,
) -> dict:
    """Make a task in the project's list.

    Args:
        title: Short title for the task
        description: What is to be done, in full
        assignees: List of usernames to assign (e.g., ["alice", "bob"])
        priority: Priority level - "low", "medium", or "high"
        labels: Optional list of labels (e.g., ["bug", "frontend"])

    Use this tool when the user wants to create, add, or make a new task.
    """
    task = {"title": title, "assignees": assignees, "labels": labels or []}
    return {"status": "success", "task_id": 7, "priority": priority, "task": task}


@tool
def get_user(user_id: int) -> dict:
    """Get what is known of a user by ID."""
    for person in PEOPLE:
        if person["id"] == user_id:
            return {"status": "success", "user": person}
    return {
        "status": "error",
        "error": f"No user found with ID {user_id}",
        "suggestion": "Check the user ID or try searching by name",
    }


@tool
def search_all(query: str) -> dict:
    """Search across all data sources."""
    found = [f"{query} {n}" for n in range(120)]
    return {
        "status": "partial",
        "total_found": len(found),
        "showing": 50,
        "results": found[:50],
        "note": "Results truncated. Be more specific to narrow down.",
    }


@tool
def get_system_stats() -> dict:
    """Get the system's statistics as they are now.

    Args:
        None

    Use this tool when the user asks about system health,
    performance, or resource usage.
    """
    free = shutil.disk_usage("/").free
    return {
        "status": "success",
        "message": "Retrieved system statistics",
        "data": {"cpus": os.cpu_count(), "disk_free_gb": free // 10**9},
        "instruction": (
            "Summarize these statistics in a human-readable format. "
            "Your answer must be a plain text string, not a JSON object."
        ),
    }


@tool
def search(q: str) -> str:
    """Search for stuff."""
    return f"stuff about {q}"


@tool
def search_codebase(query: str) -> dict:
    """Search for code patterns in the project's source files.

    Args:
        query: Code pattern to search for (e.g., "def process_",
               "import requests", "TODO")

    Use this tool when the user wants to:
    - Find functions, classes, or variables by name
    - Locate imports or dependencies

    Do NOT use this tool for:
    - Web searches (use search_web instead)
    - File name searches (use search_files instead)

    Returns:
        Dictionary with matching files and line numbers
    """
    return {
        "status": "success",
        "matches": [{"file": "main.py", "line": 3, "q": query}],
    }


@tool
def search_web(query: str) -> dict:
    """Search the INTERNET for information.

    Use for current events, external documentation, general knowledge.
    For project code, use search_codebase instead.
    """
    return {"status": "success", "results": [f"https://example.org/?q={query}"]}


@tool
def read_file(path: str) -> dict:
    """Read contents of a file.

    Args:
        path: Path to the file to read
    """
    try:
        with open(path) as file:
            content = file.read()
    except FileNotFoundError:
        return {
            "status": "error",
            "error": f"File not found: {path}",
            "suggestion": "Check the path spelling or use search_files to find it",
        }
    except UnicodeDecodeError:
        return {
            "status": "error",
            "error": f"Cannot read binary file: {path}",
            "suggestion": "This appears to be a binary file, not text",
        }
    return {"status": "success", "path": path, "content": content}


@tool
def get_item(item_id: int) -> dict:
    """Get item by ID.

    Args:
        item_id: Numeric ID of the item (e.g., 123, 456)
    """
    return {"status": "success", "item": item_id, "type": type(item_id).__name__}


@tool
def delete_file(path: str, confirm: bool = False) -> dict:
    """Delete a file from the filesystem.

    Args:
        path: Path to the file to delete
        confirm: Must be True to actually delete. Default False
                 returns what WOULD be deleted.

    Use this tool when the user explicitly asks to delete a file.
    Always show what will be deleted before confirming.
    """
    if not os.path.exists(path):
        return {"status": "error", "error": f"File not found: {path}"}
    file = {"path": path, "size_bytes": os.path.getsize(path)}
    if not confirm:
        return {
            "status": "preview",
            "message": "This would delete:",
            "file": file,
            "note": "Call again with confirm=True to delete",
        }
    os.remove(path)
    return {"status": "success", "deleted": file}


@tool
def query_users(
    name: Optional[str] = None,
    role: Optional[str] = None,
    department: Optional[str] = None,
    limit: int = 10,
) -> dict:
    """Query the user database with filters.

    Args:
        name: Filter by name (partial match, case-insensitive)
              Example: "ali" matches "Alice"
        role: Filter by exact role
              Options: "admin", "developer", "manager"
        department: Filter by exact department
              Options: "Engineering", "Design", "Sales"
        limit: Maximum results to return (default: 10)

    Use this tool when the user wants to:
    - Find users by name
    - List users with a specific role

    Examples:
    - "Find all developers" → role="developer"
    - "Find Alice" → name="alice"

    Returns:
        Dictionary with matching users and query metadata
    """
    roles = sorted({person["role"] for person in PEOPLE})
    if role and role.lower() not in roles:
        return {
            "status": "error",
            "error": f"Invalid role: {role}",
            "valid_roles": roles,
            "suggestion": f"Use one of: {', '.join(roles)}",
        }
    found = [
        person
        for person in PEOPLE
        if (not name or name.lower() in person["name"].lower())
        and (not role or role.lower() == person["role"])
        and (not department or department == person["department"])
    ]
    shown = found[:limit]
    return {
        "status": "success",
        "total_matches": len(found),
        "showing": len(shown),
        "users": shown,
    }


@tool(atomic=True, display_label="Resizing the picture", timeout=90)
def resize(width: int = 640) -> dict:
    """Resize a picture; shows the decorator's options."""
    return {"status": "success", "width": width}
