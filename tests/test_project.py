"""What holds for the project as a whole."""

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LOCKS = ["requirements.txt", "requirements-dev.txt"]


def run(*command, **env):
    """Run a command of our environment; return its exit code with all it said."""
    program = Path(sys.prefix) / "bin" / command[0]
    done = subprocess.run(
        [program, *command[1:]],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def pins(lock):
    """Return (requirement, its lines) for each entry of a lock file."""
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text().strip())
    return [(Requirement(one.split("\\")[0].strip()), one) for one in entries]


def ours():
    """Return our Python files, migrations and tests apart."""
    folders = ["config", "catalog", "runner"]
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    return [file for file in files if "migrations" not in file.parts]


def imports(file):
    """Return the modules that a file names in its imports, wherever these stand."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_imports_obey_the_layers():
    code, said = run("lint-imports")

    assert code == 0, said


def test_the_host_imports_nothing_of_ours_or_of_django():
    banned = {"catalog", "config", "runner", "django", "rest_framework", "celery"}

    for file in (ROOT / "catalog/host").rglob("*.py"):
        assert not banned & {name.split(".")[0] for name in imports(file)}, file


def test_neither_web_nor_worker_imports_a_tool():
    tools = ROOT / "catalog/examples"
    for file in ours():
        if file.is_relative_to(tools) or file.is_relative_to(ROOT / "catalog/host"):
            continue
        named = set(imports(file))
        assert not any(name.startswith("catalog.examples") for name in named), file
        assert "pegboard_tool" not in named, file


def test_the_deployment_checks_are_clean(tmp_path):
    code, said = run(
        "python", "manage.py", "check", "--deploy", "--fail-level", "WARNING",
        PEGBOARD_DATA=str(tmp_path), PEGBOARD_HTTPS="true",
    )  # fmt: skip

    assert code == 0, said


def test_every_setting_is_documented_and_every_documented_setting_is_read():
    read = set()
    for file in (ROOT / "config").rglob("*.py"):
        read |= set(re.findall(r'\benv\.\w+\(\s*"([A-Z_]+)"', file.read_text()))

    documented = re.findall(
        r"^\| `([A-Z_]+)` \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE
    )

    assert read == set(documented)
    assert len(documented) == len(set(documented))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PEGBOARD_RUN_TIMEOUT", "soon"),
        ("PEGBOARD_LOG_LEVEL", "loud"),
        ("PEGBOARD_STORAGE_OPTIONS", "{"),
        ("PEGBOARD_TIME_ZONE", "Nowhere/Atlantis"),
        ("DATABASE_URL", "mysql://db/board"),
        ("DATABASE_URL", "postgresql://db:99999/board"),
        ("DATABASE_URL", "postgresql://[db/board"),
    ],
)
def test_a_setting_that_makes_no_sense_stops_the_start(tmp_path, name, value):
    code, said = run(
        "python", "manage.py", "check", **{"PEGBOARD_DATA": str(tmp_path), name: value}
    )

    assert code != 0
    assert len(said.splitlines()) == 1
    assert name in said or value in said


def test_a_database_address_is_taken_apart(tmp_path):
    code, said = run(
        "python", "-c",
        "from config.settings import database; d = database();"
        "print(d['USER'], d['PASSWORD'], d['HOST'], d['PORT'], d['NAME'],"
        " d['OPTIONS']['sslmode'])",
        PEGBOARD_DATA=str(tmp_path),
        DATABASE_URL="postgresql://peg:p%40ss@db:5433/board?sslmode=require",
    )  # fmt: skip

    assert (code, said) == (0, "peg p@ss db 5433 board require\n")


def test_another_database_than_postgresql_stops_the_start(tmp_path):
    code, said = run(
        "python", "manage.py", "check",
        PEGBOARD_DATA=str(tmp_path), DATABASE_URL="mysql://db/board",
    )  # fmt: skip

    assert code != 0
    assert "DATABASE_URL must start with postgresql://" in said


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_is_pinned_with_hashes(lock):
    for requirement, entry in pins(lock):
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), entry
        assert "--hash=sha256:" in entry, requirement


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_names_no_registry(lock):
    text = (ROOT / lock).read_text()

    assert "://" not in text
    assert "index-url" not in text


def test_both_locks_agree():
    runtime, development = (
        {f"{one.name}{one.specifier}" for one, _ in pins(lock)} for lock in LOCKS
    )

    assert runtime <= development


def test_the_lock_is_what_is_installed_here():
    for requirement, _ in pins("requirements-dev.txt"):
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier.contains(version(requirement.name))


def test_the_compose_file_is_valid():
    code, said = run(
        "check-jsonschema", "--builtin-schema", "vendor.compose-spec",
        "docker-compose.yml",
    )  # fmt: skip

    assert code == 0, said


def test_the_compose_file_has_every_part():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    assert set(compose["services"]) == {"db", "valkey", "web", "worker", "beat"}


def test_the_readme_shows_nothing_that_is_not_a_target():
    shown = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text()))
    makefile = (ROOT / "Makefile").read_text()

    assert shown <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_the_version_is_the_first_of_the_changelog(settings):
    headings = re.findall(
        r"^## (v\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )

    assert headings[0] == settings.VERSION


def test_functions_stay_short():
    lengths = {}
    for file in ours():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"
                lengths[name] = node.end_lineno - node.lineno + 1

    assert [name for name, length in lengths.items() if length > 50] == []
    assert sorted(lengths.values())[len(lengths) * 9 // 10] < 25
