"""A worker that Celery has closed is gone: no beat, no zombie."""

import subprocess
import sys

import pytest

from runner import worker
from runner.models import Worker

LINGER = """
import threading
from runner import worker
threading.Thread(target=worker.leave_at_last, args=[0.1], daemon=True).start()
threading.Event().wait()
"""


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
