"""Advice to authors: one line per thing that a model will misread."""

import pytest

from catalog.advice import advise, twins
from catalog.contract import Contract

GOOD = "Find lines in the log store.\n\nUse this tool when the user asks about errors."


def advice(description=GOOD, **properties):
    schema = {"type": "object", "properties": properties}
    return advise(
        Contract(name="x", dialect="gaia", description=description,
                 summary=description.split("\n")[0], parameters=schema)
    )  # fmt: skip


def test_well_described_tool_gets_no_advice():
    assert advice(a={"type": "string", "description": "What to find"}) == []


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("", "no description"),
        ("Search.", "says too little"),
        ("Find lines in the log store, newest first.", "when to use it"),
    ],
)
def test_description_that_a_model_misreads(description, words):
    assert any(words in line for line in advice(description))


def test_bare_and_untyped_parameters_are_named():
    found = advice(a={"type": "string"}, b={"description": "Anything"})
    assert found == ["Without a description: `a`.", "Of unknown type: `b`."]


def test_tools_described_almost_alike_are_named():
    others = {
        "a": "Search for notes in the folder.",
        "b": "Search for notes in that folder.",
        "c": "Delete everything at once.",
    }
    assert "`b`" in twins("a", others["a"], others)[0]
    assert twins("c", others["c"], others) == []
