"""File tools as dicts of a definition and an implementation, as Lye has them."""

# ruff: noqa: T201 - what a tool prints is shown while it runs

from __future__ import annotations

import base64
import csv
import fnmatch
import io
import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "samples"
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.is_file())
TABLES = [name for name in FILES if name.endswith((".csv", ".json"))]
Files = list[dict[str, Any]]


def find_files(*, pattern: str = "*") -> dict[str, Any]:
    """List the samples whose name fits a pattern."""
    found = [
        {"name": path.name, "bytes": path.stat().st_size, "kind": path.suffix[1:]}
        for path in sorted(SAMPLES.iterdir())
        if fnmatch.fnmatch(path.name.lower(), pattern.lower())
    ]
    if not found:
        error = f"No sample fits {pattern!r}. There are: {', '.join(FILES)}"
        return {"success": False, "error": error}
    return {"success": True, "count": len(found), "files": found}


def search_text(
    *, query: str, case_sensitive: bool = False, max_results: int = 20
) -> dict[str, Any]:
    """Look for a text in every line of every sample."""
    wanted = query if case_sensitive else query.lower()
    matches = []
    for path in sorted(SAMPLES.iterdir()):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if wanted in (line if case_sensitive else line.lower()):
                matches.append({"file": path.name, "line": number, "text": line[:200]})
    print(f"searched {len(FILES)} files")
    return {
        "success": True,
        "total_matches": len(matches),
        "showing": min(len(matches), max_results),
        "matches": matches[:max_results],
    }


def analyse_table(
    *, file: str, group_by: str | None = None
) -> list[dict[str, Any]] | dict[str, Any]:
    """Sum up a table: one row per column, or per value of a column."""
    rows = read_rows(file)
    if group_by is None:
        return [summary(name, [row[name] for row in rows]) for name in rows[0]]
    if group_by not in rows[0]:
        error = f"{file} has no column {group_by!r}. There are: {', '.join(rows[0])}"
        return {"success": False, "error": error}
    return grouped(rows, group_by)


