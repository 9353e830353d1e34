"""POST tools/<source>/<name>/runs: at every wrong body a clear answer and no run."""

import json

import pytest

from catalog.actions import switch_tool
from runner.models import Run

pytestmark = pytest.mark.django_db(transaction=True)

BOOK = {
    "type": "object",
    "properties": {
        "room": {"type": "string"},
        "guests": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "extra": {"type": "object"},
    },
    "required": ["room"],
    "additionalProperties": False,
}


@pytest.fixture
def book(tool_factory):
    return tool_factory("book", parameters=BOOK)


def start(api, body=None, **more):
    return api.post("tools/demo/book/runs", body, **more)


def test_start_answers_202_with_the_run_and_its_address(api, alice, book):
    answer = start(api(alice), {"arguments": {"room": "R1"}})
    assert answer.status_code == 202
    run = answer.json()
    assert answer["Location"] == f"/api/v1/runs/{run['id']}"
    assert (run["state"], run["arguments"], run["user"]) == (
        "queued",
        {"room": "R1"},
        "alice",
    )
    assert run["tool"] == "demo/book"
    assert Run.objects.get().door == "api"


WRONG = {
    "a list": (b"[]", ""),
    "null": (b"null", ""),
    "a text": (b'"x"', ""),
    "nothing in it": (b"{}", ""),
    "null arguments": (b'{"arguments": null}', ""),
    "a number for a text": (b'{"arguments": {"room": 5}}', "/room"),
    "a word for a number": (
        b'{"arguments": {"room": "R", "guests": "two"}}',
        "/guests",
    ),
    "an unknown name": (b'{"arguments": {"room": "R", "colour": "red"}}', "/colour"),
    "a missing name": (b'{"arguments": {}}', "/room"),
    "bare NaN": (b'{"arguments": {"room": NaN}}', None),
    "cut off": (b'{"arguments": {"room": "R"', None),
    "200 levels": (
        b'{"arguments": {"room": "R", "extra": {"a": '
        + b"[" * 200
        + b"]" * 200
        + b"}}}",
        None,
    ),
    "too large a number": (b'{"arguments": {"room": "R", "guests": 1e400}}', None),
    "not UTF-8": (b'{"arguments": {"room": "\xff"}}', None),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_body_is_400_with_pointers_and_no_run(api, alice, book, name):
    raw, pointer = WRONG[name]
    answer = start(api(alice), raw=raw)
    assert answer.status_code == 400, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert "Traceback" not in answer.text
    assert problem["status"] == 400
    if pointer is not None:
        assert pointer in [error["pointer"] for error in problem["errors"]]
    assert all(error["message"] and error["code"] for error in problem["errors"])
    assert not Run.objects.exists()


def test_unknown_tool_is_404(api, alice, book):
    answer = api(alice).post("tools/demo/nothing/runs", {"arguments": {}})
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"


def test_without_a_token_nothing_starts(client, book):
    answer = client.post(
        "/api/v1/tools/demo/book/runs", "{}", content_type="application/json"
    )
    assert answer.status_code == 401
    assert not Run.objects.exists()


def test_token_without_the_run_scope_may_only_read(api, alice, book):
    reader = api(alice, scopes=["read"])
    assert reader.get("tools/demo/book").status_code == 200
    assert start(reader, {"arguments": {"room": "R"}}).status_code == 403
    assert not Run.objects.exists()


def test_tool_that_is_off_is_refused_with_its_reason(api, alice, root, book):
    switch_tool(tool=book, by=root, enabled=False, reason="under repair", door="page")
    answer = start(api(alice), {"arguments": {"room": "R"}})
    assert answer.status_code == 409
    assert "under repair" in answer.json()["title"]
    assert not Run.objects.exists()


def test_repeat_with_the_same_key_returns_the_first_run(api, alice, book):
    caller = api(alice)
    key = {"Idempotency-Key": "k1"}
    first = start(caller, {"arguments": {"room": "R"}}, **key)
    second = start(caller, {"arguments": {"room": "R"}}, **key)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert Run.objects.count() == 1


def test_same_key_with_other_arguments_is_refused(api, alice, book):
    caller = api(alice)
    start(caller, {"arguments": {"room": "R"}}, **{"Idempotency-Key": "k1"})
    answer = start(caller, {"arguments": {"room": "S"}}, **{"Idempotency-Key": "k1"})
    assert answer.status_code == 422
    assert Run.objects.count() == 1


def test_key_of_another_person_is_another_key(api, alice, bob, book):
    for caller in (api(alice), api(bob)):
        start(caller, {"arguments": {"room": "R"}}, **{"Idempotency-Key": "k1"})
    assert Run.objects.count() == 2


def test_tool_behind_a_gate_asks_for_confirm_and_starts_no_run(
    api, alice, tool_factory
):
    tool_factory("danger", needs_approval=True, parameters={"type": "object"})
    caller = api(alice)
    answer = caller.post("tools/demo/danger/runs", {"arguments": {}})
    assert answer.status_code == 409
    assert answer.json()["code"] == "confirmation_required"
    assert not Run.objects.exists()
    answer = caller.post("tools/demo/danger/runs", {"arguments": {}, "confirm": True})
    assert answer.status_code == 202
    assert Run.objects.get().confirmed


def test_secret_is_kept_apart_and_never_answered(api, alice, tool_factory):
    schema = {
        "type": "object",
        "properties": {
            "user": {"type": "string"},
            "key": {"type": "string", "format": "password", "writeOnly": True},
        },
        "required": ["user", "key"],
    }
    tool_factory("login", parameters=schema)
    answer = api(alice).post(
        "tools/demo/login/runs", {"arguments": {"user": "u", "key": "s3cr3t-4711"}}
    )
    assert answer.status_code == 202
    assert "s3cr3t-4711" not in answer.text
    assert answer.json()["secrets"] == ["/key"]
    run = Run.objects.get()
    assert run.arguments == {"user": "u"}
    assert b"s3cr3t-4711" not in bytes(run.secrets)


def test_numbers_in_texts_are_accepted_only_where_nothing_is_lost(api, alice, book):
    caller = api(alice)
    answer = start(caller, {"arguments": {"room": "R", "guests": "3"}})
    assert answer.json()["arguments"] == {"room": "R", "guests": 3}
    assert (
        start(caller, {"arguments": {"room": "R", "guests": "3.5"}}).status_code == 400
    )


def test_published_schema_names_the_call(api, alice, book):
    answer = api(alice).get("schema", format="json")
    published = json.loads(answer.content)
    assert published["openapi"].startswith("3.1")
    assert "/api/v1/tools/{label}/runs" in published["paths"]
