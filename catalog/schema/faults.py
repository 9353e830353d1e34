"""What is wrong with a value: one fault per place, in words for people."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.schema.coercion import choose
from catalog.schema.formats import WORDS
from catalog.schema.normal import Schema
from catalog.schema.shape import ALL_TYPES, declared_types, escape, pointer
from catalog.schema.strict import Strict

# jsonschema types the parts of an error as perhaps unset; of a raised one none is.
Error = Any

NOUNS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no (true or false)",
    "null": "null",
    "array": "a list",
    "object": "an object (names with values)",
}
AT_ROOT = {"type", "enum", "const", "x-file"}
RANK = {"type": 0, "required": 0, "enum": 1, "const": 1, "format": 2, "pattern": 3}
SHOWN = 8


@dataclass(frozen=True)
class Fault:
    """Something to put right: where (a JSON Pointer), in words, and its kind."""

    pointer: str
    message: str
    code: str


def find_faults(value: Any, check: Strict, chosen: Mapping[str, int]) -> list[Fault]:
    """Return one fault per place, in the order in which the places stand."""
    told = [
        fault
        for error in check.validator.iter_errors(value)
        for fault in _Teller(check, chosen).tell(error)
    ]
    told.sort(key=lambda fault: RANK.get(fault.code, 4))
    first: dict[str, Fault] = {}
    for fault in told:
        first.setdefault(fault.pointer, fault)
    return sorted(first.values(), key=lambda fault: _place(fault.pointer, value, check))


def _place(path: str, value: Any, check: Strict) -> list[tuple[int, str]]:
    """Sort rows by number, and names as the contract has them at the top."""
    order = list(check.schema.get("properties", {}))
    steps = path.split("/")[1:]
    numbered = [(int(s) if s.isdigit() else 0, s) for s in steps]
    if steps:
        known = steps[0] in order
        numbered[0] = (order.index(steps[0]), "") if known else (len(order), steps[0])
    return numbered


class _Teller:
    """Turns errors of the jsonschema library into faults."""

    def __init__(self, check: Strict, chosen: Mapping[str, int]) -> None:
        self.check = check
        self.chosen = chosen

    def tell(self, error: Error) -> Iterator[Fault]:
        path = pointer(*error.absolute_path)
        if "propertyNames" in list(error.schema_path)[:-1]:
            words = self._words(error)
            yield Fault(
                f"{path}/{escape(error.instance)}", f"this name {words}", "name"
            )
            return
        match error.validator:
            case "required":
                yield from self._missing(path, error.validator_value, error.instance)
            case "dependentRequired":
                yield from self._dependent(path, error)
            case "additionalProperties" | "unevaluatedProperties" | "x-names":
                yield from self._unknown(path, error)
            case "anyOf" | "oneOf":
                yield from self._union(path, error)
            case _:
                yield Fault(path, self._words(error), str(error.validator or "refused"))

    def _missing(self, path: str, names: list[str], value: Schema) -> Iterator[Fault]:
        for name in names:
            if name not in value:
                yield Fault(f"{path}/{escape(name)}", "required", "required")

    def _dependent(self, path: str, error: Error) -> Iterator[Fault]:
        for given, names in error.validator_value.items():
            for name in names if given in error.instance else ():
                if name not in error.instance:
                    words = f"required when “{given}” is given"
                    yield Fault(f"{path}/{escape(name)}", words, "required")

    def _unknown(self, path: str, error: Error) -> Iterator[Fault]:
        known = (
            set(error.validator_value["known"])
            if error.validator == "x-names"
            else (set(error.schema.get("properties", {})))
        )
        patterns = error.schema.get("patternProperties", {})
        for name in error.instance:
            if name not in known and not any(re.search(p, name) for p in patterns):
                words = "is not a name that this tool knows"
                yield Fault(f"{path}/{escape(name)}", words, "unknown")

    def _union(self, path: str, error: Error) -> Iterator[Fault]:
        variants = error.validator_value
        if not error.context:
            yield Fault(
                path, "fits more than one of the choices; only one may", "oneOf"
            )
            return
        groups: dict[int, list[Error]] = defaultdict(list)
        for sub in error.context:
            groups[int(sub.relative_schema_path[0])].append(sub)
        if path in self.chosen and self.chosen[path] in groups:
            yield from self._tell_all(groups[self.chosen[path]])
            return
        tag_fault = self._tag_fault(path, variants, error.instance)
        if tag_fault is not None:
            yield tag_fault
            return
        near = [i for i, subs in groups.items() if not any(map(_at_root, subs))]
        if not near:
            words = f"must be {describe_any(variants, self.check)}"
            yield Fault(path, words, "type")
            return
        best = choose(error.instance, variants, self.check)
        yield from self._tell_all(groups[best if best in near else near[0]])

    def _tell_all(self, errors: list[Error]) -> Iterator[Fault]:
        for error in errors:
            yield from self.tell(error)

    def _tag_fault(self, path: str, variants: list[Schema], value: Any) -> Fault | None:
        """Return the fault of an object that does not say which variant it is."""
        objects = [v for v in variants if self.check.shapes.types(v) != ("null",)]
        found = self.check.shapes.discriminator(objects)
        if found is None or not isinstance(value, dict):
            return None
        name, tags = found
        if name not in value:
            return Fault(f"{path}/{escape(name)}", "required", "required")
        if value[name] not in list(tags):
            words = f"must be {one_of(list(tags))}"
            return Fault(f"{path}/{escape(name)}", words, "enum")
        return None

    def _words(self, error: Error) -> str:
        limit = error.validator_value
        if error.validator in ("type", "x-file"):
            return f"must be {describe(error.schema, self.check)}"
        if error.validator == "format":
            return WORDS.get(limit, f"is not a valid {limit}")
        return words_for(str(error.validator), limit, error)


def _at_root(error: Error) -> bool:
    return not error.relative_path and error.validator in AT_ROOT


def words_for(keyword: str, limit: Any, error: Error) -> str:
    """Return what a keyword demands, in words."""
    match keyword:
        case "enum":
            return f"must be {one_of(limit)}"
        case "const":
            return f"must be {shown(limit)}"
        case "pattern":
            return f"does not have the expected form: {limit}"
        case "uniqueItems":
            return f"is the same as row {int(error.message) + 1}"
        case "contains" | "minContains" | "maxContains":
            return "does not hold the entries that are asked for"
        case "not" | "None":
            return "is not allowed here"
    template = _LIMITS.get(keyword)
    if template is None:
        return "is not as the tool asks for it"
    return template.format(limit=number(limit), s="" if limit == 1 else "s")


_LIMITS = {
    "minimum": "must be {limit} or more",
    "maximum": "must be {limit} or less",
    "exclusiveMinimum": "must be more than {limit}",
    "exclusiveMaximum": "must be less than {limit}",
    "multipleOf": "must be a multiple of {limit}",
    "minLength": "must have at least {limit} character{s}",
    "maxLength": "must have at most {limit} character{s}",
    "minItems": "must have at least {limit} row{s}",
    "maxItems": "must have at most {limit} row{s}",
    "minProperties": "must have at least {limit} name{s}",
    "maxProperties": "must have at most {limit} name{s}",
}


def number(limit: Any) -> str:
    """Return a limit as people write it: 1, not 1.0."""
    whole = isinstance(limit, float) and limit.is_integer() and abs(limit) < 1e15
    return str(int(limit)) if whole else str(limit)


def shown(value: Any) -> str:
    """Return a value of the contract as it reads in a sentence."""
    return (
        f"“{value}”"
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )


def one_of(members: list[Any]) -> str:
    """Return the members as a choice, cut after eight."""
    if len(members) == 1:
        return shown(members[0])
    listed = ", ".join(shown(member) for member in members[:SHOWN])
    more = len(members) - SHOWN
    return f"one of: {listed}" + (f" … and {more} more" if more > 0 else "")


def describe(schema: Schema, check: Strict) -> str:
    """Return what a schema takes as a noun: "a whole number or null"."""
    flat = check.shapes.flat(schema)
    if "x-file" in flat:
        return "an uploaded file"
    if "const" in flat or "enum" in flat:
        return one_of([flat["const"]] if "const" in flat else flat["enum"])
    types = declared_types(flat)
    if types == ALL_TYPES:
        return "something else"
    told = [name for name in types if name != "null"] or ["null"]
    return " or ".join(NOUNS[name] for name in told)


def describe_any(variants: list[Schema], check: Strict) -> str:
    """Return what any of the variants takes."""
    nouns: list[str] = []
    told = [v for v in variants if check.shapes.types(v) != ("null",)]
    for variant in told or variants:
        flat = check.shapes.flat(variant)
        inner = flat.get("anyOf") or flat.get("oneOf")
        nouns.append(describe_any(inner, check) if inner else describe(variant, check))
    return " or ".join(dict.fromkeys(nouns))
