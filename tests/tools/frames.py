"""Tools that return what the libraries of data people return."""

import datetime
import decimal


def array(kind: str = "small"):
    """Return a numpy array or scalar."""
    import numpy

    kinds = {
        "small": lambda: numpy.array([[1, 2], [3, 4]]),
        "floats": lambda: numpy.array([1.5, numpy.nan, numpy.inf]),
        "large": lambda: numpy.zeros((400, 400)),
        "empty": lambda: numpy.array([]),
        "scalar": lambda: numpy.float32(1.5),
        "whole": lambda: numpy.int64(2**62),
        "truth": lambda: numpy.bool_(True),
        "moment": lambda: numpy.datetime64("2026-11-30T12:00"),
        "words": lambda: numpy.array(["a", "b"]),
        "moments": lambda: numpy.array(["2026-11-30"], dtype="datetime64[D]"),
        "objects": lambda: numpy.array([{"a": 1}, None], dtype=object),
        "record": lambda: numpy.array([(1, 2.5)], dtype=[("n", "i4"), ("x", "f8")]),
        "complex": lambda: numpy.array([1 + 2j]),
        "inside": lambda: {"scores": [numpy.int32(1), numpy.float64("nan")]},
        "masked": lambda: numpy.ma.array([1, 2], mask=[False, True]),
        "zero": lambda: numpy.array(7),
        "keys": lambda: {numpy.int64(3): "three"},
        "bytes": lambda: numpy.bytes_(b"raw"),
    }
    return kinds[kind]()


def table(kind: str = "small"):
    """Return a pandas object."""
    import pandas

    moment = pandas.Timestamp("2026-11-30 12:00", tz="UTC")
    kinds = {
        "small": lambda: pandas.DataFrame({"a": [1, 2], "b": ["x", None]}),
        "gaps": lambda: pandas.DataFrame(
            {"a": [1.5, float("nan")], "t": [moment, None]}
        ),
        "nullable": lambda: pandas.DataFrame({"a": pandas.array([1, None], "Int64")}),
        "large": lambda: pandas.DataFrame({"n": range(5000)}),
        "indexed": lambda: pandas.DataFrame(
            {"n": [1, 2]}, index=pandas.Index(["x", "y"], name="key")
        ),
        "labels": lambda: pandas.DataFrame({"n": [1, 2]}, index=["x", "y"]),
        "levels": lambda: pandas.DataFrame({("a", "x"): [1], ("a", "y"): [2]}),
        "twice": lambda: pandas.DataFrame([[1, 2]], columns=["a", "a"]),
        "numbers": lambda: pandas.DataFrame({0: [1], 1: [2]}),
        "category": lambda: pandas.DataFrame({"c": pandas.Categorical(["u", "v"])}),
        "odd": lambda: pandas.DataFrame(
            {"d": [decimal.Decimal("1.10")], "o": [{"k": [1]}], "s": [moment - moment]}
        ),
        "series": lambda: pandas.Series([1, 2], index=["x", "y"], name="n"),
        "index": lambda: pandas.Index(["x", "y"]),
        "moment": lambda: moment,
        "span": lambda: pandas.Timedelta(hours=3),
        "nat": lambda: pandas.NaT,
        "na": lambda: [pandas.NA, 1],
        "period": lambda: pandas.Period("2026-11"),
        "interval": lambda: pandas.Interval(0, 1),
        "empty": lambda: pandas.DataFrame(),
        "array": lambda: pandas.array([1, None], "Int64"),
        "groups": lambda: pandas.DataFrame({"a": [1, 1], "n": [2, 3]}).groupby("a"),
        "inside": lambda: {"table": pandas.DataFrame({"a": [1]}), "n": 1},
    }
    return kinds[kind]()


def frame(kind: str = "small"):
    """Return a polars object."""
    import polars

    day = datetime.date(2026, 11, 30)
    kinds = {
        "small": lambda: polars.DataFrame(
            {"a": [1, 2], "b": ["x", None], "d": [day] * 2}
        ),
        "large": lambda: polars.DataFrame({"n": range(5000)}),
        "series": lambda: polars.Series("n", [1, 2]),
        "lazy": lambda: polars.LazyFrame({"a": [1, 2]}),
        "nested": lambda: polars.DataFrame({"l": [[1, 2]], "s": [{"k": 1}]}),
        "empty": lambda: polars.DataFrame(),
        "nan": lambda: polars.DataFrame({"x": [float("nan")]}),
    }
    return kinds[kind]()


def picture(mode: str = "RGB"):
    """Return a Pillow picture."""
    from PIL import Image

    return Image.new(mode, (8, 6))


def pictures():
    """Return pictures among other things."""
    from PIL import Image

    return {
        "before": Image.new("RGB", (2, 2)),
        "after": [Image.new("L", (3, 3))],
        "n": 2,
    }


def plot(what: str = "figure"):
    """Return what matplotlib draws."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    lines = axes.plot([1, 2, 3], [1, 4, 9])
    return {"figure": figure, "axes": axes, "line": lines[0], "lines": lines}[what]
