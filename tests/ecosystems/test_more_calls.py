"""Other calls of the real packages through a real board, of the recorded kinds."""

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.ecosystems.test_recorded_calls import files_of, gaia_label, start


def value_of(made, state="succeeded"):
    assert made.run["state"] == state, made.run
    return made.outcome.get("value")


@pytest.fixture(scope="module")
def folder(world):
    """A folder of the tests' own in GAIA's working folder."""
    folder = world.place / "gaia" / "more"
    folder.mkdir()
    (folder / "people.csv").write_text("name,team,age\nAda,a,36\nBo,b,20\nCy,a,24\n")
    (folder / "mod.py").write_text(
        'def double(n):\n    """Twice."""\n    return n * 2\n'
    )
    yield folder
    shutil.rmtree(folder)


def test_packages_write_into_their_sources_homes_only(world):
    value_of(start(world, "gaia/tree", {"path": "."}))
    assert sorted(one.name for one in Path.home().iterdir()) == world.home
    assert (world.place / "gaia-home" / ".gaia").is_dir()
    # Lye's import takes over its process's logging; the worker's is as it was.
    lines = world.board.log("worker").splitlines()
    assert [line for line in lines if " catalog.sync: " in line]
    assert not [line for line in lines if " gaia." in line or "weave" in line]


# -- GAIA


def test_groups_of_a_table_are_summed(world, folder):
    arguments = {"file_path": str(folder / "people.csv"), "group_by": "team"}
    value = value_of(start(world, "gaia/analyze_data_file", arguments))
    assert value["row_count"] == 3
    assert "60" in json.dumps(value)


def test_diff_is_told_and_nothing_written(world, folder):
    file = folder / "mod.py"
    before = file.read_text()
    arguments = {"file_path": str(file), "new_content": "def double(n): return 2 * n\n"}
    value = value_of(start(world, "gaia/generate_diff", arguments))
    assert (value["status"], value["additions"]) == ("success", 1)
    assert file.read_text() == before


def test_missing_argument_is_refused_at_the_door(world):
    made = start(world, "gaia/generate_diff", {"file_path": "x"})
    assert made.status == 400
    assert "/new_content" in json.dumps(made.body)


def test_text_that_can_only_be_a_number_is_one(world, folder):
    arguments = {"file_path": str(folder / "people.csv"), "limit": "2"}
    assert value_of(start(world, "gaia/read_file", arguments))["status"] == "success"


def test_file_is_written_only_with_a_yes(world, folder):
    label = gaia_label(world, "file_io", "write_markdown_file")
    arguments = {"file_path": str(folder / "new.md"), "content": "# New\n"}
    assert start(world, label, arguments).status == 409
    assert not (folder / "new.md").exists()
    value_of(start(world, label, arguments, confirm=True))
    assert (folder / "new.md").read_text() == "# New\n"


def test_placeholder_is_refused_by_gaia_as_arguments(world, folder):
    arguments = {"file_path": str(folder / "todo.txt"), "content": "todo"}
    made = start(world, "gaia/write_file", arguments, confirm=True)
    assert value_of(made, "failed")["error_type"] == "invalid_arguments"
    assert made.outcome["reported_by"] == "arguments"


def test_shell_runs_in_the_working_folder_with_a_yes(world):
    made = start(world, "gaia/run_shell_command", {"command": "pwd"}, confirm=True)
    assert str(world.place / "gaia") in json.dumps(value_of(made))


def test_scratchpad_outlives_a_run_in_its_sources_home(world):
    table = {"table_name": "kept", "columns": "a TEXT"}
    value_of(start(world, "gaia/create_table", table))
    value_of(
        start(world, "gaia/insert_data", {"table_name": "kept", "data": '[{"a": "x"}]'})
    )
    query = {"sql": "SELECT count(*) AS n FROM scratch_kept"}
    assert "1" in value_of(start(world, "gaia/query_data", query))
    assert (world.place / "gaia-home" / ".gaia" / "scratchpad.db").exists()


