"""`Prefer: wait=10` (RFC 7240): a start that answers with the ended run.

An ASGI wrapper around the whole application: it sends the start on, follows the
run without holding a thread, and puts the ended run in the answer's place.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import sync_to_async

from catalog.fields import dumps

from .api import run_shape
from .models import Run
from .streams import ends, follow

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST = 60.0
WAIT = re.compile(rb"(?:^|[,;\s])wait=(\d{1,4}(?:\.\d+)?)\s*(?:$|[,;])")
STARTED = re.compile(rb"/api/v1/runs/(\d+)$")


class Waiting:
    """Wraps an application; only started runs with that preference are held."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wanted = WAIT.search(dict(scope["headers"]).get(b"prefer", b""))
        if wanted is None or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        answer = await self.ask(scope, receive)
        started = STARTED.search(answer.headers.get(b"location", b""))
        if answer.status == 202 and started is not None:
            seconds = min(float(wanted[1]), LONGEST)
            if await has_ended(int(started[1]), seconds):
                answer = await self.ended(int(started[1]), answer, b"wait=" + wanted[1])
        await answer.give(send)

    async def ask(self, scope: Scope, receive: Receive) -> "Answer":
        answer = Answer()
        await self.app(scope, receive, answer.take)
        return answer

    async def ended(self, run_id: int, first: "Answer", applied: bytes) -> "Answer":
        """Answer 200 with the run as it is now, by the head of the first answer."""
        body = await sync_to_async(ended_body)(run_id)
        replaced = (b"content-length", b"location")
        kept = [one for one in first.start["headers"] if one[0].lower() not in replaced]
        own = [
            (b"content-length", str(len(body)).encode()),
            (b"location", first.headers[b"location"]),
            (b"preference-applied", applied),
        ]
        answer = Answer()
        answer.start = {**first.start, "status": 200, "headers": [*kept, *own]}
        answer.body = [{"type": "http.response.body", "body": body}]
        return answer


class Answer:
    """A response, held back."""

    def __init__(self) -> None:
        self.start: Message = {}
        self.body: list[Message] = []

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.body.append(message)

    @property
    def status(self) -> int:
        return int(self.start["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return {name.lower(): value for name, value in self.start["headers"]}

    async def give(self, send: Send) -> None:
        for message in (self.start, *self.body):
            await send(message)


def ended_body(run_id: int) -> bytes:
    run = Run.objects.select_related("contract").get(pk=run_id)
    return dumps(run_shape(run)).encode()


async def has_ended(run_id: int, seconds: float) -> bool:
    """Follow the run until its end or until the time is up."""
    try:
        async with asyncio.timeout(seconds):
            async for frames in follow(run_id, 0):
                if any(ends(frame) for frame in frames):
                    return True
    except TimeoutError:
        return False
    return True
