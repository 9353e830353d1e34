"""The catalog in a browser: search as you type, keyboard, live changes, themes."""

import re

import pytest
from asgiref.sync import sync_to_async
from playwright.async_api import expect

from catalog.actions import switch_tool


@pytest.fixture
def tools(tool_factory):
    text = {"type": "object", "properties": {"q": {"description": "An invoice"}}}
    return [
        tool_factory("resize", description="Resize one picture.", tags=["images"]),
        tool_factory("find", description="Look for lines.", parameters=text),
        tool_factory("wait", description="Wait some seconds.", tags=["time"]),
    ]


def cards(page):
    return page.locator("[data-tool]")


async def test_the_list_follows_what_is_typed_and_so_does_the_address(
    tab, alice, tools
):
    page = await tab(alice)
    await page.goto("/")
    await expect(cards(page)).to_have_count(3)
    await page.keyboard.press("/")
    await page.keyboard.type("invoi")
    await expect(cards(page)).to_have_count(1)
    await expect(page.get_by_text("matches parameter q")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"q=invoi"))
    await expect(page.locator("#q")).to_be_focused()


async def test_back_leads_to_the_list_before(tab, alice, tools):
    page = await tab(alice)
    await page.goto("/")
    await page.get_by_role("link", name="images 1").click()
    await expect(cards(page)).to_have_count(1)
    await page.go_back()
    await expect(cards(page)).to_have_count(3)


async def test_a_filter_stays_while_words_are_typed(tab, alice, tools):
    page = await tab(alice)
    await page.goto("/?tag=images")
    await page.fill("#q", "wait")
    await expect(page.get_by_text("No tool matches")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"tag=images"))


async def test_the_search_works_without_javascript(tab, alice, tools):
    page = await tab(alice, java_script_enabled=False)
    await page.goto("/")
    await page.fill("#q", "picture")
    await page.get_by_role("button", name="Search").click()
    await expect(cards(page)).to_have_count(1)


async def test_a_tool_is_reached_and_opened_by_keyboard(tab, alice, tools):
    page = await tab(alice)
    await page.goto("/?q=picture")
    await page.locator("#q").focus()
    for _ in range(20):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.textContent") == "resize":
            break
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/tools/demo/resize/"))


async def test_a_switch_shows_on_an_open_catalog(tab, alice, root, tools):
    page = await tab(alice)
    async with page.expect_websocket() as opening:
        await page.goto("/")
    await (await opening.value).wait_for_event("framereceived", timeout=8000)
    await sync_to_async(switch_tool)(
        tool=tools[0], by=root, enabled=False, reason="moving house", door="page"
    )
    await expect(page.locator(".tool-off")).to_contain_text("resize")


async def test_an_open_form_says_that_its_tool_was_switched_off(
    tab, alice, root, tools
):
    page = await tab(alice)
    async with page.expect_websocket() as opening:
        await page.goto("/tools/demo/resize/")
    await (await opening.value).wait_for_event("framereceived", timeout=8000)
    await sync_to_async(switch_tool)(
        tool=tools[0], by=root, enabled=False, reason="moving house", door="page"
    )
    await expect(
        page.get_by_text("switched off just now: moving house")
    ).to_be_visible()
    await expect(page.locator("[name=start]")).to_be_disabled()


async def test_the_theme_changes_at_once_and_stays(tab, alice, tools):
    page = await tab(alice, color_scheme="light")
    await page.goto("/")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(colour)
    await page.get_by_role("button", name="Dark").click()
    assert await page.evaluate(colour) != light
    await page.reload()
    assert await page.evaluate(colour) != light
    await page.get_by_role("button", name="As the system").click()
    assert await page.evaluate(colour) == light


async def test_times_are_shown_in_the_zone_of_the_browser(tab, alice, run_factory):
    run = await sync_to_async(run_factory)(alice)
    page = await tab(alice, timezone_id="Asia/Kolkata")
    await page.goto("/login/")
    await page.goto(f"/runs/{run.pk}/")
    shown = await page.locator("[data-part=facts] time").first.get_attribute("datetime")
    assert shown.endswith("+05:30")


async def test_the_skip_link_leads_to_the_content(tab, alice, tools):
    page = await tab(alice)
    await page.goto("/")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "main"
