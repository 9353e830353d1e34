"""What a model is shown of a tool, in the shape that each system uses."""

from typing import Any

from .contract import Contract

GAIA_TYPES = {"string", "integer", "number", "boolean", "array", "object"}


def shown(contract: Contract) -> dict[str, Any]:
    """Return the contract as each system would put it before a model."""
    return {name: make(contract) for name, make in SHAPES.items()}


def gaia(contract: Contract) -> dict[str, Any]:
    """GAIA's registry entry, as its prompt lists it (amd-gaia 0.25)."""
    required = contract.parameters.get("required", [])
    return {
        "name": contract.name,
        "description": contract.description,
        "parameters": {
            name: _gaia_parameter(schema, name in required)
            for name, schema in _properties(contract).items()
        },
    }


def _gaia_parameter(schema: Any, required: bool) -> dict[str, Any]:
    schema = schema if isinstance(schema, dict) else {}
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    shape: dict[str, Any] = {
        "type": kind if kind in GAIA_TYPES else "unknown",
        "required": required,
    }
    for key in ("description", "enum", "items"):
        if key in schema:
            shape[key] = schema[key]
    return shape


def openai(contract: Contract) -> dict[str, Any]:
    """OpenAI's function tool."""
    return {
        "type": "function",
        "function": {
            "name": contract.name,
            "description": contract.description,
            "parameters": contract.parameters,
        },
    }


def anthropic(contract: Contract) -> dict[str, Any]:
    """Anthropic's tool definition."""
    return {
        "name": contract.name,
        "description": contract.description,
        "input_schema": contract.parameters,
    }


def langchain(contract: Contract) -> dict[str, Any]:
    """LangChain's name, description and args."""
    return {
        "name": contract.name,
        "description": contract.description,
        "args": _properties(contract),
        "return_direct": contract.return_direct,
        "response_format": contract.response_format or "content",
    }


def mcp(contract: Contract) -> dict[str, Any]:
    """A tool as an MCP server lists it (wire names, 2025-06 and later)."""
    hints = contract.hints
    shape: dict[str, Any] = {
        "name": contract.name,
        "title": contract.title or contract.display_label,
        "description": contract.description,
        "inputSchema": contract.parameters,
        "outputSchema": contract.returns,
        "annotations": {
            wire: hints[ours]
            for ours, wire in (
                ("read_only", "readOnlyHint"),
                ("destructive", "destructiveHint"),
                ("idempotent", "idempotentHint"),
            )
            if hints.get(ours) is not None
        }
        or None,
    }
    return {key: value for key, value in shape.items() if value is not None}


def _properties(contract: Contract) -> dict[str, Any]:
    return contract.parameters.get("properties") or {}


SHAPES = {
    "gaia": gaia,
    "openai": openai,
    "anthropic": anthropic,
    "langchain": langchain,
    "mcp": mcp,
}
