"""Hosts for tests; nothing here needs a database, a broker or a browser."""

import pytest

from tests.host.hosting import HostProcess


@pytest.fixture(scope="session", autouse=True)
def valkey():
    """No broker is needed here."""


@pytest.fixture(scope="session", autouse=True)
def static_files():
    """No page is rendered here."""


@pytest.fixture
def start_host(tmp_path):
    """Start hosts that end with the test."""
    hosts = []

    def start(*tools, **source):
        folder = tmp_path / f"host-{len(hosts)}"
        folder.mkdir()
        hosts.append(HostProcess(folder, tools, **source))
        return hosts[-1]

    yield start
    for host in hosts:
        host.stop()


def _shared(*tools):
    """A host that the tests of a file share."""

    @pytest.fixture(scope="module")
    def host(tmp_path_factory):
        host = HostProcess(tmp_path_factory.mktemp("host"), tools)
        yield host
        host.stop()

    return host


deeds = _shared("tests.tools.deeds")
signatures = _shared("tests.tools.signatures")
awkward = _shared("tests.tools.awkward")
dicts = _shared("tests.tools.dicts")
chain = _shared("tests.tools.chain")
