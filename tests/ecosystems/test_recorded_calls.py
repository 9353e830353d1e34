"""Every recorded call of the real packages, made through a real board's API."""

import base64
import json

import pytest

from tests.ecosystems import recorded

CALLS = recorded.calls()

pytestmark = pytest.mark.skipif(not CALLS, reason="no acceptance folder is here")


def indices(ecosystem):
    found = CALLS.get(ecosystem, [])
    return [
        pytest.param(n, id=f"{n}-{call.get('source', '')}-{call['tool']}")
        for n, call in enumerate(found)
    ]


class Made:
    """The answer to a start, and the ended run, if there was one."""

    def __init__(self, answer):
        self.status, self.body = answer.status_code, answer.json()

    @property
    def run(self):
        assert self.status == 200, self.body
        return self.body

    @property
    def outcome(self):
        return self.run["outcome"]


def start(world, label, arguments, **body):
    client = world.board.api()
    return Made(
        client.post(
            f"tools/{label}/runs",
            json={"arguments": arguments, **body},
            headers={"Prefer": "wait=50"},
        )
    )


def files_of(world, run):
    client = world.board.api()
    links = [link.removeprefix("/api/v1/") for link in run["links"]["artifacts"]]
    return {link.rpartition("/")[2]: client.get(link).content for link in links}


# -- GAIA


def gaia_label(world, mixin, name):
    """The label of a mixin's tool, under the name that was left for it."""
    known = world.board.api().get(f"tools/gaia/{name}").json()
    return f"gaia/{name}" if mixin in known["tags"] else f"gaia/gaia:{mixin}.{name}"


@pytest.fixture(scope="module")
def gaia(world):
    """All of GAIA's calls in their order; the gated ones again, with a yes, last."""
    names = {"CWD": str(world.place / "gaia"), "HOME": str(world.place / "gaia-home")}
    columns = {"table_name": "t1", "columns": "name TEXT, n INTEGER"}
    first = start(world, "gaia/create_table", columns)
    assert first.outcome["value"].startswith("Table 't1' created")
    made, confirmed = [], {}
    for call in CALLS["gaia"]:
        label = gaia_label(world, call["source"], call["tool"])
        made.append(start(world, label, call["input"]))
        if made[-1].status == 409:
            confirmed[len(made) - 1] = label
    for index, label in confirmed.items():
        call = CALLS["gaia"][index]
        confirmed[index] = start(world, label, call["input"], confirm=True)
    return made, confirmed, names


@pytest.mark.parametrize("index", indices("gaia"))
def test_call_of_gaia(gaia, index):
    made, confirmed, names = gaia
    call, answer = CALLS["gaia"][index], made[index]
    expected = recorded.filled(call["output"], names)
    status = expected.get("status", "") if isinstance(expected, dict) else ""
    if status == "denied":
        assert answer.status == 409
        assert confirmed[index].run["state"] == "succeeded", confirmed[index].run
        return
    answer = confirmed.get(index, answer)
    outcome = answer.outcome
    assert recorded.timeless(outcome["value"]) == recorded.timeless(expected)
    assert answer.run["state"] == ("failed" if status == "error" else "succeeded")


# -- Lye


@pytest.fixture(scope="module")
def lye(world):
    names = {"PORT": str(world.port)}
    made = [
        start(world, f"lye/{call['tool']}", recorded.filled(call["input"], names))
        for call in CALLS["lye"]
    ]
    return made, names


@pytest.mark.parametrize("index", indices("lye"))
def test_call_of_lye(world, lye, index):
    (made, names), call = lye, CALLS["lye"][index]
    answer, expected = made[index], recorded.filled(call["output"], names)
    if answer.status == 400:
        return check_refusal(answer, call, expected)
    if isinstance(expected, str):
        return check_raised(answer, expected)
    message, files = expected if isinstance(expected, list) else (expected, [])
    assert answer.outcome["value"] == message
    failed = message.get("success") is False or set(message) == {"error"}
    assert answer.run["state"] == ("failed" if failed else "succeeded")
    kept = files_of(world, answer.run)
    for file in files:
        assert kept[file["filename"]] == base64.b64decode(file["content"])
    return None


def check_refusal(answer, call, expected):
    """The contract's own choices are held at the door, in words as good."""
    assert (call["tool"], call["input"]["size"]) == ("image-generate_image", "1x1")
    assert "'1792x1024'" in expected[0]["error"]
    assert "1792x1024" in json.dumps(answer.body)
    assert "/size" in json.dumps(answer.body)


def check_raised(answer, expected):
    kind, _, text = expected.removeprefix("RAISED ").partition(": ")
    assert answer.run["state"] == "failed"
    assert answer.outcome["reported_by"] == "exception"
    assert (answer.outcome["exception"], answer.outcome["error"]) == (kind, text)
    return None


# -- LangChain


@pytest.fixture(scope="module")
def langchain(world):
    names = {"PORT": str(world.port)}
    return [
        start(world, f"langchain/{call['tool']}", recorded.filled(call["input"], names))
        for call in CALLS["langchain"]
    ]


@pytest.mark.parametrize("index", indices("langchain"))
def test_call_of_langchain(langchain, index):
    call, answer = CALLS["langchain"][index], langchain[index]
    value, expected = answer.outcome["value"], call["output"]["content"]
    if call["tool"] == "list_directory":  # as the file system has them
        value, expected = sorted(value.split("\n")), sorted(expected.split("\n"))
    assert value == expected
    assert answer.run["state"] == "succeeded"


# -- MCP


@pytest.fixture(scope="module")
def mcp(world):
    names = {"CWD": str(world.place / "mcp")}
    made = [
        start(
            world,
            f"{call['source'].removeprefix('mcp:')}/{call['tool']}",
            recorded.filled(call["input"], names),
        )
        for call in CALLS["mcp"]
    ]
    return made, names


@pytest.mark.parametrize("index", indices("mcp"))
def test_call_of_mcp(world, mcp, index):
    made, names = mcp
    call = recorded.filled(CALLS["mcp"][index], names)
    answer = made[index]
    assert answer.run["state"] == ("failed" if call["is_error"] else "succeeded")
    texts = [one["text"] for one in call["content"] if one["type"] == "text"]
    outcome = recorded.timeless(answer.outcome)
    assert outcome["model_text"] == recorded.timeless("\n".join(texts))
    if call["structured"] is not None:
        assert outcome["value"] == recorded.timeless(call["structured"])
    images = [one for one in call["content"] if one["type"] == "image"]
    kept = [*files_of(world, answer.run).values()]
    for image, content in zip(images, kept, strict=True):
        assert base64.b64encode(content).decode().startswith(image["data"].rstrip("…"))
