"""Axe finds nothing on any page, in light and in dark, wide and narrow."""

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings as configured
from playwright.async_api import expect

from catalog import sync as syncing
from catalog.actions import switch_tool
from catalog.models import Source
from runner import events
from runner.events import Item
from runner.models import Worker

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Which picture"},
        "width": {"type": "integer", "default": 800},
        "fit": {"enum": ["crop", "pad"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "options": {},
    },
    "required": ["path"],
}
VALUE = {"path": "small.png", "rows": [{"a": 1}, {"a": 2}], "meta": {"deep": [1, None]}}


@pytest.fixture
def furnished(tool_factory, run_factory, root):
    """A board with something of everything on it."""
    tool = tool_factory(
        "resize", description="Resize.\n\n" + "More.\n\n" * 20, parameters=SCHEMA,
        tags=["images"], timeout=120, needs_approval=True,
    )  # fmt: skip
    off = tool_factory("old")
    switch_tool(tool=off, by=root, enabled=False, reason="moving", door="page")
    Source.objects.update(problems=[{"reference": "x", "reason": "broken"}])
    syncing.failed("time", "the host did not come up")
    Worker.objects.create(name="w", machine="board", pid=1, queues=["default"])
    running = run_factory(root, tool, state="running", arguments={"path": "a"})
    texts = [("stdout", "one\n"), ("stderr", "\x1b[31mtwo\x1b[0m\n")]
    events.append(
        running,
        [Item("output", {"stream": s, "text": t, "offset": 0}) for s, t in texts],
    )
    outcome = {
        "value": VALUE,
        "message": "Done.",
        "notes": [{"pointer": "/a", "kind": "set"}],
    }
    return {
        "tool": tool,
        "off": off,
        "running": running,
        "queued": run_factory(root, tool),
        "ended": run_factory(root, tool, state="succeeded", outcome=outcome),
        "preview": run_factory(
            root, tool, state="succeeded", shade="preview", outcome=outcome
        ),
        "failed": run_factory(
            root, tool, state="failed",
            outcome={"error": "no", "suggestion": "yes", "traceback": "File x"},
        ),
    }  # fmt: skip


def paths(board):
    runs = [
        f"/runs/{board[name].pk}/"
        for name in ("running", "queued", "ended", "preview", "failed")
    ]
    tools = [board[name].get_absolute_url() for name in ("tool", "off")]
    lists = ["/", "/?q=resize", "/?q=nothing", "/runs/", "/runs/wall/", "/sources/"]
    return [
        *lists,
        "/audit/",
        "/account/",
        "/account/password/",
        "/nothing/",
        "/api/v1/docs",
        *tools,
        *runs,
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
async def test_axe_finds_nothing(tab, axe, root, furnished, scheme, width):
    page = await tab(
        root, color_scheme=scheme, allow=["404"], reduced_motion="reduce",
        viewport={"width": width, "height": 900},
    )  # fmt: skip
    found = {}
    for path in paths(furnished):
        await page.goto(path)
        wide = await page.evaluate("document.documentElement.scrollWidth")
        found[path] = [
            *await axe(page),
            *([("too wide", wide)] if wide > width else []),
        ]
    assert {path: faults for path, faults in found.items() if faults} == {}


async def test_axe_finds_nothing_when_a_form_is_wrong(tab, axe, root, furnished):
    page = await tab(root)
    await page.goto(furnished["tool"].get_absolute_url())
    await page.get_by_role("button", name="Start").last.click()
    await expect(page.get_by_role("alert")).to_be_visible()
    assert await axe(page) == []


async def test_axe_finds_nothing_on_the_pieces_and_the_sign_in(
    tab, axe, alice, settings
):
    page = await tab(alice)
    configured.DEBUG = True
    try:
        await page.goto("/patterns/")
        assert await axe(page) == []
    finally:
        configured.DEBUG = False
    stranger = await tab()
    await stranger.goto("/login/")
    assert await axe(stranger) == []


async def test_the_end_of_a_run_is_told_to_screen_readers(tab, root, furnished):
    page = await tab(root)
    await page.goto(f"/runs/{furnished['running'].pk}/")
    await sync_to_async(events.move)(furnished["running"], events.State.SUCCEEDED)
    await expect(page.locator("[data-said-state]")).to_have_text("Succeeded")
    assert await page.locator("[data-output]").get_attribute("aria-live") is None