def test_rows_inserted_by_one_run_are_read_by_another(world):
    file = world.place / "gaia-home" / ".gaia" / "database.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT, n INT)")
    database.close()
    row = {"table": "p", "data": {"name": "a", "n": 1}}
    assert value_of(start(world, "gaia/db_insert", row))["success"] is True
    query = {"sql": "SELECT * FROM p WHERE n=:n", "params": {"n": 1}}
    value = value_of(start(world, "gaia/db_query", query))
    assert value == {"rows": [{"id": 1, "name": "a", "n": 1}], "count": 1}
    bad = start(world, "gaia/db_query", {"sql": "nonsense"})
    assert value_of(bad, "failed")["error_brief"] == 'near "nonsense": syntax error'
    assert bad.outcome["exception"] == "sqlite3.OperationalError"


def test_cancel_ends_gaias_sleep(world):
    run = world.board.start_run("gaia/sleep", {"seconds": 60})
    world.board.api().post(f"runs/{run['id']}/cancel")
    assert world.board.ended(run["id"])["state"] == "cancelled"


def test_limit_of_a_tool_of_gaia_is_kept_by_pegboard(world):
    made = start(world, "gaiaown/linger", {"seconds": 30})
    assert made.run["state"] == "timed_out"
    assert made.run["reason"].startswith("Tool 'linger' timed out after 1 seconds")


def test_agent_of_gaia_has_its_own_tools_and_gate(world):
    value = value_of(start(world, "gaiaown/greet", {"name": "Ada"}))
    assert value["message"] == "Hello, Ada"
    assert start(world, "gaiaown/close_ticket", {"number": 5}).status == 409
    made = start(world, "gaiaown/close_ticket", {"number": 5}, confirm=True)
    assert value_of(made)["closed"] == 5
    assert value_of(start(world, "gaiaown/orphan_tool", {"text": "a"})) == "A"
    assert value_of(start(world, "gaiaown/listed", {"text": "a"})) == "a"


def test_tool_that_gaia_registers_at_run_time_has_the_contract_of_its_entry(world):
    label = "gaiaown/mcp_demo_get-sum"
    shown = world.board.api().get(f"tools/{label}").json()["contract"]
    assert shown["description"] == "[MCP:demo] Add two numbers."
    assert shown["display_label"] == "get-sum (demo)"
    assert shown["parameters"]["properties"]["a"]["description"] == "First"
    assert shown["parameters"]["required"] == ["a", "b"]
    assert start(world, label, {"a": 2}).status == 400
    assert value_of(start(world, label, {"a": 2, "b": 3}))["sum"] == 5


def test_coroutine_of_gaia_is_awaited(world):
    value = value_of(start(world, "gaiaown/later", {"text": "soon"}))
    assert value == {"status": "success", "text": "soon"}


def test_what_a_tool_of_gaia_raises_is_told_with_its_traceback(world):
    made = start(world, "gaiaown/stumble", {"text": "luck"})
    assert value_of(made, "failed")["error_displayed"] is True
    outcome = made.outcome
    assert (outcome["reported_by"], outcome["exception"]) == (
        "exception",
        "LookupError",
    )
    assert outcome["error"] == "bad luck"
    assert "in stumble" in outcome["traceback"]
    assert "_execute_tool" not in outcome["traceback"]


def test_tools_of_the_guide_run_under_gaia_itself(world):
    value = value_of(start(world, "gaiaown/query_users", {"role": "developer"}))
    assert value["total_matches"] == 3
    assert value_of(start(world, "gaiaown/calculate", {"expression": "2 + 3"})) == 5.0
    made = start(world, "gaiaown/search_all", {"query": "q"})
    assert made.run["shade"] == "partial"
    made = start(world, "gaiaown/get_user", {"user_id": 999})
    assert made.run["state"] == "failed"
    assert made.outcome["suggestion"].startswith("Check the user ID")


# -- Lye


def test_document_and_markdown_are_read_by_lye(world):
    made = start(world, "lye/files-read_file", {"file_url": "data.json"})
    assert value_of(made)["success"] is True
    made = start(world, "lye/files-read_file", {"file_url": "nowhere.txt"})
    assert value_of(made, "failed")["success"] is False


def test_any_content_can_be_written_by_lye(world):
    for content, name in (("plain", "a.txt"), ([1, 2], "b.json"), ({"k": 1}, "c.json")):
        arguments = {"content": content, "file_url": name}
        made = start(world, "lye/files-write_file", arguments)
        assert value_of(made)["success"] is True
        assert name in files_of(world, made.run)


