"""A server of the Model Context Protocol over stdio, with every trait in one place.

`python mcp_server.py [silent | dead | list-silent]`; speaks the handshake of
2025-06-18 by itself, so that a test can have it break off where it wants.
"""

import base64
import json
import os
import sys
import threading
import time

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NOTHING = {"type": "object", "properties": {}}
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\x00" * 8).decode()
SOUND = base64.b64encode(b"RIFF\x00\x00\x00\x00WAVEfmt ").decode()
HINTS = {"title": "Say it", "readOnlyHint": True, "idempotentHint": True}
SUM = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}
TOOLS = [
    {"name": "say", "title": "Say it again", "inputSchema": TEXT, "annotations": HINTS},
    {"name": "sum", "inputSchema": NOTHING, "outputSchema": SUM},
    {"name": "everything", "inputSchema": NOTHING},
    {"name": "climb", "inputSchema": NOTHING},
    {"name": "fail", "inputSchema": NOTHING},
    {"name": "refuse", "inputSchema": NOTHING},
    {"name": "die", "inputSchema": NOTHING},
    {"name": "hang", "inputSchema": TEXT},
    {"name": "who", "inputSchema": NOTHING},
    {"name": "asks", "inputSchema": NOTHING},
    {"name": "nothing", "inputSchema": NOTHING},
    {"name": "odd/name with spaces", "inputSchema": NOTHING},
    {
        "name": "long-task",
        "inputSchema": NOTHING,
        "execution": {"taskSupport": "required"},
    },
]
WITH_SAMPLING = {"name": "ponder", "inputSchema": NOTHING}
BLOCKS = [
    {"type": "text", "text": "see:"},
    {"type": "image", "data": PIXEL, "mimeType": "image/png"},
    {"type": "audio", "data": SOUND, "mimeType": "audio/wav"},
    {
        "type": "resource",
        "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "in it"},
    },
    {
        "type": "resource",
        "resource": {"uri": "file:///a.bin", "blob": PIXEL},
    },
    {"type": "resource_link", "uri": "https://example.org/", "name": "elsewhere"},
]
abilities: dict = {}
lock = threading.Lock()


def send(**message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(said, **more):
    return {"content": [{"type": "text", "text": said}], **more}


def page(cursor):
    tools = TOOLS + ([WITH_SAMPLING] if "sampling" in abilities else [])
    start = int(cursor or 0)
    found = {"tools": tools[start : start + 5]}
    if start + 5 < len(tools):
        found["nextCursor"] = str(start + 5)
    return found


def climb(token):
    for step in range(1, 4):
        params = {"progressToken": token, "progress": step, "total": 3}
        send(
            method="notifications/progress", params={**params, "message": f"at {step}"}
        )
        time.sleep(0.15)
    return text("up")


def ask():
    """Ask the client for what it did not offer, and tell what it says."""
    params = {"messages": [], "maxTokens": 1}
    send(id="asked", method="sampling/createMessage", params=params)
    answer = json.loads(sys.stdin.readline())
    return text(answer["error"]["message"], isError=True)


def call(name, arguments, meta):
    match name:
        case "say":
            params = {"level": "info", "data": "about to say it"}
            send(method="notifications/message", params=params)
            return text(arguments["text"])
        case "sum":
            return text('{"sum": 5}', structuredContent={"sum": 5})
        case "everything":
            return {"content": BLOCKS}
        case "climb":
            return climb(meta.get("progressToken"))
        case "fail":
            return text("the shelf is empty", isError=True)
        case "refuse":
            return text("MCP error -32602: Invalid arguments for tool", isError=True)
        case "die":
            os._exit(3)
        case "who":
            here = {"pid": os.getpid(), "cwd": os.getcwd(), "names": sorted(os.environ)}
            return text(json.dumps(here))
        case "asks":
            return ask()
        case "nothing":
            return {"content": []}
    return text("odd")


def watch(file):
    """Hang until told to stop; write down what was said."""
    for line in sys.stdin:
        with open(file, "a") as notes:
            notes.write(json.loads(line)["method"] + "\n")


def answer(request):
    method, params = request["method"], request.get("params") or {}
    if method == "initialize":
        abilities.update(params["capabilities"])
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": {"name": "traits", "version": "1"},
        }
    if method == "tools/list":
        if "list-silent" in sys.argv:
            time.sleep(60)
        return page(params.get("cursor"))
    if method == "tools/call":
        if params["name"] == "hang":
            watch(params["arguments"]["text"])
        return call(params["name"], params.get("arguments"), params.get("_meta") or {})
    return None


def main():
    if "dead" in sys.argv:
        sys.exit("no licence found")
    if "silent" in sys.argv:
        time.sleep(60)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        result = answer(request)
        if result is None:
            fault = {"code": -32601, "message": "Method not found"}
            send(id=request["id"], error=fault)
        else:
            send(id=request["id"], result=result)


if __name__ == "__main__":
    main()
