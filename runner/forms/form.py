"""The whole form: built from values, read from a post, shown as fields or as JSON."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.safestring import SafeString

from catalog.schema import (
    JSONFault,
    Schema,
    dumps,
    loads,
    secret_pointers,
    take,
    validate,
)

from .given import Given
from .growing import Grower
from .look import Node
from .moves import press
from .node import ABSENT
from .placing import Problem, is_told, json_problem, placed, point_at_first, walk
from .posted import Posted
from .reaping import Reaper

Store = Callable[["UploadedFile[Any]", str], int | str]
SECRET_NOTE = "Type it again: it is not kept between tries."  # noqa: S105
KEPT = ("was:", "pick:")


@dataclass
class Form:
    """A form as it is shown and as it was read.

    `action` is the button that was pressed, if it was one of the form's own: show
    the form again and start nothing. Without `action` and `faults`, `arguments` are
    what was meant.
    """

    root: Node
    timezone: str = "UTC"
    arguments: dict[str, Any] = field(default_factory=dict)
    faults: list[Problem] = field(default_factory=list)
    action: str | None = None
    side: str = "form"
    text: str = ""
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def is_valid(self) -> bool:
        """Tell whether `arguments` may be handed to the tool."""
        return not self.faults and self.action is None

    @property
    def is_json(self) -> bool:
        return self.side == "json"

    @cached_property
    def has_files(self) -> bool:
        """Tell whether the form must be posted as multipart/form-data."""
        return any(node.kind == "file" for node in walk(self.root))

    def __str__(self) -> SafeString:
        return render_to_string("runner/form.html", {"form": self})

    __html__ = __str__


def build(
    schema: Schema,
    *,
    arguments: dict[str, Any] | None = None,
    timezone: str = "UTC",
    suggestions: Mapping[str, list[str]] | None = None,
) -> Form:
    """Return the form of a contract's parameters, filled with `arguments`.

    `suggestions` offers texts for a field, by pointer.
    """
    root = Grower(schema, timezone).root(Given(arguments or {}))
    _suggest(root, suggestions or {})
    return Form(root, timezone)


def read(
    schema: Schema,
    post: QueryDict | Mapping[str, str],
    *,
    timezone: str = "UTC",
    files: Mapping[str, Any] | None = None,
    store: Store | None = None,
    suggestions: Mapping[str, list[str]] | None = None,
) -> Form:
    """Return the form as it was posted, with its arguments and its faults.

    `store` keeps an uploaded file of `files` and returns the id to carry for it.
    """
    typed = _single(post) | _stored(files or {}, store)
    reader = _Reader(schema, timezone, typed)
    form = reader.read()
    _suggest(form.root, suggestions or {})
    return form


def _single(post: QueryDict | Mapping[str, str]) -> dict[str, str]:
    """Return the last text of each control: a ticked box comes after its "no"."""
    return {name: str(post[name]) for name in post}


def _stored(files: Mapping[str, Any], store: Store | None) -> dict[str, str]:
    typed = {}
    for name, upload in files.items():
        what, _, path = name.partition(":")
        if what == "file" and upload and store is not None:
            typed[f"arg:{path}"] = str(store(upload, path))
            typed[f"name:{path}"] = str(upload.name)
            typed[f"how:{path}"] = "value"
    return typed


def _suggest(root: Node, suggestions: Mapping[str, list[str]]) -> None:
    for node in walk(root):
        if node.secret:
            continue
        examples = [_typed(each) for each in node.flat.get("examples", ())]
        offered = [*suggestions.get(node.pointer, ()), *examples]
        node.suggestions = tuple(dict.fromkeys(text for text in offered if text))


def _typed(example: Any) -> str:
    """Return an example as a person would type it, or "" where none can be typed."""
    if isinstance(example, bool) or not isinstance(example, str | int | float):
        return ""
    return example if isinstance(example, str) else json.dumps(example)


class _Reader:
    """One reading of a post."""

    def __init__(self, schema: Schema, timezone: str, post: dict[str, str]) -> None:
        self.schema, self.timezone, self.post = schema, timezone, post
        self.grower = Grower(schema, timezone)

    def read(self) -> Form:
        button = self.post.get("do", "")
        if self.post.get("side") == "json":
            return self._from_json(button)
        if button == "json":
            return self._to_json()
        if button:
            return self._pressed(button)
        return self._submitted()

    def _root(self, post: dict[str, str]) -> Node:
        return self.grower.root(Posted({**post, "arg:": ""}))

    def _submitted(self) -> Form:
        root = self._root(self.post)
        switched = next((node for node in walk(root) if _is_switched(node)), None)
        if switched is not None:
            return self._pressed(f"pick:{switched.path}")
        form = self._reaped(root)
        point_at_first(form.root, form.faults)
        return form

    def _pressed(self, button: str) -> Form:
        """Show the form as the button leaves it; faults wait for the submit."""
        before = self._root(self.post)
        secret = {node.path for node in walk(before) if node.secret}
        root = self._root(press(self.post, button, secret))
        form = Form(root, self.timezone, action=button)
        _note_secrets(form)
        _focus(form, button)
        return form

    def _reaped(self, root: Node) -> Form:
        reaper = Reaper(self.grower)
        value = reaper.reap(root)
        own = [node for node in walk(root) if node.fault]
        value, found = validate(value, self.schema, chosen=reaper.chosen)
        found = [fault for fault in found if not is_told(fault.pointer, own)]
        faults = placed(root, own, found)
        form = Form(root, self.timezone, arguments=value, faults=faults)
        if faults:
            _note_secrets(form)
        return form

    def _to_json(self) -> Form:
        root = self._root(self.post)
        form = self._reaped(root)
        form.action = "json"
        lost = [node for node in walk(root) if node.stuck]
        if lost:
            form.faults = [p for p in form.faults if p.anchor in {n.id for n in lost}]
            point_at_first(form.root, form.faults)
            return form
        arguments, _ = take(
            form.arguments, secret_pointers(self.schema, form.arguments)
        )
        form.kept = {n: t for n, t in self.post.items() if n.startswith(KEPT)}
        form.side, form.text, form.faults = "json", dumps(arguments), []
        return form

    def _from_json(self, button: str) -> Form:
        text = self.post.get("json", "").replace("\r\n", "\n")
        kept = {n: t for n, t in self.post.items() if n.startswith(KEPT)}
        form = Form(self.grower.root(Given({})), self.timezone, side="json", text=text)
        form.kept, form.action = kept, button or None
        try:
            value = loads(text) if text.strip() else {}
        except JSONFault as fault:
            form.faults = [json_problem(str(fault))]
            return form
        if not isinstance(value, dict):
            form.faults = [json_problem("the arguments are an object: { … }")]
            return form
        form.arguments, found = validate(value, self.schema)
        form.faults = placed(self.grower.root(Given(value)), [], found, anchor="json")
        return self._as_form(value, kept) if button == "form" else form

    def _as_form(self, value: dict[str, Any], kept: dict[str, str]) -> Form:
        root = self.grower.root(Given(value, kept))
        _keep(root, kept)
        arguments, found = validate(value, self.schema)
        faults = placed(root, [], found)
        form = Form(root, self.timezone, arguments, faults, action="form")
        point_at_first(form.root, form.faults)
        return form


def _is_switched(node: Node) -> bool:
    """Tell whether another variant was picked than the one that is shown."""
    return node.kind == "union" and node.shown is not None and node.pick != node.shown


def _note_secrets(form: Form) -> None:
    for node in walk(form.root):
        if node.secret and node.text:
            node.note = SECRET_NOTE


def _focus(form: Form, button: str) -> None:
    """Put the cursor where the button led."""
    verb, _, path = button.partition(":")
    nodes = {node.path: node for node in walk(form.root)}
    node = nodes.get(path)
    if verb == "add" and node is not None and node.children:
        node = _first_control(node.children[-1])
    if node is not None:
        node.focus = True


def _first_control(node: Node) -> Node:
    while node.kind == "group" and node.children:
        node = node.children[0]
    return node


def _keep(root: Node, kept: dict[str, str]) -> None:
    for node in walk(root):
        start = f"was:{node.path}/"
        node.kept = {n: text for n, text in kept.items() if n.startswith(start)}


def starting(schema: Schema, query: QueryDict) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments that an address gives, and what it says wrongly.

    `?args={…}` gives them all, `?arg.name=value` one; secrets are not taken.
    """
    arguments: dict[str, Any] = {}
    wrong = []
    try:
        given = loads(query.get("args") or "{}")
        arguments = given if isinstance(given, dict) else {}
    except JSONFault as fault:
        wrong.append(f"args: {fault}")
    grower = Grower(schema, "UTC")
    for name, text in query.items():
        if name.startswith("arg."):
            _start(grower, arguments, name.removeprefix("arg."), str(text))
    arguments, _ = take(arguments, secret_pointers(schema, arguments))
    return arguments, wrong


def _start(grower: Grower, arguments: dict[str, Any], name: str, text: str) -> None:
    root = grower.root(Given({}))
    node = next((child for child in root.children if child.name == name), None)
    if node is None:
        arguments[name] = text
        return
    node.text, node.how = text, "value"
    if node.kind in ("list", "group", "union", "json"):
        node.raw = True
    value = Reaper(grower).reap(node)
    if value is not ABSENT:
        arguments[name] = value


__all__ = ["Form", "Problem", "build", "read", "starting", "walk"]
