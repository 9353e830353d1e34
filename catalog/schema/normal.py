"""Any declared parameters → one JSON Schema 2020-12 object that the rest relies on."""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard
from urllib.parse import unquote

Schema = dict[str, Any]

MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = (
    *("items", "additionalProperties", "contains", "not", "if", "then", "else"),
    *("propertyNames", "unevaluatedItems", "unevaluatedProperties"),
)
KEEPS_BOOLEAN = {
    *("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"),
}
FORGOTTEN = ("$schema", "$id", "id", "$vocabulary", "$dynamicAnchor")
TYPE_NAMES = {
    **{"str": "string", "text": "string", "int": "integer", "long": "integer"},
    **{"float": "number", "double": "number", "decimal": "number"},
    **{"bool": "boolean", "dict": "object", "map": "object", "struct": "object"},
    **{"list": "array", "tuple": "array", "set": "array", "none": "null"},
    **{"None": "null", "NoneType": "null", "nil": "null"},
}
TYPES = {"string", "integer", "number", "boolean", "object", "array", "null"}


def normalise(schema: Any) -> Schema:
    """Return `schema` as a self-contained object schema; twice changes nothing."""
    root = _node(schema if isinstance(schema, dict) else {})
    root["type"] = "object"
    root.setdefault("properties", {})
    _drop_dangling(root)
    return root


def walk(schema: Any, change: Callable[[Any], Any]) -> Schema:
    """Copy `schema` with `change` applied to each schema directly inside it."""
    out = dict(schema)
    for key in MAPS:
        if isinstance(out.get(key), dict):
            out[key] = {name: change(sub) for name, sub in out[key].items()}
    for key in LISTS:
        if isinstance(out.get(key), list):
            out[key] = [change(sub) for sub in out[key]]
    for key in SINGLES:
        if key in out and not (key in KEEPS_BOOLEAN and isinstance(out[key], bool)):
            out[key] = change(out[key])
    return out


def inside(schema: Schema) -> Iterator[Schema]:
    """Yield `schema` and every schema in it, itself first."""
    yield schema
    found: list[Schema] = []
    walk(schema, found.append)
    for sub in found:
        if isinstance(sub, dict):
            yield from inside(sub)


def _node(schema: Any) -> Schema:
    if schema is True or not isinstance(schema, dict):
        return {"not": {}} if schema is False else {}
    out = {key: value for key, value in schema.items() if key not in FORGOTTEN}
    _modernise(out)
    _name_types(out)
    _lift_required(out)
    out = {
        key: _once(key, value) for key, value in out.items() if _is_sound(key, value)
    }
    out = walk(out, _node)
    _allow_null(out)
    return out


def _modernise(out: Schema) -> None:
    """Rewrite what drafts 3 to 2019-09 and OpenAPI 3.0 wrote otherwise."""
    held = _popped(out, "definitions")
    if held:
        out["$defs"] = {**held, **(_popped(out, "$defs") or {})}
    if isinstance(out.get("items"), list):
        out["prefixItems"] = out.pop("items")
        if "additionalItems" in out:
            out["items"] = out["additionalItems"]
    out.pop("additionalItems", None)
    for name, needs in (_popped(out, "dependencies") or {}).items():
        key = "dependentRequired" if isinstance(needs, list) else "dependentSchemas"
        out[key] = {**(_popped(out, key) or {}), name: needs}
    for bound in ("Minimum", "Maximum"):
        _modernise_bound(out, f"exclusive{bound}", bound.lower())
    if "$dynamicRef" in out:
        out.setdefault("$ref", out.pop("$dynamicRef"))
    if isinstance(out.get("$ref"), str):
        out["$ref"] = re.sub(r"^#/definitions/", "#/$defs/", out["$ref"])


def _popped(out: Schema, key: str) -> Schema | None:
    value = out.pop(key, None)
    return value if isinstance(value, dict) else None


def _modernise_bound(out: Schema, exclusive: str, bound: str) -> None:
    if not isinstance(out.get(exclusive), bool):
        return
    if out.pop(exclusive) and bound in out:
        out[exclusive] = out.pop(bound)


def _name_types(out: Schema) -> None:
    declared = out.get("type")
    if declared is None:
        out.pop("type", None)
        return
    names = declared if isinstance(declared, list) else [declared]
    known = [TYPE_NAMES.get(str(name), str(name)) for name in names]
    known = [name for name in dict.fromkeys(known) if name in TYPES]
    if len(known) < len(set(map(str, names))) or not known:
        del out["type"]  # a name nobody knows ("any", "unknown") means any JSON
        return
    out["type"] = known if isinstance(declared, list) else known[0]


