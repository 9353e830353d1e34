"""How a field looks: what its template asks of it."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from .choices import text_of
from .limits import limits
from .moments import VERBATIM, WALL
from .node import ABSENT, Field

GROUPS = {"group", "list", "const", "null"}
INPUT_MODES = {"email": "email", "uri": "url", "iri": "url", "ipv4": "decimal"}
DATE_CONTROLS = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), "date"),
    "time": (re.compile(r"\d\d:\d\d(:\d\d)?"), "time"),
    "moment": (WALL, "datetime-local"),
}
SHOWN = 40
_EMPTY = {"[]": "empty list", "{}": "empty object"}


@dataclass(slots=True, kw_only=True)
class Node(Field):
    """A field as a page shows it."""

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Return the ways this field can be given, as (how, words)."""
        return [(how, self._words(how)) for how in self.hows]

    @property
    def way_options(self) -> SafeString:
        """Return the options of the control that says how the field is given."""
        return _rendered_ways(tuple(self.ways), self.how)

    @property
    def has_more(self) -> bool:
        """Tell whether anything is said below the control."""
        return bool(self.can_be_empty or self.hint or self.note or self.fault)

    def _words(self, how: str) -> str:
        match how:
            case "value":
                return "this value" if self.optional else "a value"
            case "empty":
                return self.empty_words
            case "null":
                return "no value (null)"
        return self.default_words

    @property
    def default_words(self) -> str:
        """Return what happens when the field is left alone."""
        if self.default is ABSENT:
            return "left out"
        if self.secret and self.default is not None:
            return "default"
        words = {"": "empty text", None: "null", True: "on", False: "off"}
        plain = self.default is None or isinstance(self.default, bool | str)
        told = words.get(self.default) if plain else None
        told = told or _EMPTY.get(json.dumps(self.default)) or text_of(self.default)
        return f"default: {told if len(told) <= SHOWN else told[:SHOWN] + '…'}"

    @property
    def given_words(self) -> str:
        """Return how the field is given now."""
        if self.how in ("value", ""):
            return ""
        return dict(self.ways).get(self.how, "")

    @property
    def empty_words(self) -> str:
        inner = self.children[0] if self.kind == "union" and self.children else self
        return {"list": "empty list", "group": "empty"}.get(inner.kind, "empty text")

    @property
    def title(self) -> str:
        """Return the whole way to the field in words: "lines, row 2, qty"."""
        return ", ".join(self.trail) or "arguments"

    @property
    def id(self) -> str:
        own = re.sub(r"[^\w/-]", lambda m: f".{ord(m[0]):x}", self.path)
        return f"arg{own}{'.in' if self.place == 'variant' else ''}"

    @property
    def template(self) -> str:
        return f"runner/fields/{'json' if self.raw else self.kind}.html"

    @property
    def described_by(self) -> str:
        """Return the ids of help, note and fault, for `aria-describedby`."""
        parts = ["help"] if self.help else []
        parts += ["hint"] if self.hint else []
        parts += ["note"] if self.note else []
        parts += ["fault"] if self.fault else []
        return " ".join(f"{self.id}-{part}" for part in parts)

    @property
    def is_labelled(self) -> bool:
        """Tell whether one control bears the label, not a group of them."""
        several = self.kind in ("list", "union", "radio", "const", "null")
        return self.raw or not several

    @property
    def spoken(self) -> str:
        """Return the label; of a variant, which is not shown, with what it is of."""
        if self.place == "variant":
            return f"{self.title} as {self.label}"
        return self.label

    @property
    def shown_text(self) -> str:
        return "" if self.secret else self.text

    @property
    def unknown_choice(self) -> bool:
        tokens = (option.token for option in self.options)
        return self.shown_text != "" and self.text not in tokens

    @property
    def lines(self) -> int:
        least = 3 if self.raw or self.kind == "json" else 1
        return max(least, min(self.text.count("\n") + 1, 20))

    @property
    def input_mode(self) -> str:
        named = str(self.flat.get("format", ""))
        if self.kind != "number":
            return INPUT_MODES.get(named, "")
        return "numeric" if self.flat.get("type") == "integer" else "decimal"

    @property
    def date_type(self) -> str:
        """Return the control for a date, or "text" where it would lose text."""
        form, kind = DATE_CONTROLS[self.kind]
        fits = self.text == "" or form.fullmatch(self.text) is not None
        return kind if fits and self.zone != VERBATIM else "text"

    @property
    def fixed(self) -> str:
        value = self.options[0].value
        return f"“{value}”" if isinstance(value, str) else text_of(value)

    @property
    def kept_file(self) -> str:
        return self.filename or f"upload {self.text}"

    @property
    def panel(self) -> str:
        """Return the variant whose fields are shown, which may be the one before."""
        place = self.pick if self.shown is None else self.shown
        return "" if place is None or place < 0 else str(place)

    @property
    def picks(self) -> list[tuple[str, str]]:
        """Return what a text may be taken for, where a text may also be a text."""
        types = [variant.schema.get("type") for variant in self.shape.variants]
        if "string" not in types:
            return []
        labels = [(str(i), v.label) for i, v in enumerate(self.shape.variants)]
        return [("", "as typed"), *labels]

    @property
    def picked(self) -> str:
        return "" if self.pick is None else str(self.pick)

    @property
    def takes_lines(self) -> bool:
        return bool(self.picks)

    @property
    def members(self) -> list[Self]:
        return [child for child in self.children if child.place != "pair"]

    @property
    def pairs(self) -> list[Self]:
        return [child for child in self.children if child.place == "pair"]

    @property
    def has_pairs(self) -> bool:
        return bool(self.pairs) or self.can_grow

    @property
    def can_grow(self) -> bool:
        """Tell whether there may be another row."""
        if self.kind == "list":
            more = isinstance(self.flat.get("items"), dict)
            more = more or self.count < len(self.flat.get("prefixItems", ()))
            return more and self.count < self.flat.get("maxItems", self.count + 1)
        more = self.flat.get("additionalProperties", False) is not False
        return more or bool(self.flat.get("patternProperties"))

    @property
    def is_open(self) -> bool:
        return self.how in ("value", "empty") or self.focus or _has_fault(self)

    @property
    def attrs(self) -> SafeString:
        """Return what every control says of itself: all of it made here, not typed."""
        said = [f'id="{self.id}"']
        described = self.described_by
        if described:
            said.append(f'aria-describedby="{described}"')
        if self.fault and self.kind not in GROUPS:
            said.append('aria-invalid="true"')
        if self.focus:
            said.append("autofocus")
        if self.can_be_empty:
            said.append('placeholder=" "')
        if self.input_mode:
            said.append(f'inputmode="{self.input_mode}"')
        if self.has_list:
            said.append(f'list="{self.id}-list"')
        return mark_safe(" ".join(said))  # noqa: S308

    @property
    def has_list(self) -> bool:
        """Tell whether the browser offers values for what is typed."""
        one_line = self.kind in ("text", "number") or (
            self.kind == "mixed" and not self.takes_lines
        )
        return self.kind == "search" or (one_line and bool(self.suggestions))

    @property
    def help(self) -> str:
        return str(self.flat.get("description") or "").strip()

    @property
    def hint(self) -> str:
        """Return the limits in words, so that they are known before a fault."""
        return limits(self.flat, self.kind, self.zone)


@lru_cache(maxsize=1024)
def _rendered_ways(ways: tuple[tuple[str, str], ...], chosen: str) -> SafeString:
    """Render the options once: many fields have the same."""
    told = {"ways": ways, "chosen": chosen}
    return render_to_string("runner/fields/_ways.html", told)


def _has_fault(node: Field) -> bool:
    return bool(node.fault) or any(map(_has_fault, node.children))
