"""A dict tool whose contract asks for everything a form can be asked for."""

from pathlib import Path

PLACE = {
    "type": "object",
    "required": ["street"],
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string", "default": "Oslo"},
    },
}
LINE = {
    "type": "object",
    "required": ["sku"],
    "properties": {
        "sku": {"type": "string"},
        "qty": {"type": "integer", "default": 1, "minimum": 1},
    },
}
FOLDER = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Folder"}},
        "link": {"anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}]},
    },
}
VARIANTS = [
    {
        "title": title,
        "type": "object",
        "additionalProperties": False,
        "required": ["kind", name],
        "properties": {"kind": {"const": kind}, name: {"type": "string"}},
    }
    for title, kind, name in (
        ("To a file", "file", "path"),
        ("To a URL", "url", "href"),
    )
]
PROPERTIES = {
    "bill": {"$ref": "#/$defs/Place"},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
    "target": {"oneOf": VARIANTS, "discriminator": {"propertyName": "kind"}},
    "tree": {"anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}], "default": None},
    "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
    "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
    "code": {"type": ["integer", "string"], "default": 0},
    "big": {"type": "integer"},
    "text": {"type": "string"},
    "table": {"type": "string", "format": "binary"},
    "at": {"type": "string", "format": "date-time"},
    "anything": {},
}


def order(**arguments):
    """Return what was received, a file by its content."""
    if "table" in arguments:
        arguments["table"] = Path(arguments["table"]).read_text()
    return arguments


TOOLS = [
    {
        "definition": {
            "type": "function",
            "function": {
                "name": "hard-order",
                "description": "Order something in the hardest way.",
                "parameters": {
                    "type": "object",
                    "required": ["bill", "target"],
                    "properties": PROPERTIES,
                    "$defs": {"Place": PLACE, "Line": LINE, "Folder": FOLDER},
                },
            },
        },
        "implementation": order,
    }
]