def test_command_that_ends_unwell_did_run(world):
    made = start(
        world, "lye/command_line-run_command", {"command": "head -n 1 sales.csv"}
    )
    assert value_of(made)["output"] == "region,units,price\n"
    made = start(world, "lye/command_line-run_command", {"command": "ls nowhere"})
    assert value_of(made)["exit_code"] != 0


def test_page_is_fetched_as_it_is(world):
    url = f"http://127.0.0.1:{world.port}/page.html"
    value = value_of(start(world, "lye/web-fetch_page", {"url": url, "format": "html"}))
    assert "<" in value["content"]


def test_message_without_a_token_is_no_success_story(world):
    made = start(world, "lye/slack-create_channel", {"name": "x"})
    assert made.outcome.get("value") in (None, False)
    output = world.board.output(made.run["id"])
    assert "SLACK_BOT_TOKEN" in output + json.dumps(made.outcome)


# -- LangChain


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("sql_db_query", {"query": "select count(*) n from items"}, "[(2,)]"),
        ("sql_db_query", {"query": "select name from items where id = 2"}, "[('b',)]"),
        ("json_spec_list_keys", {"tool_input": "data"}, "['a']"),
        ("json_spec_get_value", {"tool_input": 'data["a"]["b"][0]'}, "1"),
        ("read_file", {"file_path": "sub/readme.md"}, None),
        ("file_search", {"pattern": "*.csv"}, "sales.csv"),
    ],
)
def test_community_tools_answer(world, tool, arguments, expected):
    value = value_of(start(world, f"langchain/{tool}", arguments))
    assert value == expected or expected is None


def test_number_that_is_none_is_refused_at_the_door(world):
    made = start(world, "langchain/sleep", {"sleep_time": "abc"})
    assert made.status == 400
    assert "/sleep_time" in json.dumps(made.body)


# -- MCP


def test_progress_of_a_real_server_is_seen(world):
    made = start(
        world, "everything/trigger-long-running-operation", {"duration": 1, "steps": 4}
    )
    assert "completed" in value_of(made)
    events = world.board.events(made.run["id"])
    done = [e["data"]["current"] for e in events if e["kind"] == "progress"]
    assert done[-1] == 4
    assert len(done) >= 2


def test_tool_that_needs_tasks_is_not_startable(world):
    made = start(world, "everything/simulate-research-query", {"topic": "x"})
    assert made.status == 409
    assert "task" in json.dumps(made.body)


def test_environment_of_a_server_has_no_secret_of_pegboard(world):
    value = value_of(start(world, "everything/get-env", {}))
    names = set(json.loads(value))
    assert "PEGBOARD_RUN_DIR" in names
    assert not names & {"SECRET_KEY", "DATABASE_URL", "REDIS_URL"}


def test_long_call_of_a_server_is_cancelled(world):
    arguments = {"duration": 60, "steps": 60}
    label = "everything/trigger-long-running-operation"
    run = world.board.start_run(label, arguments)
    world.board.api().post(f"runs/{run['id']}/cancel")
    assert world.board.ended(run["id"])["state"] == "cancelled"


def test_memory_of_a_server_lasts_from_run_to_run(world):
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    value_of(start(world, "memory/create_entities", {"entities": [entity]}))
    value = value_of(start(world, "memory/read_graph", {}))
    assert value["entities"][0]["name"] == "Ada"


def test_folder_of_a_server_is_written_and_listed(world):
    path = str(world.place / "mcp" / "made-by-mcp.txt")
    value_of(start(world, "filesystem/write_file", {"path": path, "content": "hi"}))
    assert "made-by-mcp.txt" in json.dumps(
        value_of(
            start(
                world, "filesystem/list_directory", {"path": str(world.place / "mcp")}
            )
        )
    )


def test_zone_that_is_none_is_an_error_of_the_server(world):
    made = start(world, "time/get_current_time", {"timezone": "Nowhere/Land"})
    assert made.run["state"] == "failed"
    assert "Nowhere/Land" in made.outcome["error"]


def test_repository_is_looked_at(world, tmp_path):
    git = shutil.which("git")
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True)
    value = value_of(start(world, "git/git_status", {"repo_path": str(tmp_path)}))
    assert "No commits yet" in json.dumps(value)
