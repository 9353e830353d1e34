"""What a run returned and left is kept once, or it is told why not."""

import json

import pytest
from django.db import OperationalError
from django.test import override_settings

from runner import artifacts, events
from runner.events import Item
from runner.models import Event, State
from runner.recorder import Recorder
from runner.secrets import Masker
from runner.supervisor import lasting

pytestmark = pytest.mark.django_db(transaction=True)


def failing_once(monkeypatch, name):
    """Have a verb of `events` fail once, as when the database goes away."""
    real, calls = getattr(events, name), []

    def flaky(*args, **kwargs):
        calls.append(args)
        if len(calls) == 1:
            raise OperationalError("the connection was lost")
        return real(*args, **kwargs)

    monkeypatch.setattr(events, name, flaky)
    return calls


@pytest.fixture
def run(alice, run_factory):
    return run_factory(alice, state=State.RUNNING)


@pytest.fixture
def folders(tmp_path):
    work, out = tmp_path / "work", tmp_path / "out"
    work.mkdir()
    out.mkdir()
    return work, out


def test_output_is_stored_once_however_often_it_is_tried(run, monkeypatch):
    calls = failing_once(monkeypatch, "append")
    recorder = Recorder(run, Masker([]))
    recorder.take({"kind": "output", "stream": "stdout", "text": "once\n"})
    lasting(recorder.flush)
    texts = [e.data["text"] for e in Event.objects.filter(run=run, kind="output")]
    assert (texts, len(calls)) == (["once\n"], 2)


@pytest.mark.parametrize(
    "name",
    ["目" * 120 + ".txt", "目" * 300, "." + "x" * 400, "a" * 300 + "." + "b" * 300],
)
def test_names_are_cut_to_what_a_file_system_takes(name):
    kept = artifacts.safe_name(name)
    assert 0 < len(kept.encode()) <= 200
    assert kept.endswith(".txt") == name.endswith(".txt")


def test_file_in_folders_of_long_names_is_kept(run, folders):
    work, out = folders
    deep = work / ("目" * 70) / ("見" * 70)
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("hi")
    [row] = artifacts.gather(run, [], work, out).rows
    assert row.name.endswith(".txt")
    with row.file.open() as stored:
        assert stored.read() == b"hi"


def test_file_that_cannot_be_stored_is_a_note_and_the_others_go_on(
    run, folders, tmp_path
):
    work, out = folders
    (work / "a.txt").write_text("A")
    full = tmp_path / "no-folder"
    full.write_text("")
    with override_settings(MEDIA_ROOT=full):
        gathered = artifacts.gather(run, [], work, out)
    assert gathered.rows == []
    assert (
        "a.txt was left out: it could not be stored" in gathered.items[0].data["text"]
    )


def test_link_in_place_of_the_folder_is_not_followed(run, folders, tmp_path):
    work, out = folders
    work.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "passwd").write_text("root")
    work.symlink_to(elsewhere)
    assert artifacts.gather(run, [], work, out) == ([], [])


def test_media_type_that_is_too_long_is_not_believed(run, folders):
    work, out = folders
    spilled = out / "a.bin"
    spilled.write_bytes(b"\0abc")
    said = {"name": "a.bin", "path": str(spilled), "media_type": "x/" + "y" * 200}
    [row] = artifacts.gather(run, [said], work, out).rows
    assert row.media_type == "application/octet-stream"


def test_event_is_short_however_much_its_texts_grow_on_the_wire(run):
    outcome = {
        "message": "\x00" * 100_000,
        "error": {"text": "目" * 100_000},
        "files": ["目" * 200] * 200,
    }
    events.append(run, [Item("outcome", outcome)])
    event = Event.objects.get(run=run, kind="outcome")
    assert event.data["truncated"] is True
    assert event.data["message"]
    assert len(json.dumps(event.data)) <= events.MAX_DATA
