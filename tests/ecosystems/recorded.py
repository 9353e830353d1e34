"""The recorded calls of the real packages, and how an answer is held against one."""

import base64
import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

from tests.environment import ROOT

# Moments of a clock, in the forms in which the packages write them.
MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?|\d+ \w+ ago|just now"
)
DAY = re.compile(r"\d{4}-\d\d-\d\d|\b\w+day\b")
PDF_OBJECTS = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>",
)


def blank_pdf() -> bytes:
    """A document of one page with nothing on it."""
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(PDF_OBJECTS, 1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, body)
    rows = [b"0000000000 65535 f \n", *(b"%010d 00000 n \n" % at for at in places)]
    table = b"xref\n0 4\n" + b"".join(rows) + b"trailer<</Root 1 0 R/Size 4>>\n"
    return content + table + b"startxref\n%d\n%%%%EOF\n" % len(content)


def folder() -> Path:
    """The acceptance folder: beside the checkout, or where the environment says."""
    named = os.environ.get("PEGBOARD_ACCEPTANCE")
    return Path(named) if named else ROOT.parent / "shared" / "acceptance"


def calls() -> dict[str, list[dict]]:
    """The recorded calls of each ecosystem; none where the folder is not there."""
    file = folder() / "recorded_runs.json"
    return json.loads(file.read_text()) if file.exists() else {}


def copy_for(ecosystem: str, to: Path) -> Path:
    """A fresh copy of the folder, with just the files the recording had."""
    to.mkdir(parents=True)
    left_out = {"gaia": ["page.html"], "langchain": ["page.html", "calc.py"]}
    gone = ["recorded_runs.json", *left_out.get(ecosystem, [])]
    for one in folder().iterdir():
        if one.name in gone:
            continue
        copy = shutil.copytree if one.is_dir() else shutil.copyfile
        copy(one, to / one.name)
    for one in (to, *to.rglob("*")):
        one.chmod(0o755 if one.is_dir() else 0o644)
    made = {"gaia": _for_gaia, "lye": _for_lye, "langchain": _for_langchain}
    made.get(ecosystem, lambda to: None)(to)
    return to


def _for_gaia(to: Path) -> None:
    (to / "out.txt").write_text("earlier\n")


def _for_lye(to: Path) -> None:
    (to / "made.txt").write_text("made\n")
    (to / "blank.pdf").write_bytes(blank_pdf())
    for call in calls()["lye"]:
        if call["input"].get("file_url") == "text.pdf":
            content = call["output"][1][0]["content"]
            (to / "text.pdf").write_bytes(base64.b64decode(content))


def _for_langchain(to: Path) -> None:
    (to / "made.txt").write_text("made\n")
    with sqlite3.connect(to / "t.db") as database:
        database.execute("CREATE TABLE items (id INTEGER, name TEXT, PRIMARY KEY (id))")
        database.execute("INSERT INTO items VALUES (1, 'a'), (2, 'b')")
    database.close()


def filled(value, names: dict[str, str]):
    """The value with {CWD}, {PORT} and {HOME} filled in."""
    text = json.dumps(value)
    for name, meant in names.items():
        text = text.replace("{" + name + "}", meant)
    return json.loads(text)


def timeless(value):
    """The value without what depends on the clock."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items()}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    if isinstance(value, float):
        return round(value, 1)
    if isinstance(value, str):
        return DAY.sub("DAY", MOMENT.sub("MOMENT", value))
    return value
