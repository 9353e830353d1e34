"""The dock: strips of one's live runs on every page."""

import pytest
from asgiref.sync import sync_to_async
from playwright.async_api import expect

from runner import events
from runner.events import Item
from runner.models import State

append = sync_to_async(events.append)
move = sync_to_async(events.move)


@pytest.fixture
def start(run_factory, alice):
    return lambda: sync_to_async(run_factory)(alice, state="running")


async def test_a_run_that_starts_elsewhere_appears(tab, alice, start):
    page = await tab(alice)
    await page.goto("/sources/")
    await expect(page.locator("[data-dock-box]")).to_be_hidden()
    run = await start()
    await expect(
        page.locator(f"[data-dock-box] [data-strip='{run.pk}']")
    ).to_be_visible()
    await expect(page.locator("[data-dock-count]")).to_have_text("1 run going")


async def test_a_strip_moves_and_tells_its_end(tab, alice, start):
    run = await start()
    page = await tab(alice)
    await page.goto("/sources/")
    strip = page.locator(f"[data-strip='{run.pk}']")
    progress = {"fraction": 0.5, "current": 1, "total": 2, "message": "half way"}
    await append(run, [Item("progress", progress)], progress=progress, label="Halving")
    await expect(strip.get_by_role("progressbar")).to_have_attribute("value", "0.5")
    await expect(strip).to_contain_text("Halving")
    await expect(strip).to_contain_text("half way")
    await move(run, State.FAILED, outcome={"error": "no"})
    await expect(strip).to_contain_text("Failed")


async def test_the_clock_of_a_strip_runs(tab, alice, start):
    await start()
    page = await tab(alice)
    await page.goto("/sources/")
    clock = page.locator("[data-strip-clock]")
    await expect(clock).to_have_text("0:01", timeout=4000)
    await expect(clock).to_have_text("0:02", timeout=4000)


async def test_a_closed_dock_stays_closed_on_the_next_page(tab, alice, start):
    await start()
    page = await tab(alice)
    await page.goto("/sources/")
    details = page.locator("[data-dock-box] > details")
    await expect(details).to_have_attribute("open", "")
    await details.locator("summary").click()
    await page.goto("/runs/")
    await expect(details).not_to_have_attribute("open", "")


async def test_cancelling_from_the_dock_stays_on_the_page(tab, alice, start):
    run = await start()
    page = await tab(alice)
    await page.goto("/sources/")
    await page.get_by_role("button", name=f"Cancel run {run.pk}").click()
    await expect(page).to_have_url("/sources/")
    await expect(page.locator(f"[data-strip='{run.pk}']")).to_contain_text("Cancelling")


async def test_there_is_one_socket_per_tab(tab, alice, start):
    run = await start()
    page = await tab(alice)
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    await page.goto(f"/runs/{run.pk}/")
    await append(run, [Item("note", {"text": "x"})])
    await page.wait_for_timeout(300)
    assert len(sockets) == 1


async def test_the_title_tells_the_end_of_a_watched_run(tab, alice, start):
    run = await start()
    page = await tab(alice)
    await page.goto("/sources/")
    await page.get_by_role("button", name=f"Tell me when run {run.pk} ends").click()
    await page.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
    await move(run, State.SUCCEEDED, outcome={"value": 1})
    await page.wait_for_function("() => document.title.startsWith('●')")
    assert "succeeded" in await page.title()


async def test_the_wall_follows_everybodys_runs(tab, root, start):
    page = await tab(root)
    await page.goto("/runs/wall/")
    await expect(page.get_by_text("Nothing runs now")).to_be_visible()
    run = await start()
    await expect(
        page.locator(f"[data-wall-strips] [data-strip='{run.pk}']")
    ).to_be_visible()


async def test_a_watched_run_of_somebody_else_moves_in_the_dock(tab, root, start):
    run = await start()
    page = await tab(root)
    await page.goto(f"/runs/{run.pk}/")
    await page.get_by_role("button", name="Watch in my dock").click()
    await expect(page.get_by_role("button", name="Stop watching")).to_be_visible()
    await page.goto("/sources/")
    strip = page.locator(f"[data-dock-box] [data-strip='{run.pk}']")
    await expect(strip).to_be_visible()
    await append(run, [Item("label", {"text": "Half way"})], label="Half way")
    await expect(strip).to_contain_text("Half way")
    await move(run, State.SUCCEEDED, outcome={"value": 1})
    await expect(strip).to_contain_text("Succeeded")


@pytest.mark.parametrize("before", [True, False])
async def test_cancelling_in_the_dock_keeps_what_was_typed(tab, alice, start, before):
    if before:
        run = await start()
    page = await tab(alice)
    await page.goto("/account/")
    await page.get_by_label("Name").first.fill("half a name")
    if not before:  # the dock was then put there by the script
        run = await start()
    await page.get_by_role("button", name=f"Cancel run {run.pk}").click()
    await expect(page.locator(f"[data-strip='{run.pk}']")).to_contain_text("Cancelling")
    await expect(page).to_have_url("/account/")
    await expect(page.get_by_label("Name").first).to_have_value("half a name")
