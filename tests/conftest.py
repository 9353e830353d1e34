"""People, tools and runs for tests; real rows, no mocks of our own code."""

import pytest
from django.contrib.auth.models import User

from catalog.contract import Contract
from catalog.models import ContractVersion, Source, Tool, touch
from runner import events
from runner.events import Item
from runner.models import Run, State

PASSWORD = "open sesame, please"


def person(name, **options):
    return User.objects.create_user(name, password=PASSWORD, **options)


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
