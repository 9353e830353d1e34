"""A worker that Celery has closed is gone: no beat, no zombie."""

import subprocess
import sys
import threading

import pytest

from catalog.models import Source, Tool
from catalog.sources import SourceConfig
from runner import worker
from runner.models import Worker

LINGER = """
import threading
from runner import worker
threading.Thread(target=worker.leave_at_last, args=[0.1], daemon=True).start()
threading.Event().wait()
"""

ODD = """
def named(name, **schema):
    function = {"name": name, "description": "Do it.", "parameters": schema}
    definition = {"type": "function", "function": function}
    return {"definition": definition, "implementation": dict}

DEEP = {}
for _ in range(900):
    DEEP = {"properties": {"a": DEEP}}
NAMES = [named("bad\\ud800"), named("n" * 400), named("fine")]
NESTED = [named("deep", **DEEP)]
"""


@pytest.fixture
def place(tmp_path):
    """Give a workplace whose one source has what its argument names."""
    (tmp_path / "odd_ones.py").write_text(ODD)
    place = worker.Workplace(["default"], 1)

    def of(reference):
        config = SourceConfig(name="odd", tools=(reference,), path=(str(tmp_path),))
        place.configs["odd"] = config
        place.locks["odd"] = threading.Lock()
        return place

    yield of
    for host in place.hosts.values():
        host.stop()


@pytest.mark.django_db(transaction=True)
def test_odd_names_are_a_line_each_and_the_other_tools_go_on(place):
    place("odd_ones:NAMES").sync_one("odd")
    assert [tool.name for tool in Tool.objects.all()] == ["fine"]
    source = Source.objects.get()
    assert source.error == ""
    assert [problem["reference"] for problem in source.problems] == [
        "odd_ones:NAMES",
        "odd_ones:NAMES",
    ]


@pytest.mark.django_db(transaction=True)
def test_whatever_goes_wrong_in_a_sync_is_one_line_about_its_source(place, caplog):
    workplace = place("odd_ones:NESTED")
    workplace.sync_one("odd")
    (line,) = Source.objects.get().error.splitlines()
    assert "could not be taken up: RecursionError" in line
    assert "Traceback" in caplog.text
    assert workplace.hosts == {}, "its host is stopped"


@pytest.mark.django_db
def test_a_closed_worker_beats_no_more(monkeypatch):
    place = worker.Workplace(["default"], 1)
    place.row = Worker.objects.create(name=place.name, machine="here", pid=1)
    place.beat()
    assert Worker.objects.count() == 1
    monkeypatch.setattr(worker, "leave_at_last", lambda _: None)
    place.close()
    place.beat()
    assert not Worker.objects.exists()


def test_a_closed_worker_ends_whatever_its_threads_wait_for():
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", LINGER],
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
