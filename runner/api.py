"""Runs for programs: start, look, follow, cancel, confirm, fetch."""

import hashlib
from typing import Any
from urllib.parse import quote

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from catalog.api import find_tool, number, person
from catalog.errors import InvalidArguments
from catalog.fields import stamp
from catalog.models import ApiToken, Door
from catalog.schema import Fault

from . import actions, downloads, events
from .filters import history
from .models import Run

PAGE = 50


def token_name(request: Request) -> str:
    return request.auth.name if isinstance(request.auth, ApiToken) else ""


def find_run(request: Request, run_id: int) -> Run:
    """Return the run if this person may see it, else 404."""
    runs = Run.objects.visible_to(request.user).with_version()
    return get_object_or_404(runs, pk=run_id)


class StartShape(serializers.Serializer[Any]):
    """What a start takes."""

    arguments = serializers.JSONField(help_text="an object that fits the contract")
    confirm = serializers.BooleanField(required=False, default=False)


class RunShape(serializers.Serializer[Any]):
    """A run."""

    id = serializers.IntegerField()
    tool = serializers.CharField()
    contract = serializers.JSONField(help_text="{number, fingerprint}")
    user = serializers.CharField()
    token = serializers.CharField()
    door = serializers.CharField()
    state = serializers.CharField()
    shade = serializers.CharField()
    reason = serializers.CharField()
    arguments = serializers.JSONField()
    secrets = serializers.ListField(child=serializers.CharField())
    outcome = serializers.JSONField(allow_null=True)
    times = serializers.JSONField()
    limits = serializers.JSONField()
    last_seq = serializers.IntegerField()
    links = serializers.JSONField()


class RunList(serializers.Serializer[Any]):
    results = RunShape(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="pass as `before`")


class EventShape(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    seq = serializers.IntegerField()
    at = serializers.CharField()
    kind = serializers.CharField()
    data = serializers.JSONField()  # type: ignore[assignment]


def run_shape(run: Run) -> dict[str, Any]:
    base = f"/api/v1/runs/{run.pk}"
    return {
        "id": run.pk,
        "tool": run.tool_label,
        "contract": {
            "number": run.contract.number,
            "fingerprint": run.contract.fingerprint,
        },
        "user": run.user_name,
        "token": run.token_name,
        "door": run.door,
        "state": run.state,
        "shade": run.shade,
        "reason": run.reason,
        "arguments": run.arguments,
        "secrets": run.secret_pointers,
        "outcome": run.outcome,
        "times": {
            "queued": stamp(run.queued_at),
            "started": stamp(run.started_at),
            "finished": stamp(run.finished_at),
            "seconds": run.seconds,
        },
        "limits": {"timeout": run.limit},
        "last_seq": run.last_seq,
        "links": {
            "self": base,
            "page": run.get_absolute_url(),
            "events": f"{base}/events",
            "artifacts": [
                f"{base}/artifacts/{quote(name, safe='')}"
                for name in (run.outcome or {}).get("files", [])
            ],
        },
    }


class StartRun(APIView):
    @extend_schema(
        request=StartShape,
        responses={200: RunShape, 202: RunShape},
        parameters=[
            OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER),
            OpenApiParameter("Prefer", str, OpenApiParameter.HEADER),
        ],
    )
    def post(self, request: Request, label: str) -> Response:
        """Start a run; `Prefer: wait=10` answers with its end if it ends in time."""
        tool = find_tool(request, label)
        asked = start_body(request.data)
        run = actions.start_run(
            tool=tool,
            by=person(request),
            arguments=asked["arguments"],
            confirm=asked["confirm"],
            door=Door.API,
            key=start_key(request),
            token_name=token_name(request),
        )
        location = reverse("api_run", args=[run.pk])
        return Response(run_shape(run), status=202, headers={"Location": location})


def start_key(request: Request) -> str | None:
    """Return the caller's key, apart from the keys of our own forms, at any length."""
    key = request.headers.get("Idempotency-Key")
    return f"api:{hashlib.sha256(key.encode()).hexdigest()}" if key else None


