"""What stands before every view: static files, and the time zone of the browser."""

import zoneinfo
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from whitenoise.middleware import WhiteNoiseMiddleware


def zone_of(request: HttpRequest) -> zoneinfo.ZoneInfo | None:
    """Return the zone that the browser told us, if it is one."""
    name = request.COOKIES.get("timezone", "")
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


class TimeZoneMiddleware:
    """Show times in the browser's zone."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(
        self, request: HttpRequest
    ) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self.acall(request)
        with timezone.override(zone_of(request)):
            return self.get_response(request)  # type: ignore[no-any-return]

    async def acall(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_of(request)):
            return await self.get_response(request)  # type: ignore[no-any-return]


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for an ASGI server: no thread per request, no warning per file.

    Its own class hands out files as sync iterators, which Django reads whole on the
    event loop and warns about, and it makes every async view run behind a thread.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(
        self, request: HttpRequest
    ) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        found = self.find(request.path_info)
        if not iscoroutinefunction(self):
            return self.send(found, request) if found else self.get_response(request)
        if found is None:
            return self.get_response(request)  # type: ignore[no-any-return]
        return sync_to_async(self.send, thread_sensitive=False)(found, request)

    def find(self, path: str) -> Any:
        """Return the static file at this path, if there is one."""
        if self.autorefresh:
            return self.find_file(path)
        return self.files.get(path)

    def send(self, static_file: Any, request: HttpRequest) -> HttpResponse:
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
