"""Random contracts with values that they let through, for the property tests."""

import string
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Pair = tuple[dict[str, Any], st.SearchStrategy[Any]]  # a schema, and its values

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
) | st.sampled_from(
    [
        "",
        " ",
        "0012",
        '{"a": 1}',
        "null",
        "true",
        "1e5",
        "  x  ",
        "a\nb\n",
        "\n",
        "\r\n",
    ]
)
NASTY = '<img src=x onerror="hit=1"> & \'" </textarea>'
NAMES = st.sampled_from(
    ["a", "b", "c", "sku", "qty", "a/b", "~x", "two words", "0", "ø", "~+0", 'q"<'],
)
WORDS = st.sampled_from([None, None, None, "", "Help", NASTY])
INTEGERS = st.integers(-(10**30), 10**30) | st.integers(-3, 12)
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.5])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=5,
)
FORMATS: dict[str, st.SearchStrategy[str]] = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "time": st.times().map(lambda time: time.isoformat()),
    "date-time": st.datetimes().map(lambda moment: moment.isoformat())
    | st.sampled_from(
        ["2024-03-10T00:30:00+01:00", "2024-07-10T00:30:00Z", "2024-03-10T00:30"]
    ),
    "duration": st.sampled_from(["PT1H", "P2D", "P1Y2M3DT4H5M6S"]),
    "uuid": st.uuids().map(str),
    "email": st.sampled_from(["a@b.no", "x.y@example.org"]),
    "uri": st.sampled_from(["https://example.org/a?b=c&d", "mailto:a@b.no"]),
    "ipv4": st.ip_addresses(v=4).map(str),
    "password": TEXT.filter(lambda text: "\r" not in text and "\n" not in text),
}


@st.composite
def texts(draw: Callable[..., Any]) -> Pair:
    match draw(st.integers(0, 3)):
        case 0:
            return {"type": "string"}, TEXT
        case 1:
            name = draw(st.sampled_from(sorted(FORMATS)))
            return {"type": "string", "format": name}, FORMATS[name]
        case 2:
            least = draw(st.integers(0, 2))
            schema = {"type": "string", "minLength": least, "maxLength": 12}
            return schema, TEXT.filter(lambda text: least <= len(text))
    pattern = "^[a-z]{1,5}$"
    return {"type": "string", "pattern": pattern}, st.text(
        string.ascii_lowercase, min_size=1, max_size=5
    )


@st.composite
def numbers(draw: Callable[..., Any]) -> Pair:
    match draw(st.integers(0, 3)):
        case 0:
            return {"type": "integer"}, INTEGERS
        case 1:
            return {"type": "number"}, FLOATS | INTEGERS
        case 2:
            schema = {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}
            return schema, st.integers(1, 8)
    step = draw(st.sampled_from([2, 5, 0.5]))
    schema = {"type": "number", "multipleOf": step}
    return schema, st.integers(-50, 50).map(lambda n: n * step)


@st.composite
def choices(draw: Callable[..., Any]) -> Pair:
    sizes = st.sampled_from([1, 2, 4, 5, 9])
    members = draw(st.lists(ANY_JSON, min_size=1, max_size=draw(sizes)))
    if draw(st.booleans()):
        members = draw(st.lists(TEXT, min_size=1, max_size=70))
    if len(members) == 1:
        return {"const": members[0]}, st.just(members[0])
    return {"enum": members}, st.sampled_from(members)


