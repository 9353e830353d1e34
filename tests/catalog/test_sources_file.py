"""The sources file: a wrong entry is one line, before any host is started."""

from pathlib import Path

import pytest

from catalog.sources import parse

HERE = Path(__file__).parent
FITS, TOO_LONG = "n" * 60, "n" * 61


def test_a_name_as_long_as_its_row_is_taken():
    config = parse(FITS, {"tools": ["a"], "queue": FITS}, HERE)
    assert (config.name, config.queue) == (FITS, FITS)


def test_a_name_longer_than_its_row_is_refused():
    with pytest.raises(ValueError, match="a source's name has at most 60 characters"):
        parse(TOO_LONG, {"tools": ["a"]}, HERE)


@pytest.mark.parametrize("queue", [TOO_LONG, "a\0b", ""])
def test_a_queue_that_no_row_can_hold_is_refused(queue):
    with pytest.raises(ValueError, match="queue must be"):
        parse("s", {"tools": ["a"], "queue": queue}, HERE)
