"""The sockets: replay, follow, resume, refusal; also when every ring is lost."""

import asyncio
import json
from datetime import timedelta

import pytest
from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from catalog.account import create_token
from catalog.actions import switch_tool
from catalog.models import Tool, touch
from runner import bell, consumers, events
from runner.consumers import LiveConsumer
from runner.events import Item
from runner.models import Event, Run, State, Watch
from runner.routing import websocket_urlpatterns

pytestmark = pytest.mark.django_db(transaction=True)

ORIGIN = [(b"origin", b"http://localhost"), (b"host", b"localhost")]


def socket(path, user=None, headers=ORIGIN):
    app = URLRouter(websocket_urlpatterns)
    communicator = WebsocketCommunicator(app, path, headers=headers)
    communicator.scope["user"] = user or AnonymousUser()
    return communicator


async def frame(communicator, kind=None, timeout=5):
    """The next frame, of this kind when one is named."""
    async with asyncio.timeout(timeout):
        while True:
            found = json.loads(await communicator.receive_from(timeout))
            if kind is None or found["kind"] == kind:
                return found


async def closed(communicator):
    async with asyncio.timeout(5):
        while True:
            message = await communicator.receive_output(timeout=5)
            if message["type"] == "websocket.close":
                return message["code"]


append = database_sync_to_async(events.append)
move = database_sync_to_async(events.move)


def notes(*texts):
    return [Item("note", {"text": text}) for text in texts]


