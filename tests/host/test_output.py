"""What a tool prints arrives whole, in order, and within bounds."""

import time

from tests.host.hosting import Path, alive


def test_every_level_of_printing_is_heard(deeds):
    run = deeds.run("every_level")
    assert run.output() == (
        "from python\nfrom a descriptor\nfrom a process\nfrom C\ncafé \ufffd\n"
    )


def test_the_two_streams_keep_their_order(deeds):
    run = deeds.run("both_streams", {"times": 200})
    expected = "".join(f"out {n}\nerr {n}\n" for n in range(200))
    assert run.output() == expected
    assert run.output("stderr") == "".join(f"err {n}\n" for n in range(200))


def test_offsets_count_the_characters_before(deeds):
    run = deeds.run("every_level")
    at = 0
    for frame in run.of_kind("output"):
        assert frame["offset"] == at
        at += len(frame["text"])


def test_output_arrives_while_the_tool_runs(deeds):
    run = deeds.start("cleans_up", {"path": "x"})
    assert run.wait_for("output")["text"] == "ready\n"
    assert run.of_kind("end") == []
    run.cancel()
    run.to_end()


def test_much_output_arrives_whole(deeds):
    run = deeds.run("output", {"lines": 200_000, "width": 10}, limit=60)
    assert run.output().count("\n") == 200_000
    assert run.output().startswith("00000000 x")
    assert run.output().splitlines()[-1].startswith("00199999 x")
    assert max(len(f["text"]) for f in run.of_kind("output")) <= 64 * 1024


def test_output_beyond_the_cap_is_dropped_and_the_run_goes_on(deeds):
    run = deeds.run("output", {"lines": 20_000, "width": 40}, max_output=1000)
    assert run.value == "done"
    assert len(run.output()) == 1000
    assert run.end["truncated_output"] is True
    assert run.end["limit_hit"] is None
    assert any("1000 bytes" in text for text in run.remarks)


def test_a_reader_who_does_not_read_costs_bounded_memory_and_not_the_clock(deeds):
    run = deeds.start("output", {"lines": 10**7, "width": 80}, limit=0.6)
    guard = run.wait_for("started")["guard"]
    time.sleep(0.5)
    assert alive(guard)
    assert resident(guard) < 100 * 2**20
    run_is_over = time.monotonic() + 0.6
    time.sleep(max(0, run_is_over - time.monotonic()))
    run.to_end()
    assert run.end["how"] == "timed_out"
    assert run.end["seconds"] < 1.2


def resident(pid):
    words = Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * 4096
