"""The time zone of a request: the browser's, kept in a cookie, else the board's."""

import zoneinfo
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone


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
