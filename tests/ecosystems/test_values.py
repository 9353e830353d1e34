"""What the libraries of data people return is shown as rows, numbers and pictures."""

import io

import pytest

from tests.environment import ROOT
from tests.host.hosting import HostProcess


@pytest.fixture(scope="module")
def host(tmp_path_factory, pythons):
    host = HostProcess(
        tmp_path_factory.mktemp("host"),
        ["frames"],
        python=pythons["frames"],
        path=[ROOT / "tests" / "tools"],
    )
    yield host
    host.stop()


def got(host, tool, kind):
    return host.run(tool, {"kind": kind}, limit=60).value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("small", [[1, 2], [3, 4]]),
        ("floats", [1.5, "NaN", "Infinity"]),
        ("empty", []),
        ("scalar", 1.5),
        ("whole", 2**62),
        ("truth", True),
        ("moment", "2026-11-30T12:00:00"),
        ("words", ["a", "b"]),
        ("moments", ["2026-11-30"]),
        ("objects", [{"a": 1}, None]),
        ("record", [[1, 2.5]]),
        ("complex", ["(1+2j)"]),
        ("inside", {"scores": [1, "NaN"]}),
        ("masked", [1, None]),
        ("zero", 7),
        ("keys", {"3": "three"}),
    ],
)
def test_arrays_and_scalars_of_numpy(host, kind, value):
    assert got(host, "array", kind) == value


def test_large_array_is_a_file(host):
    run = host.run("array", {"kind": "large"}, limit=60)
    assert run.value["$file"].endswith(".npy")
    assert run.file(run.value["$file"]).startswith(b"\x93NUMPY")


MOMENT = "2026-11-30T12:00:00+00:00"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("small", [{"a": 1, "b": "x"}, {"a": 2, "b": None}]),
        ("gaps", [{"a": 1.5, "t": MOMENT}, {"a": "NaN", "t": None}]),
        ("nullable", [{"a": 1}, {"a": None}]),
        ("indexed", [{"key": "x", "n": 1}, {"key": "y", "n": 2}]),
        ("labels", [{"index": "x", "n": 1}, {"index": "y", "n": 2}]),
        ("levels", [{"a, x": 1, "a, y": 2}]),
        ("twice", [{"a": 1, "a (2)": 2}]),
        ("numbers", [{"0": 1, "1": 2}]),
        ("category", [{"c": "u"}, {"c": "v"}]),
        ("odd", [{"d": "1.10", "o": {"k": [1]}, "s": "P0DT0S"}]),
        ("series", [{"index": "x", "value": 1}, {"index": "y", "value": 2}]),
        ("index", ["x", "y"]),
        ("moment", MOMENT),
        ("span", "P0DT10800S"),
        ("nat", None),
        ("na", [None, 1]),
        ("period", "2026-11"),
        ("interval", "(0, 1]"),
        ("empty", []),
        ("array", [1, None]),
        ("inside", {"table": [{"a": 1}], "n": 1}),
    ],
)
def test_tables_and_scalars_of_pandas(host, kind, value):
    assert got(host, "table", kind) == value


def test_groups_of_pandas_are_told_by_their_text(host):
    assert "DataFrameGroupBy" in got(host, "table", "groups")


def test_large_table_is_cut_and_whole_as_a_file(host):
    run = host.run("table", {"kind": "large"}, limit=60)
    assert 0 < len(run.value) < 5000
    (file,) = run.told["files"]
    assert run.file(file["name"]).count(b"\n") == 5001
    assert file["media_type"] == "text/csv"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (
            "small",
            [
                {"a": 1, "b": "x", "d": "2026-11-30"},
                {"a": 2, "b": None, "d": "2026-11-30"},
            ],
        ),
        ("series", [1, 2]),
        ("nested", [{"l": [1, 2], "s": {"k": 1}}]),
        ("empty", []),
        ("nan", [{"x": "NaN"}]),
    ],
)
def test_frames_of_polars(host, kind, value):
    assert got(host, "frame", kind) == value


def test_large_frame_of_polars_is_cut_and_whole_as_a_file(host):
    run = host.run("frame", {"kind": "large"}, limit=60)
    assert 0 < len(run.value) < 5000
    (file,) = run.told["files"]
    assert run.file(file["name"]).count(b"\n") == 5001


def test_lazy_frame_is_told_by_its_plan(host):
    assert "LazyFrame" in str(got(host, "frame", "lazy"))


@pytest.mark.parametrize(
    "mode",
    ["1", "L", "P", "RGB", "RGBA", "CMYK", "I", "F", "LAB", "YCbCr", "HSV", "I;16"],
)
def test_pictures_of_every_mode_are_files(host, mode):
    run = host.run("picture", {"mode": mode}, limit=60)
    assert run.value["media_type"] == "image/png"
    assert run.file(run.value["$file"]).startswith(b"\x89PNG")
    assert run.notes == {"": "image"}


def test_pictures_lie_where_they_were(host):
    run = host.run("pictures", limit=60)
    assert run.value["n"] == 2
    names = {run.value["before"]["$file"], run.value["after"][0]["$file"]}
    assert names == {file["name"] for file in run.told["files"]}


@pytest.mark.parametrize("what", ["figure", "axes", "line"])
def test_drawings_are_pictures(host, what):
    run = host.run("plot", {"what": what}, limit=60)
    content = run.file(run.value["$file"])
    assert content.startswith(b"\x89PNG")
    assert len(content) > 1000
    assert io.BytesIO(content).getbuffer().nbytes == run.value["size"]


def test_list_of_lines_is_a_list_of_pictures(host):
    run = host.run("plot", {"what": "lines"}, limit=60)
    assert run.value[0]["media_type"] == "image/png"
