"""Tools as the page on Lye's tool format shows them: a definition, an implementation."""

import base64
import time
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional, Tuple


def define(name, description, properties, required, implementation, **more):
    function = {
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": required,
        },
    }
    definition = {"type": "function", "function": function}
    return {"definition": definition, "implementation": implementation, **more}


def text(description, **more):
    return {"type": "string", "description": description, **more}


def tool_function(*, param1: str, param2: Optional[int] = None) -> str:
    """Do the tool's work."""
    return f"Processed {param1}" if param2 is None else f"Processed {param1} {param2}"


def create_file(*, filename: str, content: str) -> Tuple[str, List[Dict[str, Any]]]:
    """Make a file and hand it back."""
    encoded = base64.b64encode(content.encode()).decode()
    file = {"filename": filename, "content": encoded, "mime_type": "text/plain"}
    return f"Created {filename}", [file]


def typed(*, text, count=1, enabled=False, threshold=0.5, format="text", tags=()):
    return {
        "text": text, "count": count, "enabled": enabled, "threshold": threshold,
        "format": format, "tags": list(tags),
    }  # fmt: skip


def safe_tool(*, url: str) -> str:
    """Say what went wrong instead of raising."""
    try:
        return f"Success: {url.index(':')}"
    except ValueError as error:
        return f"Error: {error}"


def slow_api_call(*, query: str) -> str:
    time.sleep(30)
    return query


def download_file(*, url: str, timeout: int = 30) -> Tuple[str, List[Dict[str, Any]]]:
    """Download a file from URL."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            body, kind = response.read(), response.headers.get_content_type()
    except urllib.error.URLError as error:
        return f"Error downloading file: {error}", []
    name = url.split("/")[-1] or "download"
    content = base64.b64encode(body).decode()
    file = {"filename": name, "content": content, "mime_type": kind}
    return f"Downloaded {name} ({len(body)} bytes)", [file]


URL = text("The complete URL to fetch, including protocol (http:// or https://)")
TYPES = {
    "text": text("Input text"),
    "count": {"type": "integer", "description": "Number of items"},
    "enabled": {"type": "boolean", "description": "Feature flag"},
    "threshold": {"type": "number", "description": "Decimal threshold"},
    "format": text("Output format", enum=["text", "json", "html"], default="text"),
    "tags": {
        "type": "array",
        "items": {"type": "string"},
        "description": "List of tags",
    },
}
TOOLS = [
    define(
        "tool-name",
        "What the tool does",
        {
            "param1": text("Parameter description"),
            "param2": {"type": "integer", "description": "Not asked for"},
        },
        ["param1"],
        tool_function,
        type="standard",
        timeout=30.0,
    ),
    define(
        "files-create_file",
        "Create a file and return it",
        {"filename": text("Its name"), "content": text("What is in it")},
        ["filename", "content"],
        create_file,
        type="standard",
    ),
    define("demo-typed", "Take every basic type", TYPES, ["text"], typed),
    define("web-safe_tool", "Answer with a text", {"url": URL}, ["url"], safe_tool),
    define(
        "slow_api_call",
        "Call an external API that may be slow",
        {"query": text("API query")},
        ["query"],
        slow_api_call,
        timeout=0.5,
    ),
    define(
        "web-download_file",
        "Download a file from a URL and return it as an attachment",
        {
            "url": text("The URL of the file to download"),
            "timeout": {
                "type": "integer",
                "description": "Timeout in seconds",
                "default": 30,
            },
        },
        ["url"],
        download_file,
        type="standard",
        timeout=120.0,
    ),
]
