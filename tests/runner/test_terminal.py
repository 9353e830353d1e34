"""What a terminal would show: colours, carriage returns, nothing dropped."""

import pytest

from runner.terminal import Terminal


def seen(*texts, stream="stdout"):
    terminal = Terminal()
    for text in texts:
        terminal.write(stream, text)
    return [(one.classes, one.text) for one in terminal.segments]


def test_plain_text_stays_as_it_is():
    assert seen("one\n", "two <b>\n") == [("", "one\ntwo <b>\n")]


def test_streams_are_told_apart():
    terminal = Terminal()
    terminal.write("stdout", "out\n")
    terminal.write("stderr", "err\n")
    assert [one.classes for one in terminal.segments] == ["", "stderr"]


def test_a_progress_bar_is_one_line():
    bar = [f"\r{n} %" for n in range(101)]
    assert seen("begin\n", *bar, "\nend\n") == [("", "begin\n100 %\nend\n")]


def test_a_return_before_a_line_end_erases_nothing():
    assert seen("kept\r\n", "also\r", "\n") == [("", "kept\nalso\n")]


@pytest.mark.parametrize(
    ("codes", "classes"),
    [
        ("31", "ansi-1"),
        ("1;31", "ansi-1 ansi-bold"),
        ("91", "ansi-9"),
        ("38;5;208", ""),
        ("38;2;1;2;3;4", "ansi-underline"),
        ("", ""),
    ],
)
def test_colours_become_classes(codes, classes):
    assert seen(f"\x1b[{codes}mred") == [(classes, "red")]


def test_a_reset_ends_all_looks():
    assert seen("\x1b[1;31mred\x1b[0m plain") == [
        ("ansi-1 ansi-bold", "red"),
        ("", " plain"),
    ]


def test_a_new_colour_replaces_the_old():
    assert seen("\x1b[31mred\x1b[32mgreen\x1b[39mplain") == [
        ("ansi-1", "red"),
        ("ansi-2", "green"),
        ("", "plain"),
    ]


def test_other_sequences_are_not_shown():
    assert seen("\x1b[2J\x1b]0;title\x07text\x1b[?25l") == [("", "text")]
