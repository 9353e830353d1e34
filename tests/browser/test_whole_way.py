"""The whole way of a person, with a real worker, a real Valkey and a real browser."""

import re

import pytest_asyncio
from playwright.async_api import expect

from tests.board import PASSWORD

expect.set_options(timeout=15_000)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(browser, board):
    """A tab on the whole board, not signed in; it must log no error."""
    context = await browser.new_context(base_url=board.url, accept_downloads=True)
    context.set_default_timeout(15_000)
    page, errors = await context.new_page(), []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    yield page
    await context.close()
    assert errors == []


async def sign_in(page, name="alice"):
    await page.goto("/")
    await page.fill("[name=username]", name)
    await page.fill("[name=password]", PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="Catalog")).to_be_visible()


async def open_tool(page, words, name):
    await page.goto("/")
    await page.fill("#q", words)
    await page.locator(f"[data-tool='{name}'] a").first.click()
    await expect(page.get_by_role("heading", name="Start it")).to_be_visible()


async def test_sign_in_search_fill_watch_read_and_find_again(visitor):
    page = visitor
    await sign_in(page)
    await open_tool(page, "how many primes", "examples/count_primes")
    await page.get_by_label("up_to", exact=True).fill("200000")
    await page.get_by_role("button", name="Start").last.click()
    await expect(page).to_have_url(re.compile(r"/runs/\d+/"))
    number = re.search(r"/runs/(\d+)/", page.url)[1]

    bar = page.locator("[data-part=head] progress")
    await page.wait_for_function(
        "() => { const bar = document.querySelector('[data-part=head] progress');"
        " return bar && bar.value > 0 && bar.value < 1; }"
    )
    before = float(await bar.get_attribute("value"))
    await expect(page.locator("[data-output]")).to_contain_text("looked at")
    await page.wait_for_function(
        "before => { const bar = document.querySelector('[data-part=head] progress');"
        " return !bar || bar.value > before; }",
        arg=before,
    )

    await expect(page.locator("[data-part=head] .state")).to_have_text("Succeeded")
    await expect(page.locator("[data-part=result]")).to_contain_text("17984")
    await expect(page.locator("[data-output]")).to_contain_text("17984 primes up to")

    await page.get_by_role("link", name="Runs", exact=True).first.click()
    row = page.locator(f"[data-run-row='{number}']")
    await expect(row).to_contain_text("examples/count_primes")
    await expect(row).to_contain_text("Succeeded")
    await expect(row).to_contain_text("alice")


async def test_a_file_that_a_tool_made_is_shown_and_downloaded(visitor):
    page = visitor
    await sign_in(page)
    await open_tool(page, "plot", "examples/tables-plot")
    await page.get_by_label("temperatures.csv").check()
    await page.get_by_label("column", exact=True).fill("oslo")
    await page.get_by_role("button", name="Start").last.click()
    await expect(page.get_by_role("img")).to_be_visible()
    assert await page.evaluate("document.querySelector('.files img').naturalWidth") > 0
    async with page.expect_download() as download:
        await page.locator(".file-name").click()
    content = (await (await download.value).path()).read_bytes()
    assert content.startswith(b"<svg")


async def test_a_preview_is_confirmed_with_the_same_arguments(visitor):
    page = visitor
    await sign_in(page)
    await open_tool(page, "archive", "examples/clear_archive")
    await page.get_by_role("button", name="Start").last.click()
    await expect(page.get_by_text("This was a preview")).to_be_visible()
    await page.get_by_role("button", name="Do exactly this").click()
    await expect(page.locator("[data-part=result]")).to_contain_text("Removed 2")
    await expect(page.get_by_text("This was a preview")).to_be_hidden()


async def test_a_run_is_cancelled_from_its_page(visitor):
    page = visitor
    await sign_in(page)
    await open_tool(page, "primes", "examples/count_primes")
    await page.get_by_label("pause", exact=True).fill("2")
    await page.get_by_role("button", name="Start").last.click()
    await expect(page.locator("[data-part=head] .state")).to_have_text("Running")
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.locator("[data-part=head] .state")).to_have_text("Cancelled")
    await expect(page.get_by_text("cancelled by alice").first).to_be_visible()


async def test_a_time_limit_is_told_in_words(visitor):
    page = visitor
    await sign_in(page)
    await open_tool(page, "time limit", "examples/wait_for_answer")
    await page.get_by_role("button", name="Start").last.click()
    await expect(page.locator("[data-part=head] .state")).to_have_text("Timed out")
    await expect(page.locator("[data-part=result]")).to_contain_text(
        "Tool 'wait_for_answer' timed out after 3 seconds"
    )
    await expect(page.locator("[data-output]")).to_contain_text("still waiting")
