"""Importing a source changes nothing of Pegboard's: its logging, environment, files."""

import logging
import os
import sys
from pathlib import Path

import pytest
from django.conf import settings

from catalog.hosts import Host
from catalog.sources import SourceConfig
from tests.environment import ROOT


def state():
    """What an import could change of the process that has it done."""
    root = logging.getLogger()
    return {
        "handlers": [*map(repr, root.handlers)],
        "level": root.level,
        "disabled": (
            logging.root.manager.disable,
            logging.getLogger("runner").disabled,
        ),
        "environment": {**os.environ, "PYTEST_CURRENT_TEST": ""},
        "cwd": str(Path.cwd()),
        "path": [*sys.path],
        "recursion": sys.getrecursionlimit(),
        "home": sorted(p.name for p in Path.home().iterdir()),
        "root": sorted(p.name for p in ROOT.iterdir()),
    }


@pytest.fixture
def rude(tmp_path):
    config = SourceConfig(
        name="rude", tools=("rude",), path=(str(ROOT / "tests/tools"),)
    )
    host = Host(config)
    before = state()
    listing = host.start()
    yield before, listing, host
    host.stop()


def test_logging_environment_and_files_stay_as_they_were(rude):
    before, listing, _ = rude
    assert [tool["name"] for tool in listing.tools] == ["look"]
    assert state() == before
    assert "rude" not in sys.modules


def test_what_it_writes_lies_in_its_own_home(rude):
    _, _, host = rude
    home = settings.DATA_DIR / "homes" / "rude"
    assert (home / ".rude" / "cache").read_text() == "mine"
    assert (home / "left-behind").exists()
    assert "imported with noise" in host.log_path.read_text()


def test_thread_that_it_leaves_is_told(rude):
    assert "rude" in rude[1].threads


def test_host_is_given_none_of_pegboards_secrets(rude):
    _, _, host = rude
    given = Path(f"/proc/{host.process.pid}/environ").read_bytes().decode()
    names = {line.partition("=")[0] for line in given.split("\0")}
    kept = {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    assert not names & kept
    assert str(settings.SECRET_KEY) not in given
