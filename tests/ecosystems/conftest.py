"""A board whose sources are the real packages, each in its own environment."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from catalog.sources import QUIET
from tests.board import Board, until
from tests.ecosystems import recorded
from tests.ecosystems.build import PYTHONS, command_of, python_of
from tests.environment import FOLDER, ROOT
from tests.host.hosting import HostProcess

MIXINS = (
    "file_search", "file_io", "filesystem", "rag", "code_index", "shell", "cli_setup",
    "screenshot", "scratchpad", "browser", "email", "sd", "vlm", "skills",
    "skill_learning", "audio", "wait", "reasoning_effort", "memory", "database",
    "file_monitor",
)  # fmt: skip
SOURCES = """
[sources.gaia]
python = "{gaia}"
tools = [{mixins}]
cwd = "{at}/gaia"
env = {{ HOME = "{at}/gaia-home" }}

[sources.gaiaown]
python = "{gaia}"
tools = ["gaia_seed", "gaia_agents:SupportAgent", "gaia_agents:make_agent"]
path = ["{root}/tests/tools"]

[sources.lye]
python = "{lye}"
tools = ["lye"]
cwd = "{at}/lye"
env = {{ PATH = "{lye_bin}:{bin}" }}

[sources.langchain]
python = "{langchain}"
tools = ["community:make_tools"]
path = ["{root}/tests/tools"]
cwd = "{at}/langchain"

[sources.everything]
python = "{mcp}"
mcp = {{ command = "{everything}" }}

[sources.filesystem]
python = "{mcp}"
mcp = {{ command = "{filesystem}", args = ["{at}/mcp"] }}

[sources.memory]
python = "{mcp}"
mcp = {{ command = "{memory}", env = {{ MEMORY_FILE_PATH = "{at}/memory.jsonl" }} }}

[sources.time]
python = "{mcp}"
mcp = {{ command = "mcp-server-time", args = ["--local-timezone", "UTC"] }}

[sources.git]
python = "{mcp}"
mcp = {{ command = "mcp-server-git" }}
"""
LATE, TRIES = "did not list its tools within", 3
COMMANDS = ("sh", "ls", "wc", "cat", "echo", "head", "env")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if "ecosystems" in item.path.parts:
            item.add_marker(pytest.mark.ecosystem)
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def pythons():
    """The interpreters of the environments; they must have been built."""
    found = {name: python_of(name) for name in PYTHONS}
    missing = [name for name, python in found.items() if not python.exists()]
    assert not missing, f"not built: {missing}; run python -m tests.ecosystems.build"
    return {name: str(python) for name, python in found.items()}


@pytest.fixture(scope="session")
def place():
    """The folder of the session; with working folders where there are recordings."""
    at = FOLDER / "ecosystems"
    at.mkdir()
    for name in ("gaia", "lye", "langchain", "mcp"):
        if recorded.calls():
            recorded.copy_for(name, at / name)
        else:
            (at / name).mkdir()
    (at / "gaia-home").mkdir()
    return at


@pytest.fixture(scope="session")
def pages(place):
    """A local web server over the working folder of Lye; its port."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(place / "lye"))
    handler.log_message = lambda *args: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def _write_sources(place, pythons):
    """Write the sources file; Lye's commands are found in a folder of few."""
    commands = place / "bin"
    commands.mkdir()
    for name in COMMANDS:
        real = next(p for p in ("/bin", "/usr/bin") if (ROOT / p / name).exists())
        (commands / name).symlink_to(f"{real}/{name}")
    file = place / "sources.toml"
    text = SOURCES.format(
        at=place,
        root=ROOT,
        bin=commands,
        lye_bin=python_of("lye").parent,
        mixins=", ".join(f'"gaia:{name}"' for name in MIXINS),
        everything=command_of("mcp-server-everything"),
        filesystem=command_of("mcp-server-filesystem"),
        memory=command_of("mcp-server-memory"),
        **pythons,
    )
    file.write_text(text)
    return file


def _wait_for_lists(board, file, names):
    """Wait for every source; if the machine was too busy for one, ask all again."""
    start = 0
    for _ in range(TRIES):

        def told(start=start):
            new = board.log("worker")[start:]
            return new if all(f"source {name}: " in new for name in names) else ""

        new = until(told, 150, "the listing of every source")
        if LATE not in new:
            return
        start += len(new)
        file.touch()


@pytest.fixture(scope="session")
def world(static_files, place, pythons, pages):
    """The board of real packages, and the names that recordings leave open."""
    home = sorted(one.name for one in Path.home().iterdir())
    file = _write_sources(place, pythons)
    board = Board(FOLDER / "world", PEGBOARD_SOURCES=str(file)).start()
    names = [line[9:-1] for line in file.read_text().splitlines() if line[:1] == "["]
    _wait_for_lists(board, file, names)
    yield SimpleNamespace(board=board, place=place, port=pages, home=home)
    board.stop()


@pytest.fixture(scope="session")
def listed(tmp_path_factory, pythons):
    """List references in an ecosystem's own environment, once for each question."""

    @functools.cache
    def listing(ecosystem, *references, path=()):
        folder = tmp_path_factory.mktemp("host")
        host = HostProcess(
            folder, references, python=pythons[ecosystem], path=path, env=QUIET
        )
        host.stop()
        return host.loaded

    return listing
