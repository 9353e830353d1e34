"""One's own tokens: made, shown once, revoked; theme and sign-in."""

import pytest

from catalog.models import ApiToken, AuditEntry

NEW = {"name": "laptop", "scopes": ["read", "run"], "days": "7"}


@pytest.fixture
def account(client, alice):
    client.force_login(alice)
    return client


def made(account):
    """Make a token on the page; return it as the page shows it."""
    return account.post("/account/", NEW, follow=True).context["secret"]


def test_shows_a_new_token_this_once(account, alice):
    secret = made(account)
    assert secret.startswith("peg_")
    token = ApiToken.objects.get()
    assert (token.user, token.name, token.scopes) == (alice, "laptop", ["read", "run"])
    assert secret not in account.get("/account/").text
    assert secret not in token.digest


def test_the_new_token_opens_the_api(account, client):
    secret = made(account)
    account.logout()
    answer = client.get("/api/v1/runs", headers={"Authorization": f"Token {secret}"})
    assert answer.status_code == 200


def test_making_a_token_is_an_audit_entry_without_the_secret(account):
    secret = made(account)
    entry = AuditEntry.objects.get()
    assert entry.verb == "created token"
    assert secret not in str(vars(entry))


def test_only_staff_may_choose_the_admin_scope(account):
    answer = account.post("/account/", NEW | {"scopes": ["admin"]})
    assert not ApiToken.objects.exists()
    assert answer.context["form"].errors["scopes"]


def test_a_token_needs_a_name(account):
    assert (
        "name" in account.post("/account/", NEW | {"name": ""}).context["form"].errors
    )
    assert not ApiToken.objects.exists()


def test_a_revoked_token_is_gone(account):
    account.post("/account/", NEW)
    account.post(f"/account/tokens/{ApiToken.objects.get().token_key}/revoke/")
    assert not ApiToken.objects.exists()


def test_nobody_revokes_anothers_token(account, client, bob):
    account.post("/account/", NEW)
    client.force_login(bob)
    key = ApiToken.objects.get().token_key
    assert client.post(f"/account/tokens/{key}/revoke/").status_code == 404
    assert ApiToken.objects.exists()


def test_the_theme_is_kept_in_a_cookie(account):
    answer = account.post("/theme/", {"theme": "dark", "next": "/runs/"})
    assert answer["Location"] == "/runs/"
    assert 'data-theme="dark"' in account.get("/").text


def test_an_unknown_theme_is_not_kept(account):
    account.post("/theme/", {"theme": '"><script>'})
    assert "data-theme=" not in account.get("/").text


def test_the_theme_form_leads_nowhere_else(account):
    answer = account.post("/theme/", {"theme": "dark", "next": "https://evil.test/"})
    assert answer["Location"] == "/"


def test_signing_in_leads_to_the_page_that_was_asked_for(client, alice):
    from tests.board import PASSWORD

    data = {"username": "alice", "password": PASSWORD, "next": "/runs/"}
    assert client.post("/login/", data)["Location"] == "/runs/"


def test_a_wrong_password_is_told(client, alice):
    answer = client.post("/login/", {"username": "alice", "password": "wrong"})
    assert "correct" in answer.text


def test_signing_out_ends_the_session(account):
    account.post("/logout/")
    assert account.get("/").status_code == 302


@pytest.mark.parametrize("path", ["/", "/runs/", "/account/", "/sources/", "/login/"])
def test_every_page_forbids_scripts_from_elsewhere(account, path):
    policy = account.get(path)["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_patterns_are_for_developers_only(account, settings):
    assert account.get("/patterns/").status_code == 404


def test_reloading_the_page_of_a_new_token_makes_no_second(account):
    assert account.post("/account/", NEW).status_code == 302
    for _ in range(2):
        account.get("/account/")
    assert ApiToken.objects.count() == 1