def start_body(data: Any) -> dict[str, Any]:
    """Check the body around the arguments; the arguments have a check of their own."""
    fault = _body_fault(data)
    if fault:
        raise InvalidArguments([Fault("", fault, "body")], fault)
    return {"arguments": data["arguments"], "confirm": data.get("confirm", False)}


def _body_fault(data: Any) -> str:
    if not isinstance(data, dict) or "arguments" not in data:
        return 'The body must be a JSON object with `arguments`: {"arguments": {…}}.'
    if unknown := set(data) - {"arguments", "confirm"}:
        return f"`{min(unknown)}` is no field of the body."
    if not isinstance(data.get("confirm", False), bool):
        return "`confirm` must be true or false."
    return ""


class Runs(APIView):
    @extend_schema(
        operation_id="runs_list",
        parameters=[
            OpenApiParameter(name, str)
            for name in ("tool", "user", "state", "since", "until", "q", "before")
        ],
        responses=RunList,
    )
    def get(self, request: Request) -> Response:
        """Return the history, newest first, by keyset."""
        asked, runs = history(request.user, request.query_params)
        if not asked.is_valid():
            raise ValidationError(
                {name: [*map(str, texts)] for name, texts in asked.errors.items()}
            )
        before = number(request, "before")
        if before is not None:
            runs = runs.filter(pk__lt=before)
        rows = list(runs.with_version().order_by("-pk")[: PAGE + 1])
        more = rows[PAGE - 1].pk if len(rows) > PAGE else None
        return Response({"results": [run_shape(r) for r in rows[:PAGE]], "next": more})


class RunDetail(APIView):
    @extend_schema(responses=RunShape)
    def get(self, request: Request, run_id: int) -> Response:
        """Return one run."""
        return Response(run_shape(find_run(request, run_id)))


class RunEvents(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("after", int)], responses=EventShape(many=True)
    )
    def get(self, request: Request, run_id: int) -> Response:
        """Return up to 500 events after number `after`, oldest first."""
        run = find_run(request, run_id)
        return Response(events.since(run.pk, number(request, "after") or 0))


class CancelRun(APIView):
    @extend_schema(request=None, responses=RunShape)
    def post(self, request: Request, run_id: int) -> Response:
        """Ask for a run's end; a second time changes nothing."""
        run = find_run(request, run_id)
        actions.cancel_run(run=run, by=person(request), door=Door.API)
        return Response(run_shape(find_run(request, run_id)))


class ConfirmRun(APIView):
    @extend_schema(request=None, responses={202: RunShape})
    def post(self, request: Request, run_id: int) -> Response:
        """Start what a preview showed, with exactly its arguments."""
        run = find_run(request, run_id)
        started = actions.confirm_run(
            run=run,
            by=person(request),
            door=Door.API,
            token_name=token_name(request),
        )
        location = reverse("api_run", args=[started.pk])
        return Response(run_shape(started), status=202, headers={"Location": location})


def look(request: HttpRequest, run_id: int) -> HttpResponse:
    """Answer as for the run itself; this also tells Django who asks."""
    response: Response = RunDetail.as_view()(request, run_id=run_id)
    rendered: HttpResponse = response.render()
    return rendered


async def artifact(request: HttpRequest, run_id: int, name: str) -> HttpResponseBase:
    """Send a file that a run produced; who may see the run may have it."""
    seen = await sync_to_async(look)(request, run_id)
    if seen.status_code != 200:
        return seen
    return await downloads.artifact(request, request.user, run_id, name)


class UploadShape(serializers.Serializer[Any]):
    upload = serializers.IntegerField(help_text='pass as {"upload": id}')
    name = serializers.CharField()
    size = serializers.IntegerField()


class Uploads(APIView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        request={
            "multipart/form-data": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
                "required": ["file"],
            }
        },
        responses={201: UploadShape},
    )
    def post(self, request: Request) -> Response:
        """Bring a file for an argument."""
        file = request.FILES.get("file")
        if file is None:
            raise ValidationError({"file": "Send one file as `file`."})
        upload = actions.store_upload(by=person(request), file=file)
        shape = {"upload": upload.pk, "name": upload.name, "size": upload.size}
        return Response(shape, status=201)
