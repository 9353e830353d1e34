"""However a tool ends, its run ends once, truthfully, and nothing is left."""

import os
import signal
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from catalog.host.pegboard_host.processes import descendants
from tests.host.hosting import alive, pids, until


def test_a_run_that_returns_has_exited_and_tells_in_order(deeds):
    run = deeds.run("add", {"a": 1, "b": 2})
    assert run.value == 3
    assert [frame["kind"] for frame in run.frames] == ["started", "value", "end"]
    assert run.end["how"] == "exited"
    assert run.end["exit_code"] == 0
    assert run.end["killed"] == 0


def test_a_tool_that_swallows_everything_is_timed_out_with_its_grandchildren(deeds):
    began = time.monotonic()
    run = deeds.start("stubborn", limit=0.3, grace=0.2)
    found = pids(run, 2)
    run.to_end()
    assert run.end["how"] == "timed_out"
    assert run.end["signal"] == signal.SIGKILL
    assert 0.3 <= run.end["seconds"] < 1.2
    assert time.monotonic() - began < 1.5
    assert not any(map(alive, found))
    assert deeds.run("add", {"a": 1, "b": 1}).value == 2


def test_a_long_call_in_c_code_is_timed_out(deeds):
    assert deeds.run("busy", limit=0.2).end["how"] == "timed_out"


def test_a_double_forked_daemon_with_its_own_session_is_gone_at_the_limit(deeds):
    run = deeds.start("daemon_and_stay", limit=0.4, grace=0.1)
    (pid,) = pids(run, 1)
    run.to_end()
    assert run.end["how"] == "timed_out"
    assert not alive(pid)


def test_what_a_tool_leaves_behind_is_ended_when_it_returns(deeds):
    run = deeds.start("daemon")
    (pid,) = pids(run, 1)
    run.to_end()
    assert run.value == "away"
    assert run.end["how"] == "exited"
    assert run.end["killed"] >= 1
    assert not alive(pid)
    size = (run.folder / "beats").stat().st_size
    time.sleep(0.1)
    assert (run.folder / "beats").stat().st_size == size


def test_processes_that_another_thread_started_are_found(deeds):
    run = deeds.start("from_a_thread", limit=0.3)
    (pid,) = pids(run, 1)
    run.to_end()
    assert not alive(pid)


def test_a_cancel_ends_the_helpers_too_and_a_second_changes_nothing(deeds):
    run = deeds.start("ticker")
    until(lambda: (run.folder / "ticks").exists())
    run.cancel()
    run.cancel()
    run.to_end()
    assert run.end["how"] == "cancelled"
    assert run.end["seconds"] < 1
    size = (run.folder / "ticks").stat().st_size
    time.sleep(0.15)
    assert (run.folder / "ticks").stat().st_size == size


def test_an_async_tool_is_timed_out_and_cancelled_alike(deeds):
    assert deeds.run("nap", limit=0.2).end["how"] == "timed_out"
    run = deeds.start("nap")
    pids(run, 1)
    run.cancel()
    assert run.to_end().end["how"] == "cancelled"


def test_the_grace_lets_a_tool_clean_up(deeds):
    run = deeds.run("cleans_up", {"path": "mark"}, limit=0.3, grace=2)
    assert (run.folder / "mark").read_text() == "cleaned"
    assert run.end["how"] == "timed_out"
    assert run.end["seconds"] < 1


@pytest.mark.parametrize(
    ("how", "code", "number"),
    [
        ("exit", 7, None),
        ("fine", 0, None),
        ("kill", None, signal.SIGKILL),
        ("segfault", None, signal.SIGSEGV),
    ],
)
def test_a_tool_that_ends_without_a_value_has_crashed(deeds, how, code, number):
    run = deeds.run("die", {"how": how})
    assert run.end["how"] == "crashed"
    assert run.end["exit_code"] == code
    assert run.end["signal"] == number
    assert run.output() == "last words\n"


@pytest.mark.parametrize(
    ("how", "name"), [("sys", "SystemExit"), ("interrupt", "KeyboardInterrupt")]
)
def test_leaving_by_an_exception_is_an_exception(deeds, how, name):
    run = deeds.run("die", {"how": how})
    assert run.end["how"] == "exited"
    assert run.verdict["reported_by"] == "exception"
    assert run.verdict["exception"] == name


