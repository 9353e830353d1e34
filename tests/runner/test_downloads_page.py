"""Files and output on their way out: for those who may, never opened in the site."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.core.files.base import ContentFile
from django.db import connection, connections

from runner import events
from runner.events import Item
from runner.models import Artifact, Run, State
from runner.output import whole
from tests.serving import fetch

pytestmark = pytest.mark.django_db(transaction=True)
HTML = b"<script>window.hit=1</script>"


def give(run, name, content, media_type):
    file = Artifact(run=run, name=name, media_type=media_type, size=len(content))
    file.file.save(f"runs/{run.pk}/{name}", ContentFile(content))


@pytest.fixture(autouse=True)
async def closed_connections():
    """What this loop has threads do has connections of its own."""
    yield
    await sync_to_async(connections.close_all)()


@pytest.fixture
def run(run_factory, alice):
    run = run_factory(alice, state="running")
    give(run, "page.html", HTML, "text/html")
    give(run, "plot.png", b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "image/png")
    return run


async def test_a_file_is_sent_byte_by_byte(run, alice):
    answer = await fetch(f"/runs/{run.pk}/artifacts/plot.png", alice)
    assert answer.content == b"\x89PNG\r\n\x1a\n\x00\xff\xfe"
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_html_is_never_opened_inside_the_site(run, alice):
    answer = await fetch(f"/runs/{run.pk}/artifacts/page.html", alice)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.content == HTML


async def test_a_picture_is_shown_unless_a_download_is_asked_for(run, alice):
    path = f"/runs/{run.pk}/artifacts/plot.png"
    shown, saved = await fetch(path, alice), await fetch(path + "?download", alice)
    assert shown.headers["Content-Disposition"].startswith("inline")
    assert saved.headers["Content-Disposition"].startswith("attachment")


async def test_a_strangers_file_is_404(run, bob):
    for path in ("artifacts/plot.png", "artifacts/none.png", "output/"):
        assert (await fetch(f"/runs/{run.pk}/{path}", bob)).status_code == 404


async def test_without_a_sign_in_there_is_no_file(run):
    answer = await fetch(f"/runs/{run.pk}/artifacts/plot.png")
    assert answer.status_code == 302


def lines(count):
    return [
        Item("output", {"stream": "stdout", "text": f"line {n}\n", "offset": 0})
        for n in range(count)
    ]


async def test_the_whole_output_is_a_text_file(run_factory, alice):
    run = await sync_to_async(run_factory)(alice, state="running")
    await sync_to_async(events.append)(run, lines(300))
    answer = await fetch(f"/runs/{run.pk}/output/", alice)
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.text == "".join(f"line {n}\n" for n in range(300))


def end_elsewhere(run):
    """As a worker does: over a connection of its own."""
    try:
        events.move(run, State.SUCCEEDED)
    finally:
        connection.close()


async def test_a_slow_download_keeps_no_old_state_before_others(run_factory, alice):
    run = await sync_to_async(run_factory)(alice, state="running")
    await sync_to_async(events.append)(run, lines(300))
    download = whole(run)
    await anext(download)
    await asyncio.to_thread(end_elsewhere, run)
    seen = await sync_to_async(Run.objects.get)(pk=run.pk)
    await download.aclose()
    assert seen.state == "succeeded"


async def test_a_download_ends_with_what_was_stored_when_it_began(run_factory, alice):
    run = await sync_to_async(run_factory)(alice, state="running")
    await sync_to_async(events.append)(run, lines(2))
    begun = await sync_to_async(Run.objects.get)(pk=run.pk)
    await sync_to_async(events.append)(run, lines(3))
    pieces = [piece async for piece in whole(begun)]
    assert b"".join(pieces) == b"line 0\nline 1\n"
