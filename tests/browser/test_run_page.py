"""The live page of a run: nothing lost, nothing twice, whatever happens to the line."""

import asyncio
import json
import re

import pytest
from asgiref.sync import sync_to_async
from playwright.async_api import expect

from runner import events
from runner.events import Item
from runner.models import Run, State

append = sync_to_async(events.append)
move = sync_to_async(events.move)
REFUSED = ("WebSocket connection", "ERR_")


def lines(*numbers):
    return [
        Item("output", {"stream": "stdout", "text": f"line {n}\n", "offset": 0})
        for n in numbers
    ]


async def shown(page):
    text = await page.locator("[data-output]").text_content()
    return [int(n) for n in re.findall(r"line (\d+)\n", text)]


async def until_shown(page, count):
    text = "document.querySelector('[data-output]').textContent"
    await page.wait_for_function(f"n => {text}.split('\\n').length > n", arg=count)
    return await shown(page)


@pytest.fixture
def run(run_factory, alice):
    return run_factory(alice, state="running")


@pytest.fixture
def path(run):
    return f"/runs/{run.pk}/"


async def test_output_arrives_as_text_while_the_page_is_open(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    evil = "<img src=x onerror='window.hit=1'><class 'int'> &lt;\n"
    await append(run, [Item("output", {"stream": "stderr", "text": evil, "offset": 0})])
    await expect(page.locator("[data-output] .stderr")).to_have_text(evil)
    assert await page.evaluate("window.hit") is None


async def test_the_end_and_its_value_appear_without_a_reload(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    await expect(page.locator("[data-part=head] .state")).to_have_text("Running")
    value = {"answer": 42, "rows": [{"a": 1}, {"a": 2}]}
    await move(run, State.SUCCEEDED, outcome={"value": value, "message": "Done so."})
    await expect(page.locator("[data-part=head] .state")).to_have_text("Succeeded")
    await expect(page.get_by_text("Done so.")).to_be_visible()
    await expect(page.get_by_role("cell", name="2")).to_be_visible()
    await expect(page.get_by_role("link", name="Run again")).to_be_visible()


async def test_an_end_before_the_socket_opened_is_seen(tab, alice, run, path):
    page = await tab(alice)
    opened = asyncio.Event()

    async def late(route):
        await opened.wait()
        await route.continue_()

    await page.route("**/js/live*.js", late)
    going = asyncio.create_task(page.goto(path))
    await page.wait_for_selector("[data-output]", state="attached")
    await move(run, State.FAILED, outcome={"error": "it broke"})
    opened.set()
    await going
    await expect(page.locator("[data-part=head] .state")).to_have_text("Failed")
    await expect(page.get_by_text("it broke")).to_be_visible()


def mangle(socket):
    """Pass a page's frames on: each seventh swapped, each fifth twice, some lost."""
    server = socket.connect_to_server()
    held = []

    def on_message(message):
        number = json.loads(message).get("seq") or 1
        if number % 7 == 0:
            held.append(message)
            return
        again = 0 if number % 11 == 0 else 2 if number % 5 == 0 else 1
        for one in [message] * again + held:
            socket.send(one)
        held.clear()

    server.on_message(on_message)


async def burst(run, start, end):
    for first in range(start, end, 10):
        await append(run, lines(*range(first, first + 10)))
        await asyncio.sleep(0.02)


async def test_a_page_opened_in_a_burst_has_each_line_once_in_order(
    tab, alice, run, path
):
    """C29: two tabs; messages swapped, doubled and lost; the answers of HTTP late."""
    await append(run, lines(*range(200)))
    pages = [await tab(alice), await tab(alice)]
    await pages[0].route_web_socket("**/ws/live/**", mangle)

    async def late(route):
        await asyncio.sleep(1)
        await route.continue_()

    await pages[0].route("**/api/v1/**", late)
    bursting = asyncio.create_task(burst(run, 200, 500))
    for page in pages:
        await page.goto(path)
    await bursting
    for page in pages:
        assert await until_shown(page, 500) == list(range(500))


async def test_a_cut_line_says_so_heals_and_loses_nothing(tab, alice, run, path):
    page = await tab(alice, allow=REFUSED)
    sockets = []

    def through(socket):
        socket.connect_to_server()
        sockets.append(socket)

    await page.route_web_socket("**/ws/live/**", through)
    await page.goto(path)
    await append(run, lines(0))
    await until_shown(page, 1)
    await sockets[-1].close(code=1012)
    await append(run, lines(1))
    await expect(page.locator("[data-connection]")).to_contain_text(
        "Not live", timeout=2000
    )
    assert await until_shown(page, 2) == [0, 1]
    await expect(page.locator("[data-connection]")).to_be_empty()
    assert len(sockets) == 2


async def test_where_sockets_are_blocked_the_page_looks_by_http(tab, alice, run, path):
    page = await tab(alice, allow=REFUSED)
    await page.route_web_socket("**/ws/live/**", lambda socket: socket.close(code=1006))
    await page.goto(path)
    await append(run, lines(*range(3)))
    assert await until_shown(page, 3) == [0, 1, 2]
    await move(run, State.SUCCEEDED, outcome={"value": "all there"})
    await expect(page.get_by_text("all there", exact=True)).to_be_visible()


async def test_says_sign_in_again_when_the_session_is_gone(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    await page.route_web_socket("**/ws/live/**", lambda socket: socket.close(code=4401))
    await page.reload()
    await expect(page.get_by_role("link", name="sign in again")).to_be_visible()


async def test_a_progress_bar_moves_and_says_how_far(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    bar = page.locator("[data-part=head] progress")
    assert await bar.get_attribute("value") is None
    progress = {"fraction": 0.25, "current": 10, "total": 40, "message": "the tenth"}
    await append(run, [Item("progress", progress)], progress=progress)
    await expect(bar).to_have_attribute("value", "0.25")
    await expect(page.locator("[data-part=head]")).to_contain_text("10 of 40")
    await expect(page.locator("[data-part=head]")).to_contain_text("the tenth")


async def test_a_carriage_return_writes_over_the_line_live_as_stored(
    tab, alice, run, path
):
    page = await tab(alice)
    await page.goto(path)
    for part in (
        "begin\n",
        "\r 10 %",
        "\r 20 %",
        "\r",
        "100 %\n",
        "\x1b[31mred\x1b[0m",
    ):
        data = {"stream": "stderr", "text": part, "offset": 0}
        await append(run, [Item("output", data)])
        await asyncio.sleep(0.05)
    log = page.locator("[data-output]")
    await expect(log).to_have_text("begin\n100 %\nred")
    await expect(log.locator(".ansi-1")).to_have_text("red")
    await page.reload()
    await expect(log).to_have_text("begin\n100 %\nred")
    await expect(log.locator(".ansi-1")).to_have_text("red")


async def test_a_flood_keeps_head_and_tail_and_counts_the_rest(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    for start in range(0, 20_000, 1000):
        text = "".join(f"line {n} {'x' * 40}\n" for n in range(start, start + 1000))
        data = {"stream": "stdout", "text": text, "offset": 0}
        await append(run, [Item("output", data)])
    log = page.locator("[data-output]")
    await expect(log).to_contain_text("line 19999 ")
    text = await log.text_content()
    assert "line 0 " in text
    assert len(text) < 300_000
    left_out = int(re.search(r"(\d+) lines, \d+ characters left out", text)[1])
    assert 0 <= 20_000 - left_out - text.count(" xxx") <= 2  # halved at the cut


async def test_cancelling_from_the_page_asks_for_the_end(tab, alice, run, path):
    page = await tab(alice)
    await page.goto(path)
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.locator("[data-part=head] .state")).to_have_text("Cancelling")
    found = await Run.objects.aget(pk=run.pk)
    assert (found.state, found.reason) == ("cancelling", "cancelled by alice")


async def test_the_page_works_without_javascript(tab, alice, run, path):
    await append(run, lines(0, 1))
    page = await tab(alice, java_script_enabled=False)
    await page.goto(path)
    assert await shown(page) == [0, 1]
    await page.get_by_role("button", name="Cancel").click()
    await expect(page.locator("[data-part=head] .state")).to_have_text("Cancelling")
