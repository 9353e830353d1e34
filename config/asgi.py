"""HTTP and websockets, served by one ASGI server."""

import os
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)  # before anything that needs the app registry

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from runner.routing import websocket_urlpatterns  # noqa: E402
from runner.waiting import Waiting  # noqa: E402


class Handler(ASGIHandler):
    """Runs middleware and view of a request in one go, in its own thread.

    Django's own handler changes threads some forty times for the middleware of
    one request, which costs more than our views do. Bodies of async views still
    stream on the event loop.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        answer: Any = sync_to_async(self.get_response, thread_sensitive=True)
        return await answer(request)  # type: ignore[no-any-return]


application = ProtocolTypeRouter(
    {
        "http": Waiting(Handler()),  # type: ignore[arg-type]
        "websocket": AuthMiddlewareStack(URLRouter(websocket_urlpatterns)),  # type: ignore[arg-type]
    }
)