def _lift_required(out: Schema) -> None:
    """Move draft 3's `required: true` on a property to its object's list."""
    properties = out.get("properties")
    if isinstance(out.get("required"), bool):
        del out["required"]
    if not isinstance(properties, dict):
        return
    lifted = [
        name
        for name, sub in properties.items()
        if isinstance(sub, dict) and sub.get("required") is True
    ]
    if lifted:
        listed = out.get("required")
        before = listed if _is_texts(listed) else []
        out["required"] = list(dict.fromkeys([*before, *lifted]))


def _allow_null(out: Schema) -> None:
    """Let null in where the contract says so in other words: its default is null."""
    wanted = out.pop("nullable", False) is True
    if not wanted and not ("default" in out and out["default"] is None):
        return
    declared = out.get("type")
    if isinstance(declared, str) and declared != "null":
        out["type"] = [declared, "null"]
    if isinstance(declared, list) and "null" not in declared:
        out["type"] = [*declared, "null"]
    if isinstance(out.get("enum"), list) and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    for key in ("anyOf", "oneOf"):
        if isinstance(out.get(key), list) and not any(map(_takes_null, out[key])):
            out[key] = [*out[key], {"type": "null"}]
    if "$ref" in out and declared is None and "anyOf" not in out:
        out["anyOf"] = [{"$ref": out.pop("$ref")}, {"type": "null"}]


def _takes_null(schema: Schema) -> bool:
    declared = schema.get("type")
    names = declared if isinstance(declared, list) else [declared]
    return "null" in names or None in schema.get("enum", [0]) or schema == {}


def _once(key: str, value: Any) -> Any:
    """Return the names that are demanded, each once."""
    if key == "required":
        return list(dict.fromkeys(value))
    if key == "dependentRequired":
        return {name: list(dict.fromkeys(needs)) for name, needs in value.items()}
    return value


def _is_sound(key: str, value: Any) -> bool:
    """Tell whether a keyword has a value that the meta-schema lets through.

    The meta-schema itself says the same a hundred times slower.
    """
    check = _SOUND.get(key)
    return check is None or bool(check(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_pattern(value: Any) -> bool:
    try:
        return bool(re.compile(value))
    except (re.error, TypeError, RecursionError, OverflowError):
        return False


def _is_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_schema, value))


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties"),
    *("maxProperties", "minContains", "maxContains"),
)
_TEXTS = ("title", "description", "format", "contentEncoding", "$ref", "$comment")
_SOUND: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(_NUMBERS, _is_number),
    **dict.fromkeys(_COUNTS, _is_count),
    **dict.fromkeys((*_TEXTS, "contentMediaType", "$anchor"), _is_text),
    **dict.fromkeys(LISTS, _is_schemas),
    **dict.fromkeys(SINGLES, _is_schema),
    **dict.fromkeys(("properties", "$defs", "dependentSchemas"), _is_named),
    **dict.fromkeys(
        ("uniqueItems", "readOnly", "writeOnly", "deprecated"),
        lambda value: isinstance(value, bool),
    ),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "pattern": _is_pattern,
    "patternProperties": lambda value: (
        _is_named(value) and all(map(_is_pattern, value))
    ),
    "required": _is_texts,
    "enum": lambda value: isinstance(value, list) and bool(value),
    "examples": lambda value: isinstance(value, list),
    "dependentRequired": lambda value: (
        isinstance(value, dict) and all(map(_is_texts, value.values()))
    ),
}


def resolve(root: Schema, reference: str) -> Schema | None:
    """Return the schema a local reference points at, or None."""
    if reference in ("#", ""):
        return root
    if not reference.startswith("#/"):
        return _anchored(root, reference)
    here: Any = root
    for token in unquote(reference[2:]).split("/"):
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and token.isdigit() and int(token) < len(here):
            here = here[int(token)]
        elif isinstance(here, dict) and token in here:
            here = here[token]
        else:
            return None
    return here if isinstance(here, dict) else None


def _anchored(root: Schema, reference: str) -> Schema | None:
    for schema in inside(root):
        if reference.startswith("#") and schema.get("$anchor") == reference[1:]:
            return schema
    return None


def _drop_dangling(root: Schema) -> None:
    """Turn a reference to nothing we hold into "any JSON": nothing is fetched."""
    for schema in list(inside(root)):
        reference = schema.get("$ref")
        if reference is not None and resolve(root, reference) is None:
            del schema["$ref"]
            schema["$comment"] = f"unresolved reference {reference}"
