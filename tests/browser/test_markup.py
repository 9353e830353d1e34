"""C37: what a tool controls is shown as typed, and never runs."""

import pytest
from asgiref.sync import sync_to_async
from django.core.files.base import ContentFile
from playwright.async_api import expect

from runner import events
from runner.events import Item
from runner.models import Artifact, State

EVIL = (
    "<img src=x onerror=\"window.hit=1\"><b>bold</b> <class 'int'> &lt; </script>"
    " javascript:window.hit=1 [x](javascript:window.hit=1)"
)
SCHEMA = {
    "type": "object",
    "title": EVIL,
    "properties": {
        "a": {"type": "string", "title": EVIL, "description": EVIL, "default": EVIL},
        "b": {"enum": [EVIL, "b"]},
        "c": {"enum": [EVIL, *map(str, range(20))]},
    },
}


@pytest.fixture
def evil(tool_factory, run_factory, root):
    tool = tool_factory(
        "evil", description=EVIL, display_label=EVIL, title=EVIL, tags=[EVIL],
        parameters=SCHEMA, warnings=[EVIL],
    )  # fmt: skip
    outcome = {
        "value": {EVIL: EVIL, "rows": [{EVIL: EVIL}]}, "message": EVIL, "error": EVIL,
        "suggestion": EVIL, "traceback": EVIL, "model_text": EVIL, "exception": EVIL,
        "notes": [{"pointer": EVIL, "kind": EVIL}],
    }  # fmt: skip
    ended = run_factory(root, tool, state="failed", outcome=outcome, reason=EVIL)
    file = Artifact(run=ended, name=EVIL, media_type="text/html", size=9)
    file.file.save(f"runs/{ended.pk}/page.html", ContentFile(EVIL.encode()))
    return ended, run_factory(root, tool, state="running", arguments={"a": EVIL})


async def harmless(page):
    assert await page.evaluate("window.hit") is None
    assert await page.locator("a[href^='javascript' i]").count() == 0
    assert await page.locator("b, img[src=x]").count() == 0


async def test_markup_of_a_tool_is_text_on_every_page(tab, root, evil):
    ended, running = evil
    page = await tab(root)
    for path in (
        "/", "/?q=bold", "/tools/demo/evil/", "/runs/", f"/runs/{ended.pk}/",
        f"/runs/{running.pk}/", "/runs/wall/", "/sources/",
        f"/admin/runner/run/{ended.pk}/change/", "/admin/catalog/tool/",
    ):  # fmt: skip
        await page.goto(path)
        await harmless(page)


async def test_markup_that_arrives_live_is_text(tab, root, evil):
    _, run = evil
    page, elsewhere = await tab(root), await tab(root)
    await page.goto(f"/runs/{run.pk}/")
    await elsewhere.goto("/sources/")
    progress = {"fraction": 0.5, "current": 1, "total": 2, "message": EVIL}
    items = [
        Item("output", {"stream": "stdout", "text": f"{EVIL}\n", "offset": 0}),
        Item("progress", progress),
        Item("label", {"text": EVIL}),
        Item("note", {"text": EVIL}),
    ]
    await sync_to_async(events.append)(run, items, progress=progress, label=EVIL)
    for where in (page, elsewhere):
        await expect(where.locator("[data-strip-message]")).to_have_text(EVIL)
    assert await page.locator("[data-output]").text_content() == f"{EVIL}\n"
    outcome = {"value": EVIL, "error": EVIL}
    await sync_to_async(events.move)(run, State.FAILED, reason=EVIL, outcome=outcome)
    await expect(page.locator("[data-part=head] .state")).to_have_text("Failed")
    await expect(page.locator("[data-part=result]")).to_contain_text(EVIL)
    await harmless(page)
    await harmless(elsewhere)
