"""People, tools and runs for tests; real rows, no mocks of our own code."""

import shutil
import subprocess
from functools import cache

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from catalog.contract import Contract
from catalog.models import ContractVersion, Source, Tool, touch
from runner import events
from runner.events import Item
from runner.models import Run, State
from tests import environment
from tests.board import PASSWORD, Board, die_with_parent, until


def pytest_unconfigure(config):
    shutil.rmtree(environment.FOLDER, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def valkey():
    """The broker and channel layer of the tests that run in this process."""
    if environment.SERVICES:
        yield
        return
    import redis

    from config.embedded import binary

    port, password = str(environment.PORT), environment.PASSWORD
    server = subprocess.Popen(
        [str(binary()), "--port", port, "--requirepass", password, "--save", ""],
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    client = redis.Redis(port=environment.PORT, password=password)

    def answers():
        try:
            return client.ping()
        except redis.RedisError:
            return False

    until(answers, 10, "valkey's answer")
    yield
    client.close()
    server.kill()
    server.wait()


@pytest.fixture(scope="session", autouse=True)
def static_files(django_db_setup):
    """The collected files: pages name them by their hash."""
    call_command("collectstatic", verbosity=0, interactive=False)


@pytest.fixture(scope="session", autouse=True)
def alone_at_the_end(django_db_setup, django_db_blocker):
    """End what threads still hold open: PostgreSQL drops no database in use."""
    yield
    if not environment.SERVICES:
        return
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(scope="session")
def board(static_files):
    """One whole board for all tests that need a worker; never emptied."""
    board = Board(environment.FOLDER / "board").start()
    yield board
    board.stop()


@cache
def hashed_password():
    return make_password(PASSWORD)


def person(name, **options):
    return User.objects.create(username=name, password=hashed_password(), **options)


@pytest.fixture
def alice(db):
    return person("alice")


@pytest.fixture
def bob(db):
    """A colleague of alice: no rights over her runs."""
    return person("bob")


@pytest.fixture
def root(db):
    return person("root", is_staff=True, is_superuser=True)


def make_tool(name="add", source="demo", parameters=None, **contract):
    """A tool as a sync would leave it."""
    source, _ = Source.objects.get_or_create(name=source)
    tool = Tool.objects.create(
        source=source, name=name, reference="demo", revision=touch()
    )
    schema = parameters or {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    value = Contract.from_declaration(
        {"name": name, "dialect": "gaia", "parameters": schema, "hash": "h", **contract}
    )
    tool.contract = ContractVersion.objects.create(
        tool=tool,
        number=1,
        fingerprint=value.fingerprint,
        contract=value.to_json(),
        declared_hash=value.declared_hash,
    )
    tool.save()
    return tool


@pytest.fixture
def tool_factory(db):
    return make_tool


@pytest.fixture
def run_factory(db):
    """A run of `tool` by `user`, moved along the legal way to `state`."""

    def make(user, tool=None, state=State.QUEUED, **fields):
        tool = tool or Tool.objects.filter(name="add").first() or make_tool()
        end = {k: fields.pop(k) for k in ("shade", "outcome") if k in fields}
        run = Run.objects.create(
            contract=tool.contract,
            user=user,
            user_name=user.username,
            tool_name=tool.name,
            source_name=tool.source.name,
            queue=tool.source.queue,
            door="page",
            label=tool.now.label,
            **fields,
        )
        events.append(run, [Item("status", {"state": "queued", "reason": ""})])
        return advance(run, State(state), **end)

    return make


def advance(run, state, **changes):
    from django.utils import timezone

    if state == State.QUEUED:
        return run
    if state not in (State.REFUSED, State.CANCELLED):
        events.move(run, State.RUNNING, started_at=timezone.now(), limit=180.0)
    if state != State.RUNNING:
        first = [Item("outcome", changes["outcome"])] if "outcome" in changes else []
        events.move(run, state, first=first, **changes)
    return run
