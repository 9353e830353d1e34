"""`Prefer: wait=10` (RFC 7240): a start that answers with the ended run.

An ASGI wrapper around the whole application: it sends the start on, follows the
run without holding a thread, and puts the ended run in the answer's place.
"""

import asyncio
import itertools
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, connection

from catalog.fields import dumps
from catalog.prepared import Prepared

from .api import run_shape
from .models import Run
from .streams import ear, end_of, until

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger(__name__)

LONGEST = 60.0
SOON = 0.1
WAIT = re.compile(rb"(?:^|[,;\s])wait=(\d{1,4}(?:\.\d+)?)\s*(?:$|[,;])")
RUN = Prepared(Run.objects.with_version().filter(pk=0))
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
        if not answer.start:  # who asked is gone
            return
        started = STARTED.search(answer.headers.get(b"location", b""))
        if answer.status == 202 and started is not None:
            seconds = min(float(wanted[1]), LONGEST)
            body, ended = await end_of_run(int(started[1]), seconds)
            if body:
                answer = answer.replaced(body, b"wait=" + wanted[1], ended=ended)
        await answer.give(send)

    async def ask(self, scope: Scope, receive: Receive) -> "Answer":
        answer = Answer()
        await self.app(scope, receive, answer.take)
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

    def replaced(self, body: bytes, applied: bytes, *, ended: bool) -> "Answer":
        """Return an answer with this body, 200 if the run has ended, and this head."""
        length = b"content-length"
        kept = [one for one in self.start["headers"] if one[0].lower() != length]
        own = [(length, str(len(body)).encode()), (b"preference-applied", applied)]
        answer = Answer()
        status = 200 if ended else self.status
        answer.start = {**self.start, "status": status, "headers": [*kept, *own]}
        answer.body = [{"type": "http.response.body", "body": body}]
        return answer

    async def give(self, send: Send) -> None:
        for message in (self.start, *self.body):
            await send(message)


@sync_to_async
def look(run_id: int) -> tuple[bytes, bool]:
    """Return the run as the API shows it, and whether it has ended.

    Nothing while the database is away: the run was started, that is known.
    """
    try:
        run = RUN.first(run_id)
    except DatabaseError as fault:
        log.warning("the database did not answer: %s", fault)
        connection.close()
        run = None
    return (dumps(run_shape(run)).encode(), not run.is_live) if run else (b"", False)


async def end_of_run(run_id: int, seconds: float) -> tuple[bytes, bool]:
    """Wait for the run's end, or until the time is up; return what `look` does then.

    It looks when the end is rung for, soon once (it may have ended before we
    listened), and at the beat of all streams, because rings may be lost.
    """
    beats = itertools.chain([SOON], itertools.repeat(settings.STREAM_BEAT))
    with ear().heard(end_of(run_id)) as rung, suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                await until(rung, next(beats))
                rung.clear()
                body, ended = await look(run_id)
                if ended:
                    return body, ended
    return await look(run_id)
