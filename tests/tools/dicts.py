"""Dict tools as Lye has them."""

import asyncio
import base64
from pathlib import Path


def definition(name, properties=None, required=(), **more):
    parameters = {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
    }
    told = {"name": name, "description": f"The tool {name}.", "parameters": parameters}
    return {"type": "function", "function": told | more}


def tally(ctx, items: list) -> str:
    return f"{ctx.tool_name}:{len(items)}"


async def slow_tally(context, *, items: list) -> str:
    for done in range(1, len(items) + 1):
        await context.progress_callback(done, len(items), f"item {done}")
        await asyncio.sleep(0.12)
    return "done"


def wants_deps(ctx):
    return ctx.deps["db"]


def about(context: str) -> str:
    return f"about {context}"


def report(*, title: str):
    return "1 file", [
        {
            "filename": "../../a<b>.html",
            "mime_type": "text/html",
            "content": base64.b64encode(b"<script>1</script>").decode(),
        }
    ]


def odd_files():
    return {"success": True}, [
        {"filename": "raw.bin", "content": b"\x00\xff", "mime_type": "x/y"},
        {"filename": "raw.bin", "content": "not base64!"},
        {"filename": "", "content": "data:text/plain;base64,aGk="},
        {"filename": "empty.txt"},
    ]


def answer(*, kind: str):
    return {
        "error": {"error": "nope"},
        "success": {"success": False, "error": "nope"},
        "exit": {"error": "no such file", "exit_code": 1, "output": ""},
        "none": None,
        "false": False,
        "text": "Error: nope",
        "fine": {"success": True, "error": None},
        "pair": ("a", "b"),
    }[kind]


def raises():
    raise LookupError("no token")


def read(*, file: str) -> str:
    return Path(file).read_text()


KIND = {"kind": {"type": "string"}}
ITEMS = {"items": {"type": "array", "items": {"type": "string"}}}

TOOLS = [
    {"definition": definition("demo-tally", ITEMS, ["items"]), "implementation": tally},
    {
        "definition": definition("demo-slow_tally", ITEMS, ["items"]),
        "implementation": slow_tally,
        "type": "standard",
        "timeout": 30.0,
    },
    {"definition": definition("demo-deps"), "implementation": wants_deps},
    {
        "definition": definition("demo-about", {"context": {"type": "string"}}),
        "implementation": about,
    },
    {
        "definition": definition("files-report", {"title": {"type": "string"}}),
        "implementation": report,
    },
    {"definition": definition("files-odd"), "implementation": odd_files},
    {"definition": definition("answer", KIND, ["kind"]), "implementation": answer},
    {"definition": definition("raises"), "implementation": raises},
    {
        "definition": definition(
            "read", {"file": {"type": "string", "format": "binary"}}, ["file"]
        ),
        "implementation": read,
    },
    {"definition": definition("zero"), "implementation": raises, "timeout": 0},
    {"definition": definition("negative"), "implementation": raises, "timeout": -1},
    {"definition": definition("empty"), "implementation": None},
]
