"""The application as the server runs it: one chain of middleware, in its threads."""

import httpx
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import Client


async def fetch(path, user=None, **headers) -> httpx.Response:
    """GET a path of the whole application, signed in as this person."""
    # Not sooner: the application looks for its static files once, when it is made.
    from config.asgi import application

    cookies = await sync_to_async(signed_in)(user) if user else {}
    transport = httpx.ASGITransport(application)  # type: ignore[arg-type]
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost", cookies=cookies
    ) as client:
        return await client.get(path, headers=headers)


def signed_in(user):
    client = Client()
    client.force_login(user)
    return {settings.SESSION_COOKIE_NAME: client.session.session_key}
