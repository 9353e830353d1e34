"""Any value is kept, as strict JSON, and what was changed is told."""

import json


def test_undefined_numbers_are_spelled_out(awkward):
    run = awkward.run("stats")
    assert run.value == {
        "mean": "NaN",
        "hi": "Infinity",
        "lo": "-Infinity",
        "n": 3,
        "rows": [[1.0, "NaN"]],
    }
    assert run.notes == dict.fromkeys(["/mean", "/hi", "/lo", "/rows/0/1"], "number")


def test_bytes_become_a_file_and_a_marker(awkward):
    run = awkward.run("thumb")
    content = b"\x89PNG\r\n\x1a\n\x00\xff\xfe"
    assert run.value == {
        "$file": "data.png",
        "size": len(content),
        "media_type": "image/png",
        "hex": content.hex(),
    }
    assert run.notes == {"": "bytes"}
    assert run.file("data.png") == content


def test_bytes_deeper_down_stay_in_their_place(awkward):
    run = awkward.run("nested")
    assert run.value["ok"] is True
    assert [part["size"] for part in run.value["parts"]] == [1, 5]
    assert run.file("parts-0.bin") == b"\xff"
    assert run.file("parts-1.txt") == b"plain"
    assert run.notes == {"/parts/0": "bytes", "/parts/1": "bytes"}


def test_awkward_objects_are_kept_apart(awkward):
    run = awkward.run("mixed")
    value = run.value
    assert value["ids"] == [1, 3]
    assert value["('a', 'b')"] == "1.10"
    assert value["1"] == "text key"
    assert value["1 (int)"] == "int key"
    assert value["m"] == "<Mute, not shown>"
    assert value["gen"] == [0, 1, 2]
    assert value["when"].endswith("+00:00")
    assert run.notes["/m"] == "unprintable"
    assert run.notes["/gen"] == "generator"
    assert run.notes["/ids"] == "set"


def test_a_cycle_is_cut(awkward):
    run = awkward.run("mixed", {"mode": "loop"})
    assert run.value == ["<cycle>"]
    assert run.notes == {"/0": "cycle"}


def test_an_exception_is_kept_as_text(awkward):
    verdict = awkward.run("mixed", {"mode": "error"}).verdict
    assert verdict["reported_by"] == "exception"
    assert verdict["exception"].endswith("Loud")
    assert verdict["error"] == "3"
    verdict = awkward.run("mixed", {"mode": "unsayable"}).verdict
    assert verdict["error"] == "<Unsayable, not shown>"


def test_a_traceback_has_the_tools_own_frames(awkward):
    told = awkward.run("raises_deep").verdict["traceback"]
    assert "pegboard_host" not in told
    assert "in raises_deep" in told
    assert "in inner" in told
    assert "KeyError: 'lost'" in told
    assert told.rstrip().endswith("RuntimeError: gave up")


def test_one_of_each_kind(awkward):
    run = awkward.run("zoo")
    value = run.value
    assert value["tuple"] == [1, 2]
    assert value["place"] == {"row": 1, "column": 2}
    assert value["set"] == ["a", "b"]
    assert value["mixed set"] == [1, "a"]
    assert value["date"] == "2026-01-02"
    assert value["span"] == "P1DT1.5S"
    assert value["decimal"] == "1.2300"
    assert value["fraction"] == "1/3"
    assert (value["enum"], value["odd enum"]) == ("r", "pair")
    assert value["item"] == {"name": "a", "price": "0.1"}
    assert value["model"]["when"] == "2026-01-02"
    assert "s3cr3t" not in json.dumps(value)


def test_objects_are_shown_as_well_as_can_be(awkward):
    run = awkward.run("zoo")
    value, notes = run.value, run.notes
    assert value["uuid"].endswith("0001")
    assert (value["path"], value["range"], value["array"]) == ("a/b", [0, 1, 2], [1, 2])
    assert value["items"] == [["a", 1]]
    assert value["buffer"] == "t"
    assert value["error"] == "ValueError: bad"
    assert value["hostile"] == "<Hostile, not shown>"
    assert value["nul"] == "a\x00b"
    assert value["surrogate"] == "\ud800"
    assert value["big"] == 2**200
    assert value["huge"] == "<integer of 100001 bits>"
    assert value["true"] is True
    assert notes["/place"] == "tuple"
    assert notes["/odd enum"] == "enum"
    assert notes["/uuid"] == "object"
    assert notes["/huge"] == "size"


def test_depth_is_bounded(awkward):
    run = awkward.run("deep")
    assert [note["kind"] for note in run.told["notes"]] == ["depth"]
    assert len(json.dumps(run.value)) < 300


def test_plain_json_is_untouched(awkward):
    run = awkward.run("plain")
    assert run.value["a"] == [1, 2.5, "x", None, True, {"b": []}]
    assert run.notes == {}


def test_a_large_value_is_spilled_whole_with_a_preview(awkward):
    run = awkward.run("large")
    assert run.told["spilled"] is True
    assert "value" not in run.told
    assert run.told["preview"][0] == {"i": 0, "v": "z" * 20}
    assert len(run.told["preview"]) <= 20
    whole = json.loads((run.folder.parent / "out" / "value.json").read_text())
    assert len(whole) == 20_000


def test_a_value_of_too_many_parts_is_cut(awkward):
    run = awkward.run("wide", limit=60)
    assert run.end["how"] == "exited"
    assert "size" in {note["kind"] for note in run.told["notes"]}
    assert len(run.told["notes"]) <= 1000


def test_what_is_told_of_a_value_is_bounded_too(awkward):
    run = awkward.run("long_keys")
    assert run.end["how"] == "exited"
    assert run.told["spilled"] is True
    assert len(json.dumps(run.told)) < 500_000


def test_gaia_statuses_are_read(awkward):
    def verdict(status):
        return awkward.run("shape", {"status": status}).verdict

    failed = verdict("error")
    assert (failed["failed"], failed["reported_by"]) == (True, "tool")
    assert (failed["error"], failed["suggestion"]) == ("e", "s")
    assert verdict("denied")["failed"]
    assert verdict("partial")["shade"] == "partial"
    assert verdict("preview")["shade"] == "preview"
    fine = verdict("success")
    assert (fine["failed"], fine["shade"]) == (False, None)
    assert (fine["message"], fine["instruction"]) == ("m", "i")
    assert awkward.run("brief").verdict["error"] == "bad"


def test_what_only_looks_like_a_failure_is_none(start_host):
    host = start_host("tests.tools.awkward:just_data")
    assert host.tools["just_data"]["dialect"] == "function"
    assert host.run("just_data").value["status"] == "error"


def test_files_left_in_the_folder_stay_there(awkward):
    run = awkward.run("leaves_files")
    assert (run.folder / "left.txt").read_text() == "left"
    assert run.told["files"] == []
