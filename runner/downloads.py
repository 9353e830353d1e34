"""Files on their way to a person: streamed, never opened inside the site."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from catalog.models import Person

from .models import Artifact, Run
from .output import whole

CHUNK = 256 * 1024
# What a browser may show where it stands; the content bears the type out.
INLINE = {"image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"}
LOCKED = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


async def artifact(
    request: HttpRequest, user: Person, pk: int, name: str
) -> HttpResponseBase:
    """Send an artifact of a visible run; `?download` insists on saving it."""
    runs = Run.objects.visible_to(user)
    found = await Artifact.objects.filter(run__in=runs, run_id=pk, name=name).afirst()
    if found is None:
        raise Http404
    inline = found.media_type in INLINE and "download" not in request.GET
    headers = _headers(found.name, inline=inline) | {"Content-Length": str(found.size)}
    if request.method == "HEAD":
        return HttpResponse(content_type=found.media_type, headers=headers)
    return StreamingHttpResponse(
        _chunks(found.file), content_type=_type(found.media_type), headers=headers
    )


async def output(request: HttpRequest, user: Person, pk: int) -> HttpResponseBase:
    """Send all the output that is stored of a visible run."""
    run = await Run.objects.visible_to(user).filter(pk=pk).afirst()
    if run is None:
        raise Http404
    return StreamingHttpResponse(
        whole(run),
        content_type="text/plain; charset=utf-8",
        headers=_headers(f"run-{pk}-output.txt", inline=False),
    )


def _headers(name: str, *, inline: bool) -> dict[str, str]:
    disposition = content_disposition_header(not inline, name)
    return {
        "Content-Disposition": disposition or "attachment",
        "Content-Security-Policy": LOCKED,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600",
    }


def _type(media_type: str) -> str:
    if media_type.startswith("text/"):
        return f"{media_type}; charset=utf-8"
    return media_type


async def _chunks(file: Any) -> AsyncIterator[bytes]:
    # In threads of their own: a slow storage keeps nobody else waiting.
    opened = await asyncio.to_thread(file.open, "rb")
    try:
        while chunk := await asyncio.to_thread(opened.read, CHUNK):
            yield chunk
    finally:
        await asyncio.to_thread(opened.close)
