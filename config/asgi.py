"""HTTP and websockets, served by one ASGI server."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_started
from django.db import close_old_connections, reset_queries
from django.http import HttpRequest
from django.http.response import HttpResponseBase

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)  # before anything that needs the app registry

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from runner.routing import websocket_urlpatterns  # noqa: E402
from runner.waiting import Waiting  # noqa: E402

# Done by `respond`, in the thread that has the connection; as receivers of the signal
# they cost every request one more change of threads.
request_started.disconnect(close_old_connections)
request_started.disconnect(reset_queries)

# Fewer than the pool of PostgreSQL has connections, as live reading needs some too;
# with SQLite each thread keeps its own.
THREADS = ThreadPoolExecutor(16, thread_name_prefix="request")


class Handler(ASGIHandler):
    """Runs middleware and view of a request in one go, in a kept thread.

    Django's own handler changes threads some forty times for the middleware of
    one request, and has a new thread and connection for each; both cost more than
    our views do. Bodies of async views still stream on the event loop.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.handle(scope, receive, send)

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(
            self.respond, thread_sensitive=False, executor=THREADS
        )(request)

    def respond(self, request: HttpRequest) -> HttpResponseBase:
        reset_queries()
        try:
            return self.get_response(request)
        finally:
            close_old_connections()


application = ProtocolTypeRouter(
    {
        "http": Waiting(Handler()),
        "websocket": AuthMiddlewareStack(URLRouter(websocket_urlpatterns)),  # type: ignore[arg-type]
    }
)
