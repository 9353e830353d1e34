import json

import pytest
from django.test import Client

from catalog.account import create_token


class Api:
    """Calls the API as a program would, with a token."""

    def __init__(self, user, scopes=("read", "run", "admin")):
        scopes = [s for s in scopes if s != "admin" or user.is_staff]
        token = create_token(
            by=user, name="test", scopes=scopes, days=1, door="command"
        )
        self.client = Client(headers={"Authorization": f"Token {token}"})

    def get(self, path, **query):
        return self.client.get(f"/api/v1/{path}", query)

    def post(self, path, body=None, *, raw=None, **headers):
        data = raw if raw is not None else json.dumps(body)
        return self.client.post(
            f"/api/v1/{path}", data, content_type="application/json", headers=headers
        )

    def patch(self, path, body):
        return self.client.patch(
            f"/api/v1/{path}", json.dumps(body), content_type="application/json"
        )


@pytest.fixture
def api():
    return Api
