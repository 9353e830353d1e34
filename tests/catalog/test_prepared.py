"""Querysets whose SQL is written once."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db.models import Model

from catalog.models import Source, Tool
from catalog.prepared import Prepared
from runner.models import Run

pytestmark = pytest.mark.django_db

RUN = Prepared(Run.objects.for_supervision().filter(pk=0).filter(state=""))


def told(one: Model) -> dict:
    """What was read of a row, and of the rows that were joined to it."""
    own = {k: v for k, v in vars(one).items() if not k.startswith("_")}
    cached = one._state.fields_cache
    return own | {
        name: other and told(other)
        for name, other in cached.items()
        if not isinstance(other, Run)
    }


def test_same_as_the_queryset_itself(
    run_factory, alice, bob, django_assert_num_queries
):
    of_nobody = run_factory(bob)
    bob.delete()
    for run in (run_factory(alice), of_nobody):
        with django_assert_num_queries(1):
            found = RUN.first(run.pk, run.state)
            said = told(found)
        asked = Run.objects.for_supervision().get(pk=run.pk)
        assert said == told(asked)
        assert found.get_deferred_fields() == asked.get_deferred_fields()


def test_many_threads_may_be_the_first():
    queryset = Run.objects.for_supervision().filter(pk=0).filter(state="")
    right, interval = RUN._written[1], sys.getswitchinterval()
    sys.setswitchinterval(0.00005)
    try:
        with ThreadPoolExecutor(16) as pool:
            for _ in range(30):
                fresh = Prepared(queryset.all())
                found = pool.map(lambda one: one._written[1], [fresh] * 16)
                assert {*found, fresh._written[1]} == {right}
    finally:
        sys.setswitchinterval(interval)


def test_values_are_values(tool_factory):
    tool = tool_factory("add")
    prepared = Prepared(
        Tool.objects.filter(source__name="").filter(name="").with_contract()
    )
    assert prepared.first("demo", "add") == tool
    assert prepared.first("demo", "' OR 1=1 --") is None
    assert prepared.first("add", "demo") is None


def test_nothing_is_kept_of_a_row(run_factory, alice):
    prepared = Prepared(Source.objects.filter(name=""))
    run = run_factory(alice)
    name = run.source_name
    first = prepared.first(name)
    Source.objects.update(enabled=False)
    assert first.enabled
    assert not prepared.first(name).enabled