def test_a_killed_guard_leaves_its_tool_to_the_host(start_host):
    host = start_host("tests.tools.deeds")
    run = host.start("kill_guard")
    found = pids(run, 2)
    run.to_end()
    assert run.of_kind("end") == []
    assert not any(map(alive, found)), "the channel closes when nothing is left"
    assert host.run("add", {"a": 1, "b": 1}).value == 2


def test_a_killed_guard_does_not_disturb_other_runs(start_host):
    host = start_host("tests.tools.deeds")
    other = host.start("sleep", {"seconds": 0.6})
    pids(other, 1)
    host.run("kill_guard")
    assert other.to_end().value == "slept"


def test_a_supervisor_that_is_gone_ends_its_run(deeds):
    run = deeds.start("daemon_and_stay")
    (pid,) = pids(run, 1)
    tool = run.wait_for("started")["pid"]
    run.channel.close()
    until(lambda: not alive(pid) and not alive(tool))


def test_a_worker_that_is_gone_ends_the_host_and_all_its_runs(start_host):
    host = start_host("tests.tools.deeds")
    runs = [host.start("daemon_and_stay") for _ in range(3)]
    found = [pid for run in runs for pid in pids(run, 1)]
    host.control.close()
    assert host.process.wait(3) == 0
    assert not any(map(alive, found))
    for run in runs:
        assert run.to_end().end["how"] == "crashed"


def test_a_killed_host_leaves_no_run_behind(start_host):
    host = start_host("tests.tools.deeds")
    run = host.start("daemon_and_stay")
    (pid,) = pids(run, 1)
    host.process.kill()
    run.to_end()
    assert run.end["how"] == "crashed"
    assert "host" in run.end["why"]
    assert not alive(pid)


def test_a_signal_to_its_own_group_does_not_reach_the_guard(deeds):
    run = deeds.run("kill_own_group")
    assert run.value == "still here"
    assert run.end["how"] == "exited"


@pytest.mark.parametrize(
    "kind", ["noise", "huge", "text", "list", "kind", "nan", "verdict", "deep"]
)
def test_garbage_on_the_value_channel_crashes_the_run_and_nothing_else(deeds, kind):
    run = deeds.run("garbage", {"kind": kind}, limit=3)
    assert run.end["how"] == "crashed"
    assert run.of_kind("value") == []
    assert "channel" in run.end["why"]
    assert run.end["seconds"] < 2
    assert deeds.run("add", {"a": 1, "b": 1}).value == 2


def test_a_tool_that_closes_its_descriptors_has_no_value(deeds):
    run = deeds.run("close_all")
    assert run.end["how"] == "crashed"


def test_only_the_tool_itself_returns_when_it_forks(deeds):
    run = deeds.run("returns_twice")
    assert run.value > 0
    assert len(run.of_kind("value")) == 1


def test_a_thread_left_at_work_may_finish(deeds):
    run = deeds.run("lingering_thread", {"seconds": 0.2})
    assert run.value == "returned"
    assert run.output() == "thread done\n"


def test_a_thread_left_at_work_is_ended_at_the_limit_with_the_value_kept(deeds):
    run = deeds.run("lingering_thread", {"seconds": 30}, limit=0.3)
    assert run.value == "returned"
    assert run.end["how"] == "exited"
    assert "left running" in run.remarks[0]


def test_memory_over_the_limit_is_a_crash_with_that_reason(deeds):
    run = deeds.run("eat_memory", memory=100 * 2**20, limit=8)
    assert run.end["how"] == "crashed"
    assert run.end["limit_hit"] == "memory"
    assert (
        deeds.run("eat_memory", {"megabytes": 1}, memory=2**30, limit=0.6).end[
            "limit_hit"
        ]
        is None
    )


def test_too_many_processes_are_a_crash_with_that_reason(deeds):
    run = deeds.run("many_processes", processes=5)
    assert run.end["how"] == "crashed"
    assert run.end["limit_hit"] == "processes"


def test_progress_extends_the_limit_up_to_a_cap(deeds):
    extended = {"limit": 0.3, "extends": {"cap": 5.0}}
    run = deeds.run("report", {"times": 10, "work": 0.08}, **extended)
    assert run.end["how"] == "exited"
    assert run.end["seconds"] > 0.7
    run = deeds.run(
        "report", {"times": 100, "work": 0.05}, limit=0.3, extends={"cap": 0.8}
    )
    assert run.end["how"] == "timed_out"
    assert 0.7 < run.end["seconds"] < 1.5


