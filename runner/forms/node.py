"""One field of a form: where it stands, what it asks for, what was posted."""

import re
from dataclasses import dataclass, field
from typing import Any, Final, Self

from catalog.schema import Schema, escape

from .choices import Option
from .kinds import Shape


class Absent:
    """The value of a field that is left out; None is a value, this is none."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()
TEXTS = {"text", "long", "secret"}
UNPICKED = -1  # the panel of a union whose chooser says "Choose…"
CHOICES = {"radio", "select", "search"}
ROW = "~+"  # a step no JSON Pointer has: a row of a map, its name still to be typed


@dataclass(slots=True, kw_only=True)
class Field:
    """A field; `path` names its controls and is the pointer of the value they fill.

    Only the rows of a map differ: their path holds the number of the row, their
    pointer the name that was typed.
    """

    path: str
    pointer: str
    shape: Shape
    label: str
    name: str = ""
    required: bool = True
    place: str = "member"  # member, part, row, pair or variant
    removable: bool = True
    answered: bool = False  # a variant: its union says how it is given
    trail: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    depth: int = 0
    secret: bool = False
    kind: str = ""
    how: str = ""
    text: str = ""
    key: str = ""
    zone: str = ""
    pick: int | None = None
    shown: int | None = None
    count: int = 0
    raw: bool = False
    opened: bool = True
    stuck: bool = False
    fault: str = ""
    note: str = ""
    focus: bool = False
    filename: str = ""
    kept: dict[str, str] = field(default_factory=dict)
    suggestions: tuple[str, ...] = ()
    children: list[Self] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kind = self.kind or self.shape.kind

    @property
    def flat(self) -> Schema:
        return self.shape.flat

    @property
    def options(self) -> tuple[Option, ...]:
        return self.shape.options

    @property
    def optional(self) -> bool:
        return not self.required

    @property
    def default(self) -> Any:
        return self.flat.get("default", ABSENT)

    @property
    def nullable(self) -> bool:
        return self.shape.nullable

    @property
    def takes_empty(self) -> bool:
        """Tell whether "empty" is a choice of its own here: text, list or map."""
        inner = self.children[0] if self.kind == "union" and self.children else self
        if inner.kind == "mixed":
            return any(v.schema.get("type") == "string" for v in self.shape.variants)
        if inner.kind in TEXTS:
            return not inner.flat.get("minLength") and "pattern" not in inner.flat
        if inner.kind == "list":
            return bool(inner.flat.get("minItems", 0) == 0)
        return inner.is_map and bool(inner.flat.get("minProperties", 0) == 0)

    @property
    def is_map(self) -> bool:
        return self.kind == "group" and not self.flat.get("properties")

    @property
    def hows(self) -> list[str]:
        """Return the ways this field can be given; none where there is only one."""
        if not self.has_ways:
            return []
        found = [self.left_out] if self.optional else []
        found += [] if self.kind == "null" else ["value"]
        found += ["empty"] if self.takes_empty else []
        return found + (["null"] if self.nullable or self.kind == "null" else [])

    @property
    def has_ways(self) -> bool:
        return self.place != "variant" and (self.optional or self.nullable)

    @property
    def left_out(self) -> str:
        """Return how the post says "left out".

        "default" is what nobody has touched: typed text goes before it. "leave" is
        picked by a person, and goes before text that is still there.
        """
        return "default" if self.how == "default" else "leave"

    @property
    def can_be_empty(self) -> bool:
        """Tell whether a blank text needs a tick to be meant, having no other way."""
        if self.has_ways or self.answered:
            return False
        return self.kind in {*TEXTS, "mixed"} and self.takes_empty

    @property
    def recurs(self) -> bool:
        """Tell whether the field stands inside another of its own kind."""
        return any(ref in self.refs for ref in self.shape.refs)

    @property
    def state(self) -> tuple[Any, ...]:
        """Return all that a person can change here, to compare with another time."""
        inner = tuple(child.state for child in self.children)
        text = self.text or ("false" if self.kind == "flag" else "")
        own = (self.how, text, self.key, self.pick, self.count, self.raw)
        return (*own, self.opened, inner)


def below(path: str, step: str) -> str:
    """Return the path of what stands at `step` below `path`."""
    return f"{path}/{_safe(escape(step))}"


def _safe(step: str) -> str:
    # A browser rewrites line ends in the names of controls.
    return re.sub(r"[\x00-\x1f]", lambda m: f"~x{ord(m[0]):02x}", step)
