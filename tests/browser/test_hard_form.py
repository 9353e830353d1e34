"""The hardest form, filled in in a real browser: the tool gets just what was meant."""

import json
import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.board import PASSWORD

TOOL = "cases/hard-order"


@pytest_asyncio.fixture(loop_scope="session")
async def tool(browser, board):
    """The tool's page on the whole board, in Oslo; it must log no error."""
    context = await browser.new_context(base_url=board.url)
    context.set_default_timeout(15_000)
    page, errors = await context.new_page(), []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    await sign_in(page)
    yield page
    await context.close()
    assert errors == []


@pytest_asyncio.fixture(loop_scope="session")
async def plain(browser, board):
    """The same in a browser without scripts."""
    context = await browser.new_context(base_url=board.url, java_script_enabled=False)
    context.set_default_timeout(15_000)
    page = await context.new_page()
    await sign_in(page)
    yield page
    await context.close()


async def sign_in(page):
    await page.goto("/")
    await page.fill("[name=username]", "alice")
    await page.fill("[name=password]", PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.goto(f"/tools/{TOOL}/")
    await expect(page.get_by_role("heading", name="Start it")).to_be_visible()


async def type_in(page, name, text):
    await page.fill(f"[name='arg:{name}']", text)


async def press(page, words, then):
    """Press one of the form's buttons, and wait for what it brings."""
    await page.get_by_role("button", name=words, exact=True).click()
    await expect(page.locator(f"[name='{then}']")).to_be_attached()


async def add_lines(page, *skus):
    for index, sku in enumerate(skus):
        await press(page, "Add a row to lines", f"arg:/lines/{index}/sku")
        await type_in(page, f"/lines/{index}/sku", sku)


async def received(page, board):
    await page.get_by_role("button", name="Start", exact=True).last.click()
    await expect(page).to_have_url(re.compile(r"/runs/\d+/"))
    number = re.search(r"/runs/(\d+)/", page.url)[1]
    run = board.ended(int(number))
    assert run["state"] == "succeeded", run
    return run["outcome"]["value"], run["arguments"]


async def unfold(page, path):
    await page.locator(f"summary[id='arg{path}']").click()


async def fill_rows(page):
    """Add three rows, remove the one in the middle, and swap the others."""
    await add_lines(page, "x", "y", "z")
    await type_in(page, "/lines/2/qty", "7")
    await page.get_by_role("button", name="Remove lines, row 2").click()
    await expect(page.locator("[name='arg:/lines/2/sku']")).to_have_count(0)
    await page.get_by_role("button", name="Move lines, row 2 up").click()
    await expect(page.locator("[name='arg:/lines/0/sku']")).to_have_value("z")


async def fill_union(page):
    await type_in(page, "/target/path", "old")
    await page.get_by_label("Kind of target").select_option(label="To a URL")
    await type_in(page, "/target/href", "https://example.org")


async def fill_tree(page):
    await unfold(page, "/tree")
    await type_in(page, "/tree/name", "root")
    await press(page, "Add a row to tree, children", "arg:/tree/children/0/name")
    await type_in(page, "/tree/children/0/name", "leaf")
    await unfold(page, "/tree/link")
    await press(page, "Open tree, link", "arg:/tree/link/name")
    await type_in(page, "/tree/link/name", "deep")


async def fill_the_rest(page):
    await unfold(page, "/extra")
    await press(page, "Add a name to extra", "key:/extra/~+0")
    await page.fill("[name='key:/extra/~+0']", "a/b")
    await type_in(page, "/extra/~+0", "3")
    await type_in(page, "/code", "0012")
    await type_in(page, "/big", "12345678901234567890123")
    await type_in(page, "/text", "one\n  two\n")
    await type_in(page, "/anything", '{"a": [1, null]}')
    upload = {"name": "t.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    await page.set_input_files("[name='file:/table']", upload)


MEANT = {
    "bill": {"street": "  Storgata 1 "},
    "lines": [{"sku": "z", "qty": 7}, {"sku": "x"}],
    "target": {"kind": "url", "href": "https://example.org"},
    "tree": {"name": "root", "children": [{"name": "leaf"}], "link": {"name": "deep"}},
    "extra": {"a/b": 3},
    "code": "0012",
    "big": 12345678901234567890123,
    "text": "one\n  two\n",
    "anything": {"a": [1, None]},
}


async def test_the_tool_gets_just_what_was_meant(tool, board):
    await type_in(tool, "/bill/street", "  Storgata 1 ")
    await fill_rows(tool)
    await fill_union(tool)
    await fill_tree(tool)
    await fill_the_rest(tool)
    value, arguments = await received(tool, board)
    assert value == {**MEANT, "table": "a,b\n1,2\n"}
    assert list(arguments.pop("table")) == ["upload"]
    assert arguments == MEANT


async def test_it_works_without_scripts(plain, board):
    page = plain
    await type_in(page, "/bill/street", "a")
    await add_lines(page, "x", "y")
    await page.get_by_role("button", name="Move lines, row 2 up").click()
    await page.get_by_label("Kind of target").select_option(label="To a URL")
    await page.get_by_role("button", name="Switch the kind of target").click()
    await type_in(page, "/target/href", "h")
    value, _ = await received(page, board)
    assert value == {
        "bill": {"street": "a"},
        "lines": [{"sku": "y"}, {"sku": "x"}],
        "target": {"kind": "url", "href": "h"},
    }


async def test_a_fault_in_a_folded_row_is_shown_and_led_to(tool, axe):
    page = tool
    await type_in(page, "/bill/street", "a")
    await type_in(page, "/target/path", "p")
    await page.locator("summary", has_text="tree").click()
    await page.get_by_label("How tree is given").select_option("value")
    await page.get_by_role("button", name="Start", exact=True).last.click()
    summary = page.locator("[data-summary]")
    await expect(summary).to_contain_text("tree, name")
    await expect(page.locator("[name='arg:/tree/name']")).to_be_visible()
    await expect(page.locator("[name='arg:/tree/name']")).to_be_focused()
    assert await axe(page) == []


async def test_all_of_it_works_by_keyboard(tool):
    page = tool
    await page.locator("[name='arg:/bill/street']").focus()
    await page.keyboard.type("a")
    await page.get_by_role("button", name="Add a row to lines").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("[name='arg:/lines/0/sku']")).to_be_focused()
    await page.keyboard.type("x")
    await page.get_by_role("button", name="Remove lines, row 1").focus()
    await page.keyboard.press("Space")
    await expect(page.locator("[name='arg:/lines/0/sku']")).to_have_count(0)
    await page.get_by_label("Kind of target").focus()
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("[name='arg:/target/href']")).to_be_visible()


async def test_form_and_json_are_two_sides_of_the_same(tool, axe):
    page = tool
    await type_in(page, "/bill/street", "a")
    await add_lines(page, "x")
    await page.get_by_role("button", name="Edit as JSON").click()
    side = page.get_by_label("Arguments as JSON")
    written = json.loads(await side.input_value())
    assert written["lines"] == [{"sku": "x"}]
    assert await axe(page) == []
    await side.fill('{"bill": {"street": "b"},')
    await page.get_by_role("button", name="Back to the form").click()
    await expect(page.locator("[data-summary]")).to_contain_text("line 1, column 26")
    await expect(side).to_have_value('{"bill": {"street": "b"},')
    await side.fill('{"bill": {"street": "b"}, "lines": [{"sku": "q"}]}')
    await page.get_by_role("button", name="Back to the form").click()
    await expect(page.locator("[name='arg:/bill/street']")).to_have_value("b")
    await expect(page.locator("[name='arg:/lines/0/sku']")).to_have_value("q")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_on_the_form(tool, axe, scheme):
    await tool.emulate_media(color_scheme=scheme)
    await add_lines(tool, "x")
    assert await axe(tool) == []
