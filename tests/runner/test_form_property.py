"""Whatever a contract lets through a person can fill in, and the tool gets that."""

import json
import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, note, seed, settings

from catalog.schema import loads, secret_pointers, validate
from runner import forms
from runner.forms.placing import walk

from .browsing import Page
from .contracts import contracts

pytestmark = pytest.mark.timeout(300)
# A change is judged by the same examples each time; whoever works on it explores.
CHOSEN = "1" if os.environ.get("CI") else random.randrange(10**9)
SEED = int(os.environ.get("FORM_SEED", CHOSEN))
EXAMPLES = int(os.environ.get("FORM_EXAMPLES", "2000"))
QUICKLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def same(value: Any, other: Any) -> bool:
    """Tell 1 from 1.0 and from true, which Python does not."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


def prepared(contract: tuple[dict[str, Any], Any]) -> tuple[dict[str, Any], Any]:
    schema, value = contract
    meant, faults = validate(value, schema)
    assume(not faults)
    note(f"FORM_SEED={SEED}")
    return schema, meant


def fill(schema: dict[str, Any], value: Any) -> Page:
    """Fill a blank form in as a person would: type, pick, and press its buttons."""
    target = forms.build(schema, arguments=value)
    wanted = Page(str(target)).post()
    wanted |= {f"arg:{n.path}": n.text for n in walk(target.root) if n.secret}
    page = Page(str(forms.build(schema)))
    if any(name.startswith("raw:") for name in wanted):
        return by_json(schema, page, value)
    for _ in range(200):
        if not can_type(page, wanted):
            return by_json(schema, Page(str(forms.build(schema))), value)
        type_all(page, wanted)
        button = next_button(page, wanted)
        if button is None:
            break
        page = Page(str(forms.read(schema, page.post(button))))
    posted = page.post()
    differs = [n for n in wanted if n not in posted or not alike(wanted[n], posted[n])]
    assert differs == []
    return page


def alike(wanted: str, posted: str) -> bool:
    return wanted == posted or {wanted, posted} == {"default", "leave"}


def can_type(page: Page, wanted: dict[str, str]) -> bool:
    """Tell whether controls can hold it: no line breaks in one line, no other zone."""
    now = page.post()
    zones = [n for n in wanted if n.startswith("zone:") and n in now]
    lines = all(page.takes(name, text) for name, text in wanted.items())
    return lines and all(now[name] == wanted[name] for name in zones)


def type_all(page: Page, wanted: dict[str, str]) -> None:
    shown = {control.name for control in page.controls if control.kind != "hidden"}
    ticks = {c.name for c in page.controls if c.kind == "checkbox"}
    for name in shown:
        if name in wanted:
            text = wanted[name].replace("\r\n", "\n")
            text = page.left_out(name) if text == "default" else text
            if page.offers(name, text):
                page.type(name, text)
        elif name in ticks:
            page.type(name, "")


def next_button(page: Page, wanted: dict[str, str]) -> str | None:
    """Return the next button to press to get to the wanted form, if any is left."""
    now = {control.name: control.value for control in page.controls}
    for name, text in wanted.items():
        what, _, path = name.partition(":")
        if what == "shown" and now.get(name, text) != text:
            return f"pick:{path}"
        if what == "open" and name not in now and f"open:{path}" in page.buttons:
            return f"open:{path}"
        if what == "rows" and name in now and int(now[name]) < int(text):
            return f"add:{path}"
        if what == "rows" and name in now and int(now[name]) > int(text):
            return last_row(page, path)
    boxes = [name[4:] for name in now if name.startswith("raw:")]
    return next((f"plain:{path}" for path in boxes), None)


def last_row(page: Page, path: str) -> str:
    rows = [b for b in page.buttons if b.startswith(f"remove:{path}/")]
    return [row for row in rows if "/" not in row[len(f"remove:{path}/") :]][-1]


def by_json(schema: dict[str, Any], page: Page, value: Any) -> Page:
    """Go over the JSON side, as for a text that no control can hold."""
    page = Page(str(forms.read(schema, page.post("json"))))
    page.type("json", json.dumps(value))
    back = forms.read(schema, page.post("form"))
    page = Page(str(back))
    for node in walk(back.root):
        if node.secret and not node.raw:
            page.type(f"arg:{node.path}", node.text)
    return page


@seed(SEED)
@QUICKLY
@given(contracts())
def test_a_form_filled_in_gives_the_value_meant(contract):
    schema, value = prepared(contract)
    form = forms.read(schema, fill(schema, value).post())
    assert form.faults == []
    assert same(form.arguments, value)


@seed(SEED)
@settings(QUICKLY, max_examples=EXAMPLES // 4)
@given(contracts())
def test_form_to_json_and_back_loses_nothing(contract):
    schema, value = prepared(contract)
    form = forms.build(schema, arguments=value)
    assume(secret_pointers(schema, value) == [])
    there = forms.read(schema, Page(str(form)).post("json"))
    assert there.is_json
    assert same(loads(there.text), value)
    back = forms.read(schema, Page(str(there)).post("form"))
    assert not back.is_json
    again = forms.read(schema, Page(str(back)).post())
    assert again.faults == []
    assert same(again.arguments, value)
