"""Lye's dict tools: contract, context, files and failures."""

import pytest


def test_names_and_categories_are_kept(dicts):
    found = dicts.tools["demo-tally"]
    assert found["dialect"] == "lye"
    assert found["tags"] == ["demo"]
    assert found["description"] == "The tool demo-tally."
    assert dicts.tools["answer"]["tags"] == []
    assert dicts.tools["demo-slow_tally"]["timeout"] == 30.0
    assert dicts.tools["demo-slow_tally"]["is_async"]


def test_the_context_is_given_and_never_asked_for(dicts):
    assert set(dicts.tools["demo-tally"]["parameters"]["properties"]) == {"items"}
    assert dicts.run("demo-tally", {"items": ["a"]}).value == "demo-tally:1"


def test_a_parameter_called_context_stays_one(dicts):
    assert dicts.run("demo-about", {"context": "us"}).value == "about us"


def test_progress_comes_through_the_context(dicts):
    run = dicts.run("demo-slow_tally", {"items": ["a", "b"]})
    assert run.value == "done"
    last = run.of_kind("progress")[-1]
    assert (last["fraction"], last["message"]) == (1.0, "item 2")


def test_what_the_context_lacks_is_said(dicts):
    assert "no 'db'" in dicts.run("demo-deps").verdict["error"]


def test_a_message_and_its_file(dicts):
    run = dicts.run("files-report", {"title": "t"})
    assert run.value == "1 file"
    (file,) = run.told["files"]
    assert file["name"] == "a_b_.html"
    assert file["media_type"] == "text/html"
    assert run.file("a_b_.html") == b"<script>1</script>"
    assert run.told["model_text"] == "1 file"


def test_odd_files_are_kept_with_a_note(dicts):
    run = dicts.run("files-odd")
    assert run.end["how"] == "exited"
    assert run.file("raw.bin") == b"\x00\xff"
    assert run.file("raw-2.bin") == b"not base64!"
    assert run.file("file") == b"hi"
    assert run.file("empty.txt") == b""
    assert any("not base64" in text for text in run.remarks)


@pytest.mark.parametrize(
    ("kind", "failed"),
    [
        ("error", True), ("success", True), ("exit", False), ("none", False),
        ("false", False), ("text", False), ("fine", False), ("pair", False),
    ],
)  # fmt: skip
def test_which_answers_are_failures(dicts, kind, failed):
    verdict = dicts.run("answer", {"kind": kind}).verdict
    assert verdict["failed"] is failed
    assert verdict["reported_by"] == ("tool" if failed else None)
    assert not failed or verdict["error"] == "nope"


def test_an_exception_is_told_apart(dicts):
    verdict = dicts.run("raises").verdict
    assert (verdict["reported_by"], verdict["error"]) == ("exception", "no token")


def test_a_declared_file_is_a_path(dicts, tmp_path):
    path = tmp_path / "f"
    path.write_text("inside")
    uploads = {"1": {"path": str(path), "name": "f", "media_type": ""}}
    assert (
        dicts.run("read", {"file": {"upload": "1"}}, uploads=uploads).value == "inside"
    )


@pytest.mark.parametrize("name", ["zero", "negative"])
def test_a_limit_that_is_none_is_refused_when_listed(dicts, name):
    assert "must be a positive number" in dicts.tools[name]["unusable"]


def test_a_tool_without_an_implementation_is_listed_as_unusable(dicts):
    assert "no implementation" in dicts.tools["empty"]["unusable"]