def read_rows(file: str) -> list[dict[str, Any]]:
    """Read a sample as rows, numbers as numbers."""
    if file not in TABLES:
        raise ValueError(f"There is no table {file!r}. There are: {', '.join(TABLES)}")
    text = (SAMPLES / file).read_text("utf-8")
    if file.endswith(".json"):
        rows: list[dict[str, Any]] = json.loads(text)
        return rows
    return [
        {name: number(value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


def number(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def summary(name: str, values: list[Any]) -> dict[str, Any]:
    """One row about one column."""
    numbers = [v for v in values if isinstance(v, int | float)]
    if len(numbers) == len(values):
        return {
            "column": name, "type": "number", "count": len(values),
            "min": min(numbers), "max": max(numbers),
            "sum": round(sum(numbers), 2), "mean": round(statistics.mean(numbers), 2),
            "most_common": None,
        }  # fmt: skip
    common, times = Counter(map(str, values)).most_common(1)[0]
    return {
        "column": name, "type": "text", "count": len(values), "min": None, "max": None,
        "sum": None, "mean": None, "most_common": f"{common} ({times} times)",
    }  # fmt: skip


def grouped(rows: list[dict[str, Any]], by: str) -> list[dict[str, Any]]:
    """One row per value of a column, with the sums of the numbers."""
    numeric = [
        name
        for name, value in rows[0].items()
        if name != by and isinstance(value, int | float)
    ]
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[by], []).append(row)
    return [
        {by: key, "rows": len(group)}
        | {
            f"sum of {name}": round(sum(row[name] for row in group), 2)
            for name in numeric
        }
        for key, group in sorted(groups.items(), key=lambda item: str(item[0]))
    ]


def plot_table(
    *, file: str, column: str, label_column: str | None = None, colour: str = "#3465a4"
) -> tuple[str, Files]:
    """Draw one column of a table as bars."""
    rows = read_rows(file)
    if not isinstance(rows[0].get(column), int | float):
        numeric = [n for n, v in rows[0].items() if isinstance(v, int | float)]
        raise ValueError(
            f"{column!r} is no column of numbers. There are: {', '.join(numeric)}"
        )
    label_column = label_column or next(iter(rows[0]))
    labels = [str(row.get(label_column, "")) for row in rows]
    svg = bars(labels, [float(row[column]) for row in rows], column, colour)
    name = f"{Path(file).stem}-{column}.svg"
    return f"Drew {len(rows)} values of {column} from {file}", [
        {
            "filename": name,
            "content": base64.b64encode(svg.encode()).decode(),
            "mime_type": "image/svg+xml",
            "description": f"{column} by {label_column}",
        }
    ]


def bars(labels: list[str], values: list[float], title: str, colour: str) -> str:
    """A bar chart as SVG, zero line included."""
    from xml.sax.saxutils import escape, quoteattr

    top, bottom = max(0.0, *values), min(0.0, *values)
    span, width, height = (top - bottom) or 1.0, 40, 260
    parts = []
    for index, (label, value) in enumerate(zip(labels, values, strict=True)):
        x, zero = 50 + index * width, 30 + height * top / span
        size = height * abs(value) / span
        y = zero - size if value >= 0 else zero
        parts.append(
            f'<rect x="{x}" y="{y:.1f}" width="{width - 10}" height="{size:.1f}" '
            f"fill={quoteattr(colour)}><title>{escape(label)}: {value:g}</title></rect>"
            f'<text x="{x + 15}" y="310" transform="rotate(45 {x + 15} 310)" '
            f'font-size="11">{escape(label)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
        f'viewBox="0 0 {70 + len(values) * width} 380">'
        f'<text x="50" y="20" font-size="14">{escape(title)}</text>'
        f'<text x="5" y="38" font-size="11">{top:g}</text>'
        f'<text x="5" y="{30 + height}" font-size="11">{bottom:g}</text>'
        f"{''.join(parts)}</svg>\n"
    )


async def write_report(
    ctx: Any, *, title: str, files: list[str] | None = None, kind: str = "markdown"
) -> tuple[str, Files]:
    """Write a report on tables, telling how far it is."""
    chosen = files or TABLES
    lines = [f"# {title}", ""]
    for done, file in enumerate(chosen, 1):
        await ctx.progress_callback(done, len(chosen), f"reading {file}")
        lines += [f"## {file}", ""]
        rows = read_rows(file)
        for name in rows[0]:
            _, *facts = summary(name, [row[name] for row in rows]).values()
            lines.append(f"- **{name}**: " + ", ".join(str(f) for f in facts if f))
        lines.append("")
    text = "\n".join(lines)
    if kind == "text":
        text = text.replace("**", "").replace("# ", "").replace("#", "")
    suffix, subtype = (".txt", "plain") if kind == "text" else (".md", "markdown")
    return f"Wrote a report on {len(chosen)} tables", [
        {
            "filename": f"{title}{suffix}",
            "content": base64.b64encode(text.encode()).decode(),
            "mime_type": f"text/{subtype}",
        }
    ]


def _tool(
    function: Any,
    name: str,
    description: str,
    properties: dict[str, Any],
    required: tuple[str, ...] = (),
    **more: Any,
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    told = {"name": name, "description": description, "parameters": parameters}
    return {
        "definition": {"type": "function", "function": told},
        "implementation": function,
        "type": "standard",
        **more,
    }


TABLE = {
    "type": "string",
    "description": "Name of a sample table",
    "enum": TABLES,
}

TOOLS = [
    _tool(
        find_files,
        "samples-find_files",
        "Find sample files by a pattern of their name, with size and kind. Use this "
        "to see which samples there are before reading one.",
        {
            "pattern": {
                "type": "string",
                "description": "Name pattern with * and ?, e.g. *.csv",
                "default": "*",
            }
        },
    ),
    _tool(
        search_text,
        "samples-search_text",
        "Search all sample files for a text and return the matching lines with file "
        "and line number. Use this when the user looks for a word or phrase.",
        {
            "query": {
                "type": "string",
                "minLength": 1,
                "description": "Text to look for, e.g. fan or Bergen",
            },
            "case_sensitive": {
                "type": "boolean",
                "description": "Whether capitals matter",
                "default": False,
            },
            "max_results": {
                "type": "integer",
                "description": "Most lines to return",
                "minimum": 1,
                "maximum": 200,
                "default": 20,
            },
        },
        ("query",),
    ),
    _tool(
        analyse_table,
        "tables-analyse",
        "Analyse a CSV or JSON sample and return a table: per column its type, range "
        "and sum, or per value of group_by the sums of all numbers. Use this for "
        "questions about totals, averages or distributions.",
        {
            "file": TABLE,
            "group_by": {
                "type": ["string", "null"],
                "description": "Column to group by, e.g. city; empty for an overview",
                "default": None,
            },
        },
        ("file",),
    ),
    _tool(
        plot_table,
        "tables-plot",
        "Draw one numeric column of a sample table as a bar chart and return it as an "
        "SVG file. Use this when the user wants to see numbers as a picture.",
        {
            "file": TABLE,
            "column": {
                "type": "string",
                "description": "Numeric column to draw, e.g. oslo or quantity",
            },
            "label_column": {
                "type": ["string", "null"],
                "description": "Column to label the bars with; the first if empty",
                "default": None,
            },
            "colour": {
                "type": "string",
                "description": "Colour of the bars, e.g. #3465a4",
                "pattern": "^#[0-9a-fA-F]{6}$",
                "default": "#3465a4",
            },
        },
        ("file", "column"),
        timeout=30.0,
    ),
    _tool(
        write_report,
        "tables-write_report",
        "Write a report on one or more sample tables and return it as a text file. "
        "Use this when the user asks for a written summary to keep or send.",
        {
            "title": {
                "type": "string",
                "minLength": 1,
                "maxLength": 80,
                "description": "Title of the report, also its file name",
            },
            "files": {
                "type": "array",
                "items": TABLE,
                "uniqueItems": True,
                "description": "Tables to report on; all if left out",
            },
            "kind": {
                "type": "string",
                "enum": ["markdown", "text"],
                "description": "Kind of file to write",
                "default": "markdown",
            },
        },
        ("title",),
        timeout=60.0,
    ),
]
