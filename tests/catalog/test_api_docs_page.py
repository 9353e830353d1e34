"""The API's page: every call, by our own policy, for people who are signed in."""

import pytest

from config.docs import schema


@pytest.fixture
def text(client, alice):
    client.force_login(alice)
    return client.get("/api/v1/docs").text


def test_every_call_of_the_schema_is_there(text):
    plain = text.replace("<wbr>", "")
    for path, methods in schema()["paths"].items():
        for method in methods:
            assert f'aria-label="{method.upper()} {path}"' in plain


def test_a_call_names_its_body_and_its_answers(text):
    start = text[text.index("POST /api/v1/tools/{label}/runs") :]
    call = start[: start.index("</section>")]
    assert "arguments" in call
    assert "in the body, required" in call
    assert "<strong>202</strong> RunShape" in call


def test_strangers_are_asked_to_sign_in(client, db):
    assert client.get("/api/v1/docs").status_code == 302
