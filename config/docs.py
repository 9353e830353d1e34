"""The API's page, rendered from its own OpenAPI text.

The usual viewers write styles into the page and fetch fonts from elsewhere, which
our content security policy forbids; and a page of ours works without JavaScript.
"""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from catalog.requests import AuthenticatedRequest, page

METHODS = ("get", "post", "put", "patch", "delete")
ORDER = ("tools", "runs", "uploads", "audit")


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body."""

    name: str
    kind: str
    place: str = ""
    required: bool = False
    text: str = ""


@dataclass(frozen=True)
class Operation:
    """One call of the API."""

    tag: str
    method: str
    path: str
    text: str
    parameters: list[Field]
    body: list[Field]
    answers: list[tuple[str, str]]

    @property
    def anchor(self) -> str:
        return f"{self.method}-{self.path}".replace("/", "-").strip("-").lower()


@cache
def schema() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]


@require_safe
def api_docs(request: AuthenticatedRequest) -> HttpResponse:
    """Show every call of the API."""
    found = operations(schema())
    groups = [(tag, list(rows)) for tag, rows in groupby(found, lambda one: one.tag)]
    context = {"groups": groups, "shapes": shapes(schema())}
    return page(request, "api_docs.html", context)


def operations(text: dict[str, Any]) -> list[Operation]:
    """Return the calls of an OpenAPI text, in the order of their groups."""
    found = [
        operation(path, method, told)
        for path, methods in text["paths"].items()
        for method, told in methods.items()
        if method in METHODS
    ]
    known = {tag: at for at, tag in enumerate(ORDER)}
    return sorted(found, key=lambda one: (known.get(one.tag, 9), one.tag, one.path))


def operation(path: str, method: str, told: dict[str, Any]) -> Operation:
    return Operation(
        tag=(told.get("tags") or ["other"])[0],
        method=method.upper(),
        path=path,
        text=told.get("description", ""),
        parameters=[parameter(one) for one in told.get("parameters", [])],
        body=body(told.get("requestBody") or {}),
        answers=[
            (code, kind_of(content(answer)))
            for code, answer in told.get("responses", {}).items()
        ],
    )


def parameter(told: dict[str, Any]) -> Field:
    return Field(
        told["name"],
        kind_of(told.get("schema", {})),
        told["in"],
        told.get("required", False),
        told.get("description", ""),
    )


def content(told: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a body or an answer, whatever its media type."""
    kinds = list((told.get("content") or {}).values())
    return dict(kinds[0].get("schema", {})) if kinds else {}


def body(told: dict[str, Any]) -> list[Field]:
    return members(resolved(content(told)))


def resolved(shape: dict[str, Any]) -> dict[str, Any]:
    name = shape.get("$ref", "").rpartition("/")[2]
    return schema()["components"]["schemas"][name] if name else shape


def members(shape: dict[str, Any]) -> list[Field]:
    required = shape.get("required", [])
    return [
        Field(name, kind_of(told), "", name in required, told.get("description", ""))
        for name, told in shape.get("properties", {}).items()
    ]


def shapes(text: dict[str, Any]) -> list[tuple[str, list[Field]]]:
    """Return the named shapes of bodies and answers."""
    named = text.get("components", {}).get("schemas", {})
    return [(name, members(shape)) for name, shape in named.items()]


def kind_of(shape: dict[str, Any]) -> str:
    """Say in words what a schema asks for: `integer or null`, `list of RunShape`."""
    if "$ref" in shape:
        return str(shape["$ref"]).rpartition("/")[2]
    for key in ("oneOf", "anyOf", "allOf"):
        if key in shape:
            return " or ".join(kind_of(one) for one in shape[key])
    if "enum" in shape:
        return " or ".join(str(one) for one in shape["enum"])
    kinds = shape.get("type", "any")
    if kinds == "array":
        return f"list of {kind_of(shape.get('items', {}))}"
    words = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    return f"{words} ({shape['format']})" if "format" in shape else words
