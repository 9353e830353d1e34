"""Strict JSON, with the line and column of what is wrong."""

import pytest

from catalog.schema import JSONFault, loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12345678901234567890123", 12345678901234567890123),
        ('{"a": [1, 1.5, null, true, "x"]}', {"a": [1, 1.5, None, True, "x"]}),
        ('"\\u00e5 \\ud83d\\ude00"', "å 😀"),
        ('{"a": {"a": 1}, "b": {"a": 2}}', {"a": {"a": 1}, "b": {"a": 2}}),
        ('["a", "a", "NaN"]', ["a", "a", "NaN"]),
        ("[" * 100 + "]" * 100, None),
    ],
)
def test_json_is_read_exactly(text, value):
    assert loads(text) == value or value is None


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"depth": 2,', 1, 13, "a name in double quotes is expected here"),
        ('{"a": 1,\n "a": 2}', 2, 2, "this name is given twice"),
        ('{"a": 1, "\\u0061": 2}', 1, 10, "this name is given twice"),
        ("[1,\nNaN]", 2, 1, "NaN is not a number in JSON"),
        ("[-Infinity]", 1, 2, "-Infinity is not a number in JSON"),
        ("[1e400]", 1, 2, "this number is too big"),
        ("1" * 5000, 1, 1, "a number of more than 4000 digits"),
        ('"\\ud800"', 1, 1, "half of a character (a lone surrogate)"),
        ('"\\u0000"', 1, 1, "the character NUL cannot be stored"),
        ("[" * 101, 1, 101, "more than 100 levels"),
        ("[" * 100_000, 1, 101, "more than 100 levels"),
        ("{} x", 1, 4, "the JSON ends before this; there is more text after it"),
        ("", 1, 1, "a value is expected here"),
        ("{'a': 1}", 1, 2, "a name in double quotes is expected here"),
        ('{"a" 1}', 1, 6, "a colon is expected here"),
        ('["a]', 1, 2, "the text that starts here has no closing quote"),
    ],
)
def test_what_is_wrong_is_placed(text, line, column, words):
    with pytest.raises(JSONFault) as caught:
        loads(text)
    fault = caught.value
    assert (fault.line, fault.column, fault.message) == (line, column, words)
    assert str(fault) == f"line {line}, column {column}: {words}"
