"""Errors as RFC 9457 problem details, and JSON that is strict both ways."""

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from rest_framework import exceptions
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from . import errors
from .fields import dumps
from .schema import JSONFault, loads

STATUS: dict[type[Exception], int] = {
    errors.InvalidArguments: 400,
    errors.TooLarge: 413,
    errors.ToolUnavailable: 409,
    errors.ConfirmationRequired: 409,
    errors.WrongState: 409,
    errors.KeyReused: 422,
    errors.CouldNotQueue: 503,
}


class StrictJSONRenderer(BaseRenderer):
    """JSON in ASCII, without NaN: what any JSON.parse reads."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, *_: Any, **__: Any) -> bytes:
        return b"" if data is None else dumps(data).encode()


class StrictJSONParser(BaseParser):
    """Read JSON with exact numbers; bare NaN, duplicates and depth are refused."""

    media_type = "application/json"

    def parse(self, stream: Any, *_: Any, **__: Any) -> Any:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(most + 1)
        if len(raw) > most:
            raise errors.TooLarge(f"A body has at most {most} bytes.")
        try:
            return loads(raw.decode("utf-8"))
        except UnicodeDecodeError as fault:
            raise exceptions.ParseError("The body is not UTF-8.") from fault
        except JSONFault as fault:
            raise exceptions.ParseError(
                f"Line {fault.line}, column {fault.column}: {fault.message}"
            ) from fault


def body(
    status: int,
    title: str,
    *,
    code: str = "error",
    faults: list[dict[str, str]] | None = None,
) -> dict[str, Any]:
    """Return a problem document; `errors` points at what is wrong."""
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "code": code,
        "errors": faults or [],
    }


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address that is not there: a problem for programs, else a page."""
    if not request.path_info.startswith("/api/"):
        return defaults.page_not_found(request, exception)
    problem = body(404, "Not found.", code="not_found")
    return HttpResponse(
        dumps(problem), status=404, content_type="application/problem+json"
    )


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what a view raised into a problem document (DRF's exception handler)."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, errors.PegboardError):
        status = STATUS.get(type(error), 400)
        return _answer(body(status, str(error), code=error.code, faults=_faults(error)))
    if not isinstance(error, exceptions.APIException):
        return None
    headers = {}
    if header := getattr(error, "auth_header", ""):
        headers["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait) + 1)
    code = (
        str(error.get_codes()) if isinstance(error.detail, str) else error.default_code
    )
    title = str(error.detail) if isinstance(error.detail, str) else error.default_detail
    found = _serializer_faults(error.detail)
    return _answer(
        body(error.status_code, str(title), code=code, faults=found), headers
    )


def _answer(problem: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    return Response(
        problem,
        status=problem["status"],
        content_type="application/problem+json",
        headers=headers,
    )


def _faults(error: errors.PegboardError) -> list[dict[str, str]]:
    found = error.faults if isinstance(error, errors.InvalidArguments) else []
    return [{"pointer": f.pointer, "message": f.message, "code": f.code} for f in found]


def _serializer_faults(detail: Any) -> list[dict[str, str]]:
    """Flatten DRF's nested detail; pointers name the body's own fields."""
    if not isinstance(detail, dict):
        return []
    return [
        {"pointer": f"/{name}", "message": str(one), "code": getattr(one, "code", "")}
        for name, many in detail.items()
        for one in (many if isinstance(many, list) else [many])
    ]
