"""A real browser on our ASGI app, on the test database; ORM and page in one test."""

import shutil
import socket
import threading
from importlib.resources import files

import pytest
import pytest_asyncio
import uvicorn
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import Client
from playwright.async_api import async_playwright

from catalog import search

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
AXE = (files("axe_core_python") / "axe.min.js").read_text()


def pytest_collection_modifyitems(items):
    for item in items:
        if "/tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            # One loop for all, so that one browser serves all.
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def executable():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, "no browser: install chromium"
    return found


@pytest.fixture(scope="session")
def server(static_files):
    """The address of our app, served from a thread of this process."""
    from config.asgi import application

    config = uvicorn.Config(
        application, log_level="warning", lifespan="off", timeout_graceful_shutdown=1
    )
    running = uvicorn.Server(config)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=running.run, args=([listening],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    running.should_exit = True
    thread.join(10)


@pytest.fixture(autouse=True)
def own_index(monkeypatch):
    """Test databases are emptied: an index of an earlier test is not ours."""
    own = search.Index()
    monkeypatch.setattr(search, "index", own)
    yield
    own.db.close()


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def closed_connections():
    yield
    await sync_to_async(connections.close_all)()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(executable):
    """One browser for all tests; each opens contexts of its own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable, args=FLAGS
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def tab(browser, server):
    """Open tabs, signed in as somebody; the test fails if one logged an error.

    `allow` names what a test provokes on purpose.
    """
    allowed, errors, contexts = [], [], []

    def listen(message):
        if message.type == "error" and not any(
            word in message.text for word in allowed
        ):
            errors.append(message.text)

    async def new(user=None, *, allow=(), **options):
        allowed.extend(allow)
        context = await browser.new_context(base_url=server, **options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        if user is not None:
            client = Client()
            await sync_to_async(client.force_login)(user)
            session = client.cookies["sessionid"].value
            await context.add_cookies(
                [{"name": "sessionid", "value": session, "url": server}]
            )
        page = await context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield new
    for context in contexts:
        await context.close()
    assert errors == []


async def faults(page):
    """What axe finds on the page, in short."""
    await page.evaluate(AXE)
    found = await page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]])
        for one in found["violations"]
    ]


@pytest.fixture
def axe():
    return faults
