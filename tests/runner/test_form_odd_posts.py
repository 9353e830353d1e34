"""A post that no form of ours would make is an answer with faults, never a crash."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.schema import normalise
from runner import forms

from .browsing import Page
from .test_form_faults import LOGIN
from .test_form_presence import BOOK
from .test_form_rows import SHIP
from .test_form_unions import SEND
from .test_form_values import REMIND

FILLED: list[tuple[dict, dict]] = [
    (
        SHIP,
        {"lines": [{"sku": "a"}, {"sku": "b"}], "tree": {"name": "n", "link": None}},
    ),
    (SEND, {"target": {"kind": "url", "href": "h"}, "retries": "never"}),
    (BOOK, {"room": "r", "tags": ["a"], "extra": {"k": 1}}),
    (REMIND, {"day": "2024-03-10", "at": "2024-03-10T00:30:00Z", "every": "P1D"}),
    (LOGIN, {"name": "n", "sizes": [1], "options": {"a": []}}),
]
FORMS = [
    (
        normalise(schema),
        Page(str(forms.build(normalise(schema), arguments=given))).post(),
    )
    for schema, given in FILLED
]
TEXTS = st.sampled_from(
    ["", "0", "1", "-1", "99999999999", "null", "empty", "{", "é", "\0", "../x"]
)
VERBS = st.sampled_from(
    ["add", "remove", "up", "down", "open", "pick", "plain", "json", "form", "", "?"]
)
PATHS = st.sampled_from(
    ["", "/", "/lines", "/lines/0", "/lines/x", "/tree", "/target", "/extra/~+0", "/~"]
)
KINDS = st.sampled_from(["arg", "how", "rows", "key", "pick", "shown", "raw", "was"])


@st.composite
def posts(draw):
    schema, post = draw(st.sampled_from(FORMS))
    post = dict(post)
    for name in draw(st.lists(st.sampled_from(sorted(post)), max_size=6)):
        post.pop(name, None)
    for name in draw(st.lists(st.sampled_from(sorted(post)), max_size=6)):
        post[name] = draw(TEXTS)
    for _ in range(draw(st.integers(0, 3))):
        post[f"{draw(KINDS)}:{draw(PATHS)}"] = draw(TEXTS)
    if draw(st.booleans()):
        post["do"] = f"{draw(VERBS)}:{draw(PATHS)}"
    return schema, post


@settings(max_examples=400, deadline=None, database=None)
@given(posts())
def test_any_post_is_read_and_shown_again(odd):
    schema, post = odd
    form = forms.read(schema, post)
    assert form.is_valid in (True, False)
    again = forms.read(schema, Page(str(form)).post())
    assert str(again)


@pytest.mark.parametrize("rows", ["999999", "-1", "1e9", "x"])
def test_the_number_of_rows_is_bounded(rows):
    form = forms.read(normalise(BOOK), {"arg:/room": "r", "rows:/tags": rows})
    assert sum(len(child.children) for child in form.root.children) <= 1000


def test_names_that_are_not_of_this_form_are_not_believed():
    post = {"arg:/room": "r", "arg:/ctx": "x", "how:/user_id": "value"}
    assert forms.read(normalise(BOOK), post).arguments == {"room": "r"}


def test_alternatives_around_the_whole_are_fields_of_the_form():
    schema = normalise(
        {
            "properties": {"a": {"type": "string"}},
            "anyOf": [
                {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
                {"properties": {"c": {"type": "integer"}}, "required": ["c"]},
            ],
        }
    )
    form = forms.read(schema, {"arg:/c": "3"})
    assert (form.arguments, form.faults) == ({"c": 3}, [])
    assert len(forms.read(schema, {"arg:/a": "x"}).faults) == 1
