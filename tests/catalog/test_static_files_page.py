"""Static files as the ASGI server hands them out."""

import pytest
from django.templatetags.static import static

from tests.environment import ROOT


@pytest.fixture
def style(static_files):
    return static("css/tokens.css")


async def test_a_file_comes_whole_and_may_be_kept_for_ever(async_client, style):
    answer = await async_client.get(style)
    assert answer.content == (ROOT / "static/css/tokens.css").read_bytes()
    assert answer["Content-Type"].startswith("text/css")
    assert "immutable" in answer["Cache-Control"]


async def test_a_file_comes_compressed_to_those_who_read_that(async_client, style):
    answer = await async_client.get(style, headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert int(answer["Content-Length"]) == len(answer.content)


async def test_a_known_file_is_not_sent_again(async_client, style):
    seen = (await async_client.get(style))["Last-Modified"]
    answer = await async_client.get(style, headers={"If-Modified-Since": seen})
    assert (answer.status_code, answer.content) == (304, b"")


async def test_a_missing_file_is_404(async_client, db):
    assert (await async_client.get("/static/css/none.css")).status_code == 404
