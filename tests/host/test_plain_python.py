"""A source's python may be older than ours, and have nothing installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

VERSIONS = ("3.10", "3.11", "3.12")
TOOLS = '''
from __future__ import annotations
import dataclasses, datetime, decimal, enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, TypedDict, Union
from pegboard_tool import InputFile, progress, tool

class Colour(enum.Enum):
    red = "r"
    pair = (1, 2)

class Size(enum.Enum):
    small = 1
    large = 2

@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0

class Options(TypedDict, total=False):
    deep: bool

@tool(timeout=5)
def everything(
    size: Size, colour: Colour = Colour.pair,
    on: datetime.date = datetime.date(2026, 1, 2),
    at: Optional[datetime.datetime] = None, price: decimal.Decimal = None,
    path: Path = Path("a"), point: Point = Point(1), options: Options = None,
    pair: tuple[int, str] = (1, "a"), tags: set[str] = frozenset(),
    either: Union[int, list[int]] = 5, mode: Literal["a", 1] = "a",
    count: Annotated[int, "How many"] = 3, data: bytes = b"", more: dict[str, int] = {},
    anything: Any = None,
) -> str:
    """Take everything."""
    progress(1, 2, "half")
    return repr((size, colour, on, at, price, path, point, options, pair, tags,
                 either, mode, count, data, more, anything))

@tool
def read(file: InputFile) -> str:
    """Read."""
    return Path(file).read_text()

@tool
def values() -> dict:
    """Values."""
    return {"set": {2, 1}, "nan": float("nan"), "bytes": b"x"}

@tool
def call_back(function: Path.__class__) -> str:
    """No JSON makes one."""
'''


def _pythons():
    """Other interpreters on this machine, without our packages."""
    for version in VERSIONS:
        found = shutil.which(f"python{version}")
        roots = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
        for path in (*roots, *([found] if found else [])):
            works = subprocess.run([path, "-c", ""], capture_output=True, check=False)
            if works.returncode == 0:
                yield str(path)
                break


@pytest.fixture(scope="module", params=list(_pythons()) or [None])
def python(request):
    if request.param is None:
        pytest.skip("no older python on this machine")
    return request.param


@pytest.fixture
def host(python, start_host, tmp_path):
    (tmp_path / "bare.py").write_text(TOOLS)
    return start_host("bare", python=python, path=[tmp_path])


def test_tools_are_listed_and_run_without_any_package(host, tmp_path):
    assert host.problems == []
    found = host.tools["everything"]
    assert found["unusable"] is None
    properties = found["parameters"]["properties"]
    assert found["parameters"]["required"] == ["size"]
    assert properties["size"]["enum"] == [1, 2]
    assert properties["colour"]["default"] == "pair"
    assert properties["count"]["description"] == "How many"
    assert properties["mode"]["enum"] == ["a", 1]
    assert {"type": "null"} in properties["price"]["anyOf"]
    said = host.run("everything", {"size": 2}).value
    assert said.startswith("(<Size.large: 2>, <Colour.pair: (1, 2)>, datetime.date(")
    given = {
        "size": 1, "colour": "red", "on": "2026-03-04", "at": "2026-01-02T03:04:05Z",
        "price": "2.50", "path": "b", "point": {"x": 2}, "options": {"deep": True},
        "pair": [2, "b"], "tags": ["t"], "either": [1], "mode": 1, "count": 4,
        "data": "/w==", "more": {"a": 1}, "anything": [None],
    }  # fmt: skip
    run = host.run("everything", given)
    assert "Decimal('2.50'), PosixPath('b'), Point(x=2.0, y=0.0)" in run.value
    assert "{'deep': True}, (2, 'b'), {'t'}, [1], 1, 4, b'\\xff', {'a': 1}" in run.value
    assert run.of_kind("progress")[-1]["fraction"] == 0.5


def test_wrong_arguments_are_told_by_name(host):
    run = host.run("everything", {"size": 3, "count": "x", "pair": [1]})
    assert run.verdict["reported_by"] == "arguments"
    said = run.verdict["error"]
    assert [line.partition(":")[0] for line in said.splitlines()] == [
        "size",
        "pair",
        "count",
    ]


def test_what_it_cannot_build_is_listed_with_the_reason(host):
    assert "from JSON" in host.tools["call_back"]["unusable"]


def test_values_and_files_come_through(host, tmp_path):
    run = host.run("values")
    assert run.value["set"] == [1, 2]
    assert run.value["nan"] == "NaN"
    assert run.file("bytes.txt") == b"x"
    (tmp_path / "in").write_text("inside")
    upload = {"path": str(tmp_path / "in"), "name": "in", "media_type": ""}
    run = host.run("read", {"file": {"upload": "1"}}, uploads={"1": upload})
    assert run.value == "inside"


def test_a_run_there_is_timed_out_like_any(start_host, python):
    host = start_host("tests.tools.deeds", python=python)
    if not host.tools:
        pytest.skip(host.problems[0]["reason"])
    assert host.run("stubborn", limit=0.3).end["how"] == "timed_out"