async def test_socket_replays_then_follows_to_the_end(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    communicator = socket(f"/ws/runs/{run.pk}/?after=0", alice)
    await communicator.connect()
    assert [(await frame(communicator))["seq"] for _ in range(2)] == [1, 2]
    await append(run, notes("live"))
    assert (await frame(communicator))["data"] == {"text": "live"}
    await move(run, State.SUCCEEDED)
    assert (await frame(communicator))["data"]["state"] == "succeeded"
    assert await closed(communicator) == 1000


async def test_resume_gives_only_what_is_new(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    await append(run, notes("a", "b", "c"))
    communicator = socket(f"/ws/runs/{run.pk}/?after=3", alice)
    await communicator.connect()
    assert [(await frame(communicator))["seq"] for _ in range(2)] == [4, 5]
    await communicator.disconnect()


async def test_run_that_ended_before_the_socket_is_told_whole(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.FAILED)
    communicator = socket(f"/ws/runs/{run.pk}/?after=0", alice)
    await communicator.connect()
    seen = [await frame(communicator) for _ in range(3)]
    assert seen[-1]["data"]["state"] == "failed"
    assert await closed(communicator) == 1000


@pytest.mark.parametrize("path", ["/ws/runs/{}/", "/ws/live/?run={}"])
async def test_stranger_is_accepted_then_told_4404(alice, bob, run_factory, path):
    run = await database_sync_to_async(run_factory)(alice)
    communicator = socket(path.format(run.pk), bob)
    connected, _ = await communicator.connect()
    assert connected
    assert await closed(communicator) == 4404


async def test_unknown_address_is_accepted_then_told_4404(alice):
    communicator = socket("/ws/unknown/", alice)
    await communicator.connect()
    assert await closed(communicator) == 4404


async def test_nobody_is_told_to_sign_in(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice)
    communicator = socket(f"/ws/runs/{run.pk}/")
    await communicator.connect()
    assert await closed(communicator) == 4401


@pytest.mark.parametrize("origin", [b"http://evil.example", b"http://[::1", b"null"])
async def test_session_from_another_origin_is_refused(alice, run_factory, origin):
    run = await database_sync_to_async(run_factory)(alice)
    foreign = [(b"origin", origin), (b"host", b"localhost")]
    communicator = socket(f"/ws/runs/{run.pk}/", alice, foreign)
    await communicator.connect()
    assert await closed(communicator) == 4401


async def test_program_joins_with_its_token(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice)
    token = await database_sync_to_async(create_token)(
        by=alice, name="t", scopes=["read"], days=1, door="page"
    )
    header = [(b"authorization", f"Token {token}".encode())]
    communicator = socket(f"/ws/runs/{run.pk}/", headers=header)
    await communicator.connect()
    assert (await frame(communicator))["seq"] == 1
    await communicator.disconnect()


async def test_lost_rings_only_make_it_slower(alice, run_factory, settings):
    settings.STREAM_BEAT = 0.2
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    communicator = socket(f"/ws/runs/{run.pk}/?after=2", alice)
    await communicator.connect()
    # as when the layer loses the message: the rows move, nobody rings
    await database_sync_to_async(write_silently)(run.pk)
    assert (await frame(communicator))["data"] == {"text": "unheard"}
    await communicator.disconnect()


def write_silently(pk):
    Run.objects.filter(pk=pk).update(last_seq=3)
    Event.objects.create(
        run_id=pk, seq=3, at=timezone.now(), kind="note", data={"text": "unheard"}
    )


async def test_many_sockets_of_one_run_share_a_reader(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    sockets = [socket(f"/ws/runs/{run.pk}/?after={n % 3}", alice) for n in range(30)]
    for communicator in sockets:
        await communicator.connect()
    for n in range(20):
        await append(run, notes(str(n)))
    await move(run, State.SUCCEEDED)
    for n, communicator in enumerate(sockets):
        seqs = [(await frame(communicator))["seq"] for _ in range(23 - n % 3)]
        assert seqs == list(range(n % 3 + 1, 24))
        await communicator.disconnect()


async def test_who_asks_for_numbers_to_come_keeps_nobody_waiting(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    ahead = socket(f"/ws/runs/{run.pk}/?after=99999", alice)
    await ahead.connect()
    await asyncio.sleep(0.2)
    behind = socket(f"/ws/runs/{run.pk}/?after=0", alice)
    await behind.connect()
    assert [(await frame(behind))["seq"] for _ in range(2)] == [1, 2]
    await append(run, notes("live"))
    assert (await frame(behind))["data"] == {"text": "live"}
    await move(run, State.SUCCEEDED)
    assert (await frame(behind))["data"]["state"] == "succeeded"
    assert [await closed(behind), await closed(ahead)] == [1000, 1000]


@pytest.mark.parametrize("after", [3, 99999])
async def test_ended_run_with_nothing_more_to_tell_closes(alice, run_factory, after):
    run = await database_sync_to_async(run_factory)(alice, state=State.FAILED)
    communicator = socket(f"/ws/runs/{run.pk}/?after={after}", alice)
    await communicator.connect()
    assert await closed(communicator) == 1000


async def test_ended_run_whose_events_were_pruned_closes(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice, state=State.FAILED)
    await database_sync_to_async(prune)(run.pk)
    communicator = socket(f"/ws/runs/{run.pk}/?after=1", alice)
    await communicator.connect()
    assert (await frame(communicator))["data"] == {"from": 2, "to": 3}
    assert await closed(communicator) == 1000


def prune(pk):
    Run.objects.filter(pk=pk).update(pruned_at=timezone.now())
    Event.objects.filter(run_id=pk).delete()


async def test_page_socket_carries_strips_of_own_runs(alice, bob, run_factory):
    communicator = socket("/ws/live/", alice)
    await communicator.connect()
    await database_sync_to_async(run_factory)(bob, state=State.RUNNING)
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    strip = await frame(communicator, "strip")
    assert (strip["run"], strip["data"]["state"]) == (run.pk, "running")
    progress = {"fraction": 0.5, "current": 1, "total": 2, "message": "half"}
    await append(run, [Item("progress", progress)], progress=progress)
    strip = await frame(communicator, "strip")
    assert (strip["data"]["fraction"], strip["data"]["message"]) == (0.5, "half")
    await communicator.disconnect()


async def test_page_socket_tells_of_a_switched_tool(alice, root, tool_factory):
    tool = await database_sync_to_async(tool_factory)("add")
    communicator = socket("/ws/live/", alice)
    await communicator.connect()
    await asyncio.sleep(0.2)
    await database_sync_to_async(switch_tool)(
        tool=tool, by=root, enabled=False, reason="broken", door="page"
    )
    told = (await frame(communicator, "catalog"))["data"]
    assert (told["tool"], told["enabled"], told["reason"]) == (
        "demo/add",
        False,
        "broken",
    )
    await communicator.disconnect()


async def test_page_socket_tells_of_many_tools_that_change_at_once(
    alice, tool_factory, monkeypatch, fast_beats
):
    monkeypatch.setattr(consumers, "TOOLS", 2)
    names = [f"tool-{n}" for n in range(5)]
    for name in names:
        await database_sync_to_async(tool_factory)(name)
    communicator = socket("/ws/live/", alice)
    await communicator.connect()
    await frame(communicator, "beat")
    await database_sync_to_async(switch_all_off)()
    told = [await frame(communicator, "catalog") for _ in names]
    assert {one["data"]["tool"] for one in told} == {f"demo/{name}" for name in names}
    kinds = {(await frame(communicator))["kind"] for _ in range(5)}
    assert kinds == {"beat"}, "each is told once"
    await communicator.disconnect()


def switch_all_off():
    with transaction.atomic():
        Tool.objects.update(enabled=False, reason="broken", revision=touch())


def test_wall_remembers_only_the_strips_of_its_last_look(alice, run_factory):
    first, second = run_factory(alice), run_factory(alice)
    consumer = LiveConsumer()
    assert consumer.news([first, second]) == [first, second]
    second.label = "moved on"
    assert consumer.news([second]) == [second]
    assert consumer.news([second]) == []
    assert list(consumer.shown) == [second.pk]


async def test_ring_reaches_the_group(alice):
    from channels.layers import get_channel_layer

    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(bell.GROUP, channel)
    ring = bell.Ring(77, ended=True, strip_of=alice.pk)
    await database_sync_to_async(bell.ring)(ring)
    rung = await asyncio.wait_for(layer.receive(channel), 5)
    assert rung == {"type": "rung", "rings": [[*ring]]}


async def test_rings_that_wait_go_out_as_one_message_and_an_end_does_not_wait():
    from channels.layers import get_channel_layer

    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(bell.GROUP, channel)
    started = [bell.Ring(n, strip_of=0) for n in range(40)]
    ended = bell.Ring(7, ended=True, strip_of=0)
    here = bell.Bell()
    for ring in started:
        here.ring(ring)
    here.ring(ended)
    heard, messages = set(), 0
    while len(heard) < 41:
        rung = await asyncio.wait_for(layer.receive(channel), 5)
        heard |= {bell.Ring(*ring) for ring in rung["rings"]}
        messages += 1
    assert heard == {*started, ended}
    assert messages <= 4


@pytest.fixture
def fast_beats(monkeypatch):
    monkeypatch.setattr(consumers, "BEAT", 0.1)


@database_sync_to_async
def break_next(words):
    """The sockets' next statement with these words fails."""

    def fail(execute, sql, params, many, context):
        if words not in sql:
            return execute(sql, params, many, context)
        connection.execute_wrappers.remove(fail)
        raise OperationalError("server closed the connection unexpectedly")

    connection.execute_wrappers.append(fail)


@database_sync_to_async
def change(user, **columns):
    User.objects.filter(pk=user.pk).update(**columns)


async def test_database_error_closes_so_that_no_right_outlives_it(
    alice, run_factory, fast_beats
):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    communicator = socket(f"/ws/runs/{run.pk}/?after=2", alice)
    await communicator.connect()
    await frame(communicator, "beat")
    await break_next('FROM "auth_user"')
    assert await closed(communicator) == 1011
    await change(alice, is_active=False)
    await append(run, notes("not for alice"))
    assert await communicator.receive_nothing(0.5)
    await communicator.disconnect()


@pytest.mark.parametrize("table", ["runner_run", "catalog_catalog"])
async def test_page_socket_is_cut_when_one_of_its_readings_fails(
    alice, run_factory, table
):
    await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    communicator = socket("/ws/live/", alice)
    await communicator.connect()
    await frame(communicator, "strip")
    await break_next(f'FROM "{table}"')
    assert await closed(communicator) == 1011
    assert await communicator.receive_nothing(0.5)
    await communicator.disconnect()


async def test_database_error_while_joining_closes_with_1011(alice, run_factory):
    run = await database_sync_to_async(run_factory)(alice)
    await break_next('FROM "auth_user"')
    communicator = socket(f"/ws/runs/{run.pk}/", alice)
    await communicator.connect()
    assert await closed(communicator) == 1011


async def test_deactivated_person_hears_no_more(alice, run_factory, fast_beats):
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    communicator = socket(f"/ws/runs/{run.pk}/?after=2", alice)
    await communicator.connect()
    await change(alice, is_active=False)
    assert await closed(communicator) == 4401
    await append(run, notes("not for alice"))
    assert await communicator.receive_nothing(0.3)
    await communicator.disconnect()


def signed_in(user):
    """A session as signing in leaves it."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session


@pytest.fixture
async def page(alice, fast_beats, settings):
    """Alice's page, signed in by cookie, which hears its beats."""
    session = await database_sync_to_async(signed_in)(alice)
    cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}".encode()
    app = AuthMiddlewareStack(URLRouter(websocket_urlpatterns))
    headers = [*ORIGIN, (b"cookie", cookie)]
    communicator = WebsocketCommunicator(app, "/ws/live/", headers=headers)
    await communicator.connect()
    for _ in range(2):
        await frame(communicator, "beat")
    yield communicator
    await communicator.disconnect()


def changes_the_password(user):
    user.set_password("another-one-9")
    user.save()


def lets_the_session_expire(user):
    past = timezone.now() - timedelta(seconds=1)
    assert Session.objects.update(expire_date=past) == 1


def signs_out(user):
    assert Session.objects.all().delete()[0] == 1


def signs_in_as_another(user):
    Session.objects.update(session_data=SessionStore().encode({SESSION_KEY: "0"}))


@pytest.mark.parametrize(
    "act",
    [changes_the_password, lets_the_session_expire, signs_out, signs_in_as_another],
)
async def test_page_that_is_not_signed_in_any_more_is_told(alice, page, act):
    await database_sync_to_async(act)(alice)
    assert await closed(page) == 4401


async def test_session_of_an_older_key_still_listens(alice, page, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the next key of this site, long enough to be one"
    for _ in range(3):
        await frame(page, "beat")


async def test_wall_of_somebody_who_is_staff_no_more_is_closed(
    alice, root, run_factory, fast_beats
):
    wall = socket("/ws/live/?wall=1", root)
    await wall.connect()
    await frame(wall, "beat")
    await change(root, is_staff=False)
    assert await closed(wall) == 4404
    await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    assert await wall.receive_nothing(0.8)


async def test_page_shows_what_its_person_may_see_now(
    alice, root, run_factory, fast_beats, settings
):
    settings.STREAM_BEAT = 0.2
    run = await database_sync_to_async(run_factory)(alice, state=State.RUNNING)
    await Watch.objects.acreate(user=root, run=run)
    communicator = socket("/ws/live/", root)
    await communicator.connect()
    assert (await frame(communicator, "strip"))["run"] == run.pk
    await change(root, is_staff=False)
    for _ in range(3):
        await frame(communicator, "beat")
    await database_sync_to_async(Run.objects.filter(pk=run.pk).update)(label="x")
    kinds = {(await frame(communicator))["kind"] for _ in range(10)}
    assert kinds == {"beat"}
    mine = await database_sync_to_async(run_factory)(root, state=State.RUNNING)
    assert (await frame(communicator, "strip"))["run"] == mine.pk
    await communicator.disconnect()
