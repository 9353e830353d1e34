"""What stands before every view: static files, and the time zone of the browser.

Sync, as the server's chain is (config/asgi.py).
"""

import zoneinfo
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from whitenoise.middleware import WhiteNoiseMiddleware

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def zone_of(request: HttpRequest) -> zoneinfo.ZoneInfo | None:
    """Return the zone that the browser told us, if it is one."""
    name = request.COOKIES.get("timezone", "")
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


class TimeZoneMiddleware:
    """Show times in the browser's zone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_of(request)):
            return self.get_response(request)


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for an ASGI server.

    Its own class hands out files as sync iterators, which Django reads whole on the
    event loop and warns about.
    """

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """Answer with a file, which is small: it goes out in one piece."""
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response
