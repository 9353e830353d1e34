"""Static files as the ASGI server hands them out."""

import pytest
from django.templatetags.static import static

from tests.environment import ROOT
from tests.serving import fetch

# The threads of the application look after their connections at every request.
pytestmark = pytest.mark.django_db(transaction=True)
STYLE = (ROOT / "static/css/tokens.css").read_bytes()


@pytest.fixture
def style(static_files):
    return static("css/tokens.css")


async def test_a_file_comes_whole_and_may_be_kept_for_ever(style):
    answer = await fetch(style, **{"Accept-Encoding": "identity"})
    assert answer.content == STYLE
    assert answer.headers["Content-Type"].startswith("text/css")
    assert "immutable" in answer.headers["Cache-Control"]


async def test_a_file_comes_compressed_to_those_who_read_that(style):
    answer = await fetch(style, **{"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.content == STYLE
    assert int(answer.headers["Content-Length"]) == answer.num_bytes_downloaded
    assert answer.num_bytes_downloaded < len(STYLE)


async def test_a_known_file_is_not_sent_again(style):
    seen = (await fetch(style)).headers["Last-Modified"]
    answer = await fetch(style, **{"If-Modified-Since": seen})
    assert (answer.status_code, answer.content) == (304, b"")


async def test_a_missing_file_is_404():
    assert (await fetch("/static/css/none.css")).status_code == 404
