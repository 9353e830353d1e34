"""The sockets: frames out, nothing in. See docs/streams.md."""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.base import SessionBase
from django.http.request import validate_host
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.exceptions import APIException

from catalog.fields import dumps, stamp
from catalog.models import ApiToken, Catalog, Person, Tool, active
from catalog.requests import whole
from catalog.tokens import TokenAuthentication

from . import strips
from .models import Run
from .streams import CATALOG, EVERYBODY, Topic, ear, follow, strips_of, until

log = logging.getLogger(__name__)

BEAT = 5.0
TOOLS = 200
ENDED = 1000
FAULT = 1011
SIGN_IN = 4401
NOT_THERE = 4404


class Refused(Exception):
    """The socket is closed with this code."""

    def __init__(self, code: int) -> None:
        self.code = code


class StreamConsumer(AsyncWebsocketConsumer):
    """What both sockets share: who is there, refusal after accept, tasks, beats."""

    wall = False  # shows the strips of all, which only staff may see

    def query(self, name: str) -> int | None:
        asked = parse_qs(self.scope["query_string"].decode("utf-8", "replace"))
        return whole(asked.get(name, [""])[0])

    async def connect(self) -> None:
        self.tasks: list[asyncio.Task[None]] = []
        # Closed before accept, a browser sees a network fault and tries for ever.
        await self.accept()
        await self._guarded(self._join())

    async def _join(self) -> None:
        self.user, self.token = await self.who()
        await self.begin()

    async def begin(self) -> None:
        raise NotImplementedError

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.create_task(self._guarded(work)))

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Close when one task fails: without the beats nobody asks for the right."""
        try:
            await work
        except Refused as refusal:
            await self.end(refusal.code)
        except OSError as fault:
            log.debug("the client is gone: %s", fault)
            await self.end(FAULT)
        except Exception:
            log.exception("a socket is closed, its client will come again")
            await self.end(FAULT)

    async def end(self, code: int) -> None:
        """Close and be silent: a frame after the close is a fault."""
        for task in self.tasks:
            if task is not asyncio.current_task():
                task.cancel()
        with suppress(OSError):
            await self.close(code=code)

    async def say(
        self, kind: str, data: dict[str, Any], run: int | None = None
    ) -> None:
        at = stamp(timezone.now())
        frame = {"run": run, "seq": None, "at": at, "kind": kind, "data": data}
        await self.send(dumps(frame))

    # -- who

    async def who(self) -> tuple[User, ApiToken | None]:
        """Return the person by token header, else by session; raise Refused."""
        headers = dict(self.scope["headers"])
        if b"authorization" in headers:
            return await database_sync_to_async(by_token)(headers[b"authorization"])
        user: Any = self.scope.get("user") or AnonymousUser()
        if not (active(user) and same_origin(headers)):
            raise Refused(SIGN_IN)
        return user, None

    async def still_allowed(self, run_id: int | None) -> None:
        """Take the person as they are now; raise Refused when the right is gone."""
        session = self.scope.get("session") if self.token is None else None
        self.user = await database_sync_to_async(listener)(
            self.user.pk, session, self.token, run_id
        )
        if self.wall and not self.user.is_staff:
            raise Refused(NOT_THERE)

    async def beats(self, run_id: int | None) -> None:
        """Say that the line lives; look whether it still may."""
        while True:
            await asyncio.sleep(BEAT)
            await self.still_allowed(run_id)
            await self.say("beat", {})

    async def send_run(self, run_id: int, after: int) -> None:
        async for frames in follow(run_id, after):
            for frame in frames:
                await self.send(frame.text)


class NowhereConsumer(StreamConsumer):
    """Any other address: there is nothing here."""

    async def begin(self) -> None:
        raise Refused(NOT_THERE)


class RunConsumer(StreamConsumer):
    """`/ws/runs/<id>/?after=N`: one run's frames, for programs; closes at the end."""

    async def begin(self) -> None:
        run_id = int(self.scope["url_route"]["kwargs"]["run_id"])
        await self.still_allowed(run_id)
        self.start(self.beats(run_id))
        self.start(self._to_the_end(run_id))

    async def _to_the_end(self, run_id: int) -> None:
        await self.send_run(run_id, self.query("after") or 0)
        await self.end(ENDED)


