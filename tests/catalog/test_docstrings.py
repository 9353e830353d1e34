"""C01 and its kind: what a docstring says of a tool and of its parameters."""

import pytest

from catalog.contract import Contract
from catalog.docstrings import parse, summary

FIND_LOGS = """Look for lines in the log store.

    Works on the last few days only.

    Args:
        pattern: What to look for, in one of two forms
            plain: matched as typed
            regex: written between slashes
        days (int, optional): How far back to go. Default: 7

    Use this tool when the user wants to:
    - read errors: with context

    Returns:
        Matching lines, newest first.
    """
NUMPY = """Scale a picture.

    Parameters
    ----------
    width : int
        Pixels across.
    fit : {"crop", "pad"}, optional
        How to fill: crop or pad.

    Returns
    -------
    dict
        What was done.
    """
REST = """Send a letter.

    :param to: Whom it goes to.
    :type to: str
    :param body: What it says,
        over two lines.
    :returns: Its number.
    """


def test_google_block_keeps_wrapped_lines_and_typed_names():
    parsed = parse(FIND_LOGS)
    assert list(parsed.arguments) == ["pattern", "days"]
    assert parsed.arguments["pattern"] == (
        "What to look for, in one of two forms\n"
        "plain: matched as typed\nregex: written between slashes"
    )
    assert parsed.arguments["days"] == "How far back to go. Default: 7"


def test_description_keeps_all_but_the_block():
    description = parse(FIND_LOGS).description
    assert description.startswith(
        "Look for lines in the log store.\n\nWorks on the last few days only.\n\n"
    )
    assert "Use this tool when the user wants to:\n- read errors: with context" in (
        description
    )
    assert "Matching lines, newest first." in description
    assert "Args:" not in description


@pytest.mark.parametrize(
    ("docstring", "arguments"),
    [
        (NUMPY, {"width": "Pixels across.", "fit": "How to fill: crop or pad."}),
        (REST, {"to": "Whom it goes to.", "body": "What it says,\nover two lines."}),
        ("One line only.", {}),
        ("", {}),
        (
            "Join.\n\nArgs:\n    *parts: What to join.\n    **extra: More.",
            {"parts": "What to join.", "extra": "More."},
        ),
        ("Do.\n\nArgs:\n    None\n", {}),
        ("Do.\r\n\r\nArgs:\r\n    a: First.\r\n", {"a": "First."}),
        (
            "Do.\n\nArgs:\n\ta: With a tab.\n\n\tb: Second.",
            {"a": "With a tab.", "b": "Second."},
        ),
        ("Do.\n\nArgs:\n    a:\n        On the next line.", {"a": "On the next line."}),
    ],
)
def test_arguments_of_every_style(docstring, arguments):
    assert parse(docstring).arguments == arguments


def test_documented_name_that_is_no_parameter_is_a_note():
    contract = Contract.from_declaration(
        {
            "name": "x",
            "dialect": "function",
            "docstring": "Do.\n\nArgs:\n    a: First.\n    ghost: Nowhere.",
            "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
        }
    )
    assert contract.parameters["properties"]["a"]["description"] == "First."
    assert contract.notes == ["The docstring describes `ghost`, which is no parameter."]


def test_own_description_of_a_parameter_wins():
    contract = Contract.from_declaration(
        {
            "name": "x",
            "dialect": "function",
            "docstring": "Do.\n\nArgs:\n    a: From the docstring.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "string", "description": "Its own."}},
            },
        }
    )
    assert contract.parameters["properties"]["a"]["description"] == "Its own."


def test_summary_is_the_first_paragraph_as_one_line():
    assert summary("Look\nfor it.\n\nMore.") == "Look for it."
    assert len(summary("word " * 100)) <= 200
    assert summary("") == ""


def test_docstring_that_is_the_description_is_shown_without_its_block():
    declared = {
        "name": "x",
        "dialect": "function",
        "description": FIND_LOGS,
        "docstring": FIND_LOGS,
        "parameters": {"type": "object", "properties": {"pattern": {}, "days": {}}},
    }
    contract = Contract.from_declaration(declared)
    assert contract.description == parse(FIND_LOGS).description
    other = Contract.from_declaration(declared | {"description": "Its own words."})
    assert other.description == "Its own words."
