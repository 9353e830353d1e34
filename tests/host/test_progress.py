"""Progress: cheap for the tool, few for the reader, the last one always."""

import time


def test_a_report_after_each_50_microseconds_slows_a_tool_by_less_than_a_fifth(deeds):
    costs = (deeds.run("cost_of_progress", limit=100).value for _ in range(3))
    assert min(costs) < 1.2


def test_of_a_hundred_thousand_reports_few_go_out_and_the_last_one_does(deeds):
    run = deeds.run("report", {"times": 100_000}, limit=60)
    reports = run.of_kind("progress")
    assert reports[-1]["current"] == 100_000
    assert reports[-1]["fraction"] == 1.0
    assert len(reports) <= run.end["seconds"] * 10 + 3


def test_the_last_report_arrives_while_the_tool_sleeps(deeds):
    run = deeds.start("report", {"times": 50, "pause": 5})
    began = time.monotonic()
    while run.wait_for("progress")["current"] < 50:
        pass
    assert time.monotonic() - began < 1
    assert run.frames[-1]["message"] == "step 50"
    run.cancel()
    run.to_end()


def test_reports_come_in_order_and_before_the_value(deeds):
    run = deeds.run("report", {"times": 40, "work": 0.01})
    currents = [frame["current"] for frame in run.of_kind("progress")]
    assert currents == sorted(set(currents))
    assert currents[-1] == 40
    kinds = [frame["kind"] for frame in run.frames]
    assert kinds[-2:] == ["value", "end"]


def test_nonsense_never_breaks_the_bar(deeds):
    run = deeds.run("odd_progress")
    fractions = [frame["fraction"] for frame in run.of_kind("progress")]
    assert all(f is None or 0 <= f <= 1 for f in fractions)
    assert 1.0 in fractions
    assert 0.0 in fractions
    assert run.of_kind("progress")[-1]["current"] == 4
    assert run.end["how"] == "exited"


def test_a_loop_tells_how_far_it_is_and_the_label_changes(deeds):
    run = deeds.run("each_item", {"count": 3})
    assert run.value == [0, 1, 2, 0, 1, 2]
    assert run.of_kind("label")[-1]["text"] == "nearly there"
    assert run.of_kind("progress")[-1]["current"] == 3
