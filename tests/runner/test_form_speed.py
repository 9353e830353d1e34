"""A form is quick to make, however much a contract asks for."""

import time

from django.forms import CharField, Form

from catalog.schema import normalise
from runner import forms

KINDS = [
    {"type": "string", "description": "Help text"},
    {"type": "integer", "minimum": 0},
    {"type": "boolean", "default": True},
    {"enum": ["a", "b", "c"], "default": "a"},
    {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    {"type": "array", "items": {"type": "string"}, "default": []},
]


def quickest(make, times=7):
    """Return the best of some tries, in processor time: others may be at work."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        make()
        taken.append(time.process_time() - start)
    return min(taken)


def test_three_hundred_fields_are_rendered_as_fast_as_a_plain_django_form():
    """About half of its time, and a twentieth of a second, where it was measured."""
    fields = {f"field_{i}": KINDS[i % len(KINDS)] for i in range(300)}
    schema = normalise({"properties": fields})
    text = CharField(help_text="Help text")
    plain = type("Plain", (Form,), dict.fromkeys(fields, text))
    ours = quickest(lambda: str(forms.build(schema)))
    assert ours < quickest(lambda: plain().as_div())


def test_a_thousand_members_do_not_fill_the_page():
    schema = normalise({"properties": {"x": {"enum": [f"m{i}" for i in range(1000)]}}})
    html = str(forms.build(schema))
    assert "<datalist" in html
    assert '<select name="arg:' not in html
    assert len(html) < 60_000