class LiveConsumer(StreamConsumer):
    """`/ws/live/?run=<id>&after=N`: a page's only socket."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[int, Any] = {}

    async def begin(self) -> None:
        run_id = self.query("run")
        if run_id is not None:
            await self.still_allowed(run_id)
        self.revision = await database_sync_to_async(revision)()
        self.wall = bool(self.query("wall")) and self.user.is_staff
        self.start(self.beats(run_id))
        self.start(self._strips())
        self.start(self._catalog())
        if run_id is not None:
            self.start(self.send_run(run_id, self.query("after") or 0))

    async def _strips(self) -> None:
        """Send each strip that changed, at most four times a second.

        A wall shows everybody's and looks by itself; a ring each would be many.
        """
        read = strips.on_wall if self.wall else lambda: strips.of_user(self.user)
        while True:
            with ear().heard(self._whose()) as changed:
                for run in self.news(await database_sync_to_async(read)()):
                    await self.say("strip", strips.strip(run), run.pk)
                await asyncio.sleep(0.5 if self.wall else 0.25)
                if not self.wall:
                    await until(changed, settings.STREAM_BEAT)

    def news(self, runs: list[Run]) -> list[Run]:
        """Return those that look different now; remember how these look, no more."""
        before = self.shown
        self.shown = {run.pk: (run.state, run.label, run.progress) for run in runs}
        return [run for run in runs if before.get(run.pk) != self.shown[run.pk]]

    def _whose(self) -> Topic:
        # Who may see all may watch any. Asked each time: it may change meanwhile.
        return EVERYBODY if self.user.is_staff else strips_of(self.user.pk)

    async def _catalog(self) -> None:
        """Send each change of the catalog, at most four times a second."""
        with ear().heard(CATALOG) as changed:
            while True:
                await until(changed, settings.STREAM_BEAT)
                changed.clear()
                newest = await database_sync_to_async(revision)()
                if newest > self.revision:
                    await self._tell_of_tools()
                    self.revision = newest
                await asyncio.sleep(0.25)

    async def _tell_of_tools(self) -> None:
        """Send what changed since our revision; many tools may share the next one."""
        read, last = database_sync_to_async(changed_tools), 0
        while tools := await read(self.user, self.revision, last):
            for tool in tools:
                await self.say("catalog", change(tool))
            last = tools[-1].pk


def revision() -> int:
    return Catalog.objects.values_list("revision", flat=True).first() or 0


def changed_tools(user: Person, since: int, after: int) -> list[Tool]:
    """Return the next tools this person sees that changed since a revision."""
    tools = Tool.objects.visible_to(user).filter(revision__gt=since, pk__gt=after)
    return list(tools.select_related("source").order_by("pk")[:TOOLS])


def change(tool: Tool) -> dict[str, Any]:
    """Return a tool's change as a frame's data."""
    return {
        "revision": tool.revision,
        "tool": tool.label,
        "enabled": tool.enabled,
        "state": tool.state,
        "reason": tool.reason if not tool.enabled else tool.why,
        "version": tool.contract_id,
    }


def by_token(header: bytes) -> tuple[User, ApiToken]:
    """Return whom an Authorization header names; raise Refused."""
    scheme, _, token = header.partition(b" ")
    if scheme.lower() != b"token":
        raise Refused(SIGN_IN)
    try:
        user, found = TokenAuthentication().authenticate_credentials(token.strip())
    except (APIException, UnicodeDecodeError) as fault:
        raise Refused(SIGN_IN) from fault
    if not found.allows("read"):
        raise Refused(SIGN_IN)
    return user, found


def listener(
    user_id: int,
    session: SessionBase | None,
    token: ApiToken | None,
    run_id: int | None,
) -> User:
    """Return a person as they are now; raise Refused when they may not listen."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        raise Refused(SIGN_IN)
    if session is not None and not signed_in(session, user):
        raise Refused(SIGN_IN)
    if token is not None:
        live = ApiToken.objects.filter(pk=token.pk).exclude(expiry__lt=timezone.now())
        if not live.exists():
            raise Refused(SIGN_IN)
    runs = Run.objects.visible_to(user)
    if run_id is not None and not runs.filter(pk=run_id).exists():
        raise Refused(NOT_THERE)
    return user


def signed_in(session: SessionBase, user: User) -> bool:
    """Whether a session, as it is stored now, is this person's.

    The rules of `django.contrib.auth.get_user`, without its changes to the session.
    """
    stored = session.__class__(session.session_key)
    if stored.get(SESSION_KEY) != str(user.pk):
        return False
    said = stored.get(HASH_SESSION_KEY, "")
    known = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(said, one) for one in known)


def same_origin(headers: dict[bytes, bytes]) -> bool:
    """Whether the page that opened the socket is ours (cookies alone prove little)."""
    try:
        origin = urlsplit(headers.get(b"origin", b"").decode("latin-1"))
    except ValueError:
        return False
    host = headers.get(b"host", b"").decode("latin-1")
    if not origin.netloc:
        return False
    trusted = {urlsplit(one).netloc for one in settings.CSRF_TRUSTED_ORIGINS}
    name = (origin.hostname or "").lower()
    return origin.netloc in trusted or (
        origin.netloc == host and validate_host(name, allowed_hosts())
    )


def allowed_hosts() -> list[str]:
    return settings.ALLOWED_HOSTS or ["localhost", "127.0.0.1", "[::1]"]
