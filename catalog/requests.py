"""A request by somebody who is signed in, and the page it is answered with."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import register_converter
from django.urls.converters import PathConverter
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


class Text(PathConverter):
    """A name in an address, slashes included; no database holds a NUL."""

    regex = r"[^\0]+"


register_converter(Text, "text")


def whole(text: str) -> int | None:
    """Return the number that an address names, if a row could have it."""
    fits = text.isascii() and text.isdigit() and len(text) < 19
    return int(text) if fits else None


def posted_from(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a view take posts only, and send whoever opens its address to this page.

    People come there by signing in anew, or by entering the address once more.
    """

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def posted(request: HttpRequest, **names: Any) -> Any:
            if request.method != "POST":
                return redirect(name, **names)
            return view(request, **names)

        return posted

    return decorate


class AuthenticatedRequest(HttpRequest):
    """What every view gets: LoginRequiredMiddleware lets nobody else in."""

    user: User
    htmx: HtmxDetails


def page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any] | None = None,
    *,
    part: str = "",
    status: int = 200,
) -> HttpResponse:
    """Answer with a page, or with its named part when htmx asks for it.

    What tools say may hold half a surrogate pair, which UTF-8 cannot carry: it
    is shown by its number.
    """
    name = f"{template}#{part}" if part and is_partial(request) else template
    text = render_to_string(name, context, request)
    response = HttpResponse(text.encode("utf-8", "backslashreplace"), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def is_partial(request: HttpRequest) -> bool:
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request
