"""`make up`: one board, from its first line to the last process gone."""

import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from .conftest import ROOT, alive, fresh_environment

pytestmark = [pytest.mark.up, pytest.mark.timeout(180)]


def command(up, *arguments):
    """Run a management command on a board's folder; return what it printed."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=fresh_environment(up.folder),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_ready_tells_where_it_listens_and_which_process_it_is(running):
    told = running.ready()
    assert told["url"] == f"http://127.0.0.1:{running.port}"
    assert told["pid"] == running.process.pid
    assert running.ready_file.stat().st_mode & 0o077 == 0, "it holds a password"


def test_a_run_from_a_terminal_finds_the_board_in_its_folder(running):
    running.ready()
    said = command(running, "run", "examples/calculate", "--expression=6 * 7")
    assert "42" in said


def test_once_ready_a_run_started_over_the_api_ends(running):
    token = command(running, "createtoken", "admin").splitlines()[-1]

    answer = httpx.post(
        f"{running.ready()['url']}/api/v1/tools/examples/calculate/runs",
        json={"arguments": {"expression": "6 * 7"}},
        headers={"Authorization": f"Token {token}", "Prefer": "wait=10"},
    )

    assert answer.status_code == 200, answer.text
    assert answer.json()["state"] == "succeeded"


def test_the_sign_in_link_works_once_and_a_wrong_one_never(running):
    with httpx.Client() as first, httpx.Client() as second:
        wrong = running.link[:-4] + "xxx/"
        assert "/login/" in second.get(wrong).headers["location"]
        assert first.get(running.link).headers["location"] == "/"
        assert first.get(httpx.URL(running.link).join("/")).status_code == 200
        assert "/login/" in second.get(running.link).headers["location"]
        assert not second.cookies.get("sessionid")


def test_the_admin_password_is_printed_at_the_first_start_only(start, folder):
    (folder / "pegboard.sqlite3").unlink(missing_ok=True)
    first = start()
    first.ready()
    first.process.send_signal(signal.SIGTERM)
    first.wait()
    second = start()
    second.ready()

    assert "password:" in first.said
    assert "password:" not in second.said


def test_a_given_admin_password_signs_in_and_is_not_printed(start, folder):
    (folder / "pegboard.sqlite3").unlink(missing_ok=True)
    up = start(env={"PEGBOARD_ADMIN_PASSWORD": "kept-in-a-drawer"})
    url = up.ready()["url"]

    with httpx.Client(base_url=url) as browser:
        browser.get("/login/")
        form = {
            "username": "admin",
            "password": "kept-in-a-drawer",
            "csrfmiddlewaretoken": browser.cookies["csrftoken"],
        }
        assert browser.post("/login/", data=form).headers["location"] == "/"
    assert "kept-in-a-drawer" not in up.said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_asked_to_end_it_leaves_nothing(start, how):
    up = start()
    up.ready()
    family = up.family()

    up.process.send_signal(how)

    assert up.wait() == 0, up.said
    assert len(family) >= 4  # Valkey, web, worker, a host
    assert alive(family) == []
    assert not up.ready_file.exists()


def test_asked_to_end_while_it_starts_it_leaves_nothing(start):
    up = start()
    deadline = time.monotonic() + 30
    while len(family := up.family()) < 2:
        assert time.monotonic() < deadline, up.said
        time.sleep(0.02)

    up.process.send_signal(signal.SIGTERM)

    assert up.wait() == 0, up.said
    assert alive(family) == []


@pytest.mark.parametrize(
    "part", ["valkey-server", "celery -A config -q worker", "config.web"]
)
def test_the_death_of_a_part_ends_everything(start, part):
    up = start()
    up.ready()
    family = up.family()

    os.kill(up.pid_of(part), signal.SIGKILL)

    assert up.wait() == 1
    assert alive(family) == []
    assert "killed by SIGKILL" in up.said
    assert not up.ready_file.exists()


def test_killed_outright_it_leaves_nothing(start):
    up = start()
    up.ready()
    family = up.family()

    up.process.kill()
    up.wait()

    assert alive(family) == []


def test_a_dead_host_is_started_anew(running):
    dead = running.pid_of("catalog/host")

    os.kill(dead, signal.SIGKILL)

    deadline = time.monotonic() + 30
    while running.pid_of("catalog/host") in (None, dead):
        assert time.monotonic() < deadline, running.said
        assert running.process.poll() is None, running.said
        time.sleep(0.1)


def test_a_second_board_on_the_same_folder_says_so(running, start):
    second = start(running.folder)

    assert second.wait() == 1
    assert f"Another Pegboard is running in {running.folder}" in second.said
    assert running.told()["pid"] == running.process.pid


def test_a_second_board_on_the_same_port_says_so(running, start):
    second = start(port=running.port)

    assert second.wait() == 1
    assert f"Cannot listen on 127.0.0.1:{running.port}" in second.said


def test_a_taken_port_is_one_clear_line_before_anything_starts(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        up = start(tmp_path / "other", port=port)

        assert up.wait() == 1

    assert up.said.strip() == (
        f"CommandError: Cannot listen on 127.0.0.1:{port}: Address already in use. "
        "Choose another address with PORT and HOST."
    )
    assert not (up.folder / "valkey.log").exists()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PORT", "99999", "PORT must be 0 to 65535, not 99999."),
        ("PORT", "eighty", 'Environment variable "PORT" invalid: '),
        ("PEGBOARD_RUN_TIMEOUT", "-3", "PEGBOARD_RUN_TIMEOUT must be more than 0"),
    ],
)
def test_a_value_that_makes_no_sense_is_one_clear_line(start, name, value, words):
    up = start(env={name: value})

    assert up.wait() == 1

    assert up.said.startswith(f"CommandError: {words}")
    assert up.said.count("\n") == 1


def test_a_later_start_shows_its_page_in_the_time_of_a_few_bare_commands(start):
    first = start()
    first.ready()
    first.process.send_signal(signal.SIGTERM)
    first.wait()
    began = time.monotonic()
    command(first, "check")
    once = time.monotonic() - began  # 0.7 s where a start takes 3; five is the promise
    began = time.monotonic()
    second = start()

    while "Pegboard is at" not in second.said:
        assert second.process.poll() is None, second.said
        time.sleep(0.02)

    assert time.monotonic() - began < 8 * once