def test_a_tool_finds_its_folder_and_nothing_of_ours(deeds):
    run = deeds.run("surroundings", env={"GREETING": "hello"})
    found = run.value
    assert found["cwd"] == found["run_dir"] == str(run.folder)
    assert found["greeting"] == "hello"
    assert found["stdin"] == ""
    assert found["session"]
    assert len(found["descriptors"]) < 10
    assert deeds.run("surroundings").value["random"] != found["random"]


def test_a_working_folder_of_the_source_is_where_the_tool_runs(deeds, tmp_path):
    run = deeds.run("surroundings", cwd=str(tmp_path))
    assert run.value["cwd"] == str(tmp_path)
    assert run.value["run_dir"] == str(run.folder)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_tool_may_use_processes_of_its_own(deeds, method):
    run = deeds.run("pool", {"method": method})
    assert run.value == [0, 1, 4, 9, 16]
    assert run.end["how"] == "exited"


def test_many_runs_at_once_do_not_mix(deeds):
    runs = [deeds.start("add", {"a": n, "b": n}) for n in range(30)]
    assert [run.to_end().value for run in runs] == [2 * n for n in range(30)]


def test_no_run_leaves_a_process_in_the_host(start_host):
    host = start_host("tests.tools.deeds")
    for _ in range(5):
        host.run("daemon")
    until(lambda: not descendants({host.process.pid}))
    assert len(list(Path(f"/proc/{host.process.pid}/fd").iterdir())) < 10


@contextmanager
def waiting_for_start(host):
    """Call for a guard that gets no start; give the processes that wait for it."""
    with closing(host.call()):
        until(lambda: len(descendants({host.process.pid})) == 2)
        yield descendants({host.process.pid})


def test_a_run_that_is_not_claimed_leaves_nothing(start_host):
    host = start_host("tests.tools.deeds")
    for _ in range(3):
        with waiting_for_start(host):
            pass
        until(lambda: not descendants({host.process.pid}))
    assert host.run("add", {"a": 1, "b": 2}).value == 3


def test_a_host_that_ends_takes_along_what_waits_for_a_start(start_host):
    host = start_host("tests.tools.deeds")
    with waiting_for_start(host) as left:
        host.control.close()
        assert host.process.wait(2) == 0
        assert not any(map(alive, left))


def test_a_killed_host_takes_along_what_waits_for_a_start(start_host):
    host = start_host("tests.tools.deeds")
    with waiting_for_start(host) as left:
        host.process.kill()
        until(lambda: not any(map(alive, left)))


def guard_of(run):
    return run.of_kind("started")[0]["guard"]


def test_a_guard_sees_one_run_after_another_and_each_tool_is_a_new_process(start_host):
    host = start_host("tests.tools.deeds")
    runs = [host.run("add", {"a": n, "b": n}) for n in range(5)]
    assert [run.value for run in runs] == [0, 2, 4, 6, 8]
    assert len({guard_of(run) for run in runs}) == 1
    assert len({run.of_kind("started")[0]["pid"] for run in runs}) == 5


@pytest.mark.parametrize(
    ("tool", "arguments", "start"),
    [
        ("add", {"a": 1, "b": 2}, {"secret": True}),
        ("daemon", {}, {}),
        ("sleep", {"seconds": 9}, {"limit": 0.2}),
        ("die", {"how": "exit"}, {}),
        ("die", {"how": "fine"}, {}),
    ],
)
def test_a_run_with_secrets_or_an_odd_end_is_its_guards_last(
    start_host, tool, arguments, start
):
    host = start_host("tests.tools.deeds")
    first = host.run(tool, arguments, **start)
    assert guard_of(host.run("add", {"a": 1, "b": 2})) != guard_of(first)


def test_a_killed_guard_that_waits_is_replaced(start_host):
    host = start_host("tests.tools.deeds")
    guard = guard_of(host.run("add", {"a": 1, "b": 2}))
    (tool,) = until(lambda: descendants({guard}))
    os.kill(tool, signal.SIGKILL)
    until(lambda: not descendants({host.process.pid}))
    again = guard_of(host.run("add", {"a": 1, "b": 2}))
    until(lambda: descendants({again}))
    os.kill(again, signal.SIGKILL)
    until(lambda: not descendants({host.process.pid}))
    assert host.run("add", {"a": 1, "b": 2}).value == 3


def test_of_many_guards_few_wait_for_the_next_runs(start_host):
    host = start_host("tests.tools.deeds")
    runs = [host.start("sleep", {"seconds": 0.3}) for _ in range(20)]
    assert len({guard_of(run.to_end()) for run in runs}) == 20
    until(lambda: len(descendants({host.process.pid})) <= 2 * 8)
