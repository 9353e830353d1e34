"""What a schema says once references are followed and `allOf` is merged."""

from collections.abc import Callable
from typing import Any

from catalog.schema.normal import Schema, resolve

ALL_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
ANNOTATIONS = {
    *("title", "description", "default", "examples", "deprecated", "readOnly"),
    *("writeOnly", "format", "x-names", "discriminator", "$comment"),
}
UPWARD = {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"}
DOWNWARD = {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}
BOTH = {"items", "additionalProperties", "contains", "propertyNames"}
STRUCTURE = {"anyOf", "oneOf", "prefixItems"}
IMPLIES = {
    "object": ("properties", "patternProperties", "additionalProperties", "required"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format", "contentEncoding"),
    "number": ("minimum", "maximum", "multipleOf", "exclusiveMinimum"),
}
FILE_FORMATS = {"binary", "file-path"}


class Shapes:
    """The schemas of one root, flattened on demand and remembered."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        # The schema is kept beside its answer, so that its id stays its own.
        self._flat: dict[int, tuple[Schema, Schema]] = {}

    def flat(self, schema: Schema) -> Schema:
        """Return `schema` without `$ref`, `allOf` and `if` at its top.

        Adds `x-refs` (the references followed) and `x-maybe` (schemas that apply
        under a condition); `x-odd` marks parts that could not be merged.
        """
        if id(schema) not in self._flat:
            self._flat[id(schema)] = (schema, self._expand(schema, ()))
        return self._flat[id(schema)][1]

    def _expand(self, schema: Schema, seen: tuple[str, ...]) -> Schema:
        out = {k: v for k, v in schema.items() if k not in ("$ref", "allOf")}
        maybe = [out.pop(key) for key in ("then", "else") if key in out]
        out.pop("if", None)
        maybe += list((out.pop("dependentSchemas", None) or {}).values())
        if maybe:
            out["x-maybe"] = maybe
        reference = schema.get("$ref")
        if reference is not None:
            out = _merge(out, self._follow(reference, seen))
        for sub in schema.get("allOf", ()):
            out = _merge(out, self._expand(sub, seen))
        return out

    def _follow(self, reference: str, seen: tuple[str, ...]) -> Schema:
        target = resolve(self.root, reference)
        if target is None or reference in seen:
            return {}
        found = self._expand(target, (*seen, reference))
        return {**found, "x-refs": (reference, *found.get("x-refs", ()))}

    def types(self, schema: Schema) -> tuple[str, ...]:
        """Return the JSON types that `schema` lets through, in its own order."""
        flat = self.flat(schema)
        allowed = declared_types(flat)
        for key in ("anyOf", "oneOf"):
            if key in flat:
                inner = {t for sub in flat[key] for t in self.types(sub)}
                allowed = tuple(t for t in allowed if t in inner)
        return allowed

    def properties(self, schema: Schema) -> dict[str, Schema]:
        """Return every property by name, those under a condition included."""
        flat = self.flat(schema)
        found = dict(flat.get("properties", {}))
        for sub in flat.get("x-maybe", ()):
            for name, prop in self.properties(sub).items():
                if found.get(name, {}) == {}:
                    found[name] = prop
        return found

    def discriminator(
        self, variants: list[Schema]
    ) -> tuple[str, dict[Any, int]] | None:
        """Return the property that tells object variants apart, and which is which."""
        shapes = [self.properties(variant) for variant in variants]
        for name in shapes[0] if shapes else ():
            tags = [self._tags(shape.get(name)) for shape in shapes]
            flat = [tag for some in tags for tag in some]
            if all(tags) and len(set(flat)) == len(flat):
                return name, {tag: i for i, some in enumerate(tags) for tag in some}
        return None

    def _tags(self, schema: Schema | None) -> list[str]:
        if schema is None:
            return []
        flat = self.flat(schema)
        members = [flat["const"]] if "const" in flat else flat.get("enum", [])
        return members if all(isinstance(tag, str) for tag in members) else []

    def is_file(self, schema: Schema) -> bool:
        """Tell whether a value here is a file by its contract."""
        flat = self.flat(schema)
        if "string" not in declared_types(flat):
            return False
        encoded = flat.get("contentEncoding") == "base64"
        return encoded or flat.get("format") in FILE_FORMATS

    def is_secret(self, schema: Schema) -> bool:
        """Tell whether a value here must never be shown or stored in the clear."""
        flat = self.flat(schema)
        return flat.get("writeOnly") is True or flat.get("format") == "password"


def declared_types(flat: Schema) -> tuple[str, ...]:
    """Return the types a flat schema names, or those its members have."""
    declared = flat.get("type")
    if isinstance(declared, str):
        return (declared,)
    if declared is not None:
        return tuple(declared)
    if "const" in flat:
        return (type_of(flat["const"]),)
    if "enum" in flat:
        return tuple(dict.fromkeys(map(type_of, flat["enum"])))
    return ALL_TYPES


def implied_types(flat: Schema) -> tuple[str, ...]:
    """Return the declared types, or the ones that the other keywords speak of."""
    if "type" in flat or "const" in flat or "enum" in flat:
        return declared_types(flat)
    found = [name for name, keys in IMPLIES.items() if any(k in flat for k in keys)]
    return tuple(found) or ALL_TYPES


def type_of(value: Any) -> str:
    """Return the JSON type of a value; 1 is an integer, 1.0 a number."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _merge(ours: Schema, theirs: Schema) -> Schema:
    """Return both at once; a word of ours about the value goes before theirs."""
    out = {**theirs, **ours}
    for key in ours.keys() & theirs.keys():
        if key not in ANNOTATIONS and ours[key] != theirs[key]:
            out[key] = _both(key, ours[key], theirs[key])
            if key in STRUCTURE:
                out["x-odd"] = True
    return out


def _both(key: str, ours: Any, theirs: Any) -> Any:
    if key in UPWARD:
        return max(ours, theirs)
    if key in DOWNWARD:
        return min(ours, theirs)
    if key in BOTH:
        return _both_schemas(ours, theirs)
    joined = _JOINED.get(key)
    return ours if joined is None else joined(ours, theirs)


def _both_schemas(ours: Any, theirs: Any) -> Any:
    if ours is False or theirs is False:
        return False
    return {"allOf": [each for each in (ours, theirs) if each is not True]}


def _both_listed(ours: Any, theirs: Any) -> list[Any]:
    return [*ours, *(each for each in theirs if each not in ours)]


def _both_by_name(ours: Schema, theirs: Schema) -> Schema:
    out = {**ours}
    for name, schema in theirs.items():
        same = name not in ours or ours[name] == schema
        out[name] = schema if same else {"allOf": [ours[name], schema]}
    return out


def _common_types(ours: Any, theirs: Any) -> Any:
    mine, other = _listed(ours), _listed(theirs)
    common = [t for t in mine if t in other or (t == "integer" and "number" in other)]
    common += [
        t for t in other if t == "integer" and t not in mine and "number" in mine
    ]
    return common[0] if len(common) == 1 else common


def _listed(declared: Any) -> list[str]:
    return [declared] if isinstance(declared, str) else list(declared)


_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "properties": _both_by_name,
    "patternProperties": _both_by_name,
    "required": _both_listed,
    "x-refs": _both_listed,
    "x-maybe": _both_listed,
    "type": _common_types,
    "enum": lambda ours, theirs: [member for member in ours if member in theirs],
    "uniqueItems": lambda ours, theirs: True,
}


def pointer(*tokens: Any) -> str:
    """Return the JSON Pointer (RFC 6901) made of `tokens`."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def escape(token: str) -> str:
    """Return `token` as one step of a JSON Pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(step: str) -> str:
    """Return what one step of a JSON Pointer names."""
    return step.replace("~1", "/").replace("~0", "~")


def steps(path: str) -> list[str]:
    """Return the unescaped steps of a JSON Pointer."""
    return [unescape(step) for step in path.split("/")[1:]]