@st.composite
def lists(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    schema, values = draw(inner)
    least = draw(st.sampled_from([0, 0, 1, 2]))
    out: dict[str, Any] = {"type": "array", "items": schema}
    if least:
        out["minItems"] = least
    return out, st.lists(values, min_size=least, max_size=least + 2)


@st.composite
def tuples(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    parts = draw(st.lists(inner, min_size=1, max_size=3))
    schema = {"type": "array", "prefixItems": [part for part, _ in parts]}
    values = st.tuples(*(value for _, value in parts)).map(list)
    if draw(st.booleans()):
        size = len(parts)
        return {**schema, "items": False, "minItems": size, "maxItems": size}, values
    more, rest = draw(inner)
    both = st.tuples(values, st.lists(rest, max_size=2))
    return {**schema, "items": more}, both.map(lambda pair: [*pair[0], *pair[1]])


@st.composite
def objects(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    members = {name: draw(inner) for name in names}
    required = [name for name in names if draw(st.booleans())]
    properties = {}
    for name, (schema, values) in members.items():
        properties[name] = draw(described(schema, values))
    out: dict[str, Any] = {"type": "object", "properties": properties}
    out |= {"required": required} if required else {}
    optional = {n: v for n, (_, v) in members.items() if n not in required}
    values = st.fixed_dictionaries(
        {name: members[name][1] for name in required}, optional=optional
    )
    return draw(_opened(out, values, inner))


@st.composite
def _opened(
    draw: Callable[..., Any],
    schema: dict[str, Any],
    values: st.SearchStrategy[Any],
    inner: st.SearchStrategy[Pair],
) -> Pair:
    """Let more names in, now and then: any, of one shape, or by a pattern."""
    match draw(st.integers(0, 5)):
        case 0:
            return {**schema, "additionalProperties": False}, values
        case 1:
            more, rest = draw(inner)
            keys = st.text("klm", min_size=1, max_size=3)
            return {**schema, "additionalProperties": more}, _joined(values, keys, rest)
        case 2:
            more, rest = draw(inner)
            keys = st.text("klm", min_size=1, max_size=3).map(lambda key: f"x-{key}")
            pattern = {
                "patternProperties": {"^x-": more},
                "additionalProperties": False,
            }
            return {**schema, **pattern}, _joined(values, keys, rest)
    return schema, values


def _joined(
    values: st.SearchStrategy[Any],
    keys: st.SearchStrategy[str],
    rest: st.SearchStrategy[Any],
) -> st.SearchStrategy[Any]:
    more = st.dictionaries(keys, rest, max_size=2)
    return st.tuples(more, values).map(lambda pair: {**pair[0], **pair[1]})


@st.composite
def maps(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    schema, values = draw(inner)
    out = {"type": "object", "additionalProperties": schema}
    return out, st.dictionaries(TEXT, values, max_size=3)


@st.composite
def nullables(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    schema, values = draw(inner)
    if isinstance(schema.get("type"), str) and draw(st.booleans()):
        return {**schema, "type": [schema["type"], "null"]}, st.none() | values
    return {"anyOf": [schema, {"type": "null"}]}, st.none() | values


@st.composite
def unions(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    parts = draw(st.lists(inner, min_size=2, max_size=3))
    out = {"anyOf": [schema for schema, _ in parts]}
    return out, st.one_of([values for _, values in parts])


@st.composite
def tagged(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    variants, values = [], []
    for tag in draw(st.sampled_from([("file", "url"), ("x", "y", "z")])):
        schema, value = draw(inner)
        fields = {"kind": {"const": tag}, "body": schema}
        variant = {"type": "object", "properties": fields, "required": ["kind"]}
        variants.append({**variant, "additionalProperties": False})
        tags = {"kind": st.just(tag)}
        values.append(st.fixed_dictionaries(tags, optional={"body": value}))
    named = {"discriminator": {"propertyName": "kind"}} if draw(st.booleans()) else {}
    return {"oneOf": variants, **named}, st.one_of(values)


@st.composite
def merged(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    (left, some), (right, more) = draw(inner), draw(inner)
    parts = [
        {"properties": {"left": left}, "required": ["left"]},
        {"type": "object", "properties": {"right": right}},
    ]
    values = st.fixed_dictionaries({"left": some}, optional={"right": more})
    return {"allOf": parts}, values


@st.composite
def conditional(draw: Callable[..., Any], inner: st.SearchStrategy[Pair]) -> Pair:
    schema, values = draw(inner)
    out = {
        "type": "object",
        "properties": {"mode": {"enum": ["plain", "rich"]}, "note": {"type": "string"}},
        "required": ["mode"],
        "if": {"properties": {"mode": {"const": "rich"}}},
        "then": {"properties": {"extra": schema}, "required": ["extra"]},
        "dependentRequired": {"extra": ["note"]},
    }
    plain = st.fixed_dictionaries({"mode": st.just("plain")}, optional={"note": TEXT})
    rich = st.fixed_dictionaries(
        {"mode": st.just("rich"), "extra": values, "note": TEXT}
    )
    return out, plain | rich


FOLDER = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {
            "type": "array",
            "items": {"$ref": "#/$defs/Folder"},
            "default": [],
        },
        "link": {"anyOf": [{"$ref": "#/$defs/Folder"}, {"type": "null"}]},
    },
    "required": ["name"],
}
FOLDERS = st.recursive(
    st.fixed_dictionaries({"name": TEXT}),
    lambda inner: st.fixed_dictionaries(
        {"name": TEXT},
        optional={
            "children": st.lists(inner, max_size=2),
            "link": st.none() | inner,
        },
    ),
    max_leaves=4,
)
LEAVES: st.SearchStrategy[Pair] = st.one_of(
    texts(),
    numbers(),
    choices(),
    st.just(({"type": "boolean"}, st.booleans())),
    st.just(({"type": "null"}, st.none())),
    st.just(({}, ANY_JSON)),
    st.just(({"type": "object"}, st.dictionaries(TEXT, ANY_JSON, max_size=2))),
    st.just(({"type": ["integer", "string"]}, INTEGERS | TEXT)),
    st.just(({"$ref": "#/$defs/Folder"}, FOLDERS)),
)


def _composed(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    made = (
        lists,
        tuples,
        objects,
        maps,
        nullables,
        unions,
        tagged,
        merged,
        conditional,
    )
    return st.one_of([make(inner) for make in made])


FIELDS = st.recursive(LEAVES, _composed, max_leaves=4)


@st.composite
def described(
    draw: Callable[..., Any], schema: dict[str, Any], values: st.SearchStrategy[Any]
) -> dict[str, Any]:
    """Add the words of a property, and a default that fits it."""
    out = dict(schema)
    for key in ("title", "description"):
        words = draw(WORDS)
        if words is not None:
            out[key] = words
    if draw(st.integers(0, 3)) == 3:
        out["default"] = draw(values)
    if draw(st.integers(0, 5)) == 5:
        out["examples"] = ["first", NASTY]
    return out


@st.composite
def contracts(draw: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of a tool, and arguments that they let through."""
    schema, values = draw(objects(FIELDS))
    return {**schema, "$defs": {"Folder": FOLDER}}, draw(values)
