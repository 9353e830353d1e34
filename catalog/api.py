"""The catalog for programs: tools, contracts, switches, audit."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import (
    NotAuthenticated,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from . import actions, dialects
from .contract import Contract
from .fields import stamp
from .models import ApiToken, AuditEntry, Door, Tool
from .prepared import Prepared
from .requests import whole
from .search import SHOWN_STATES, search, shown_state

PAGE = 100


TOOL = Prepared(Tool.objects.filter(source__name="").filter(name="").with_contract())


def find_tool(request: Request, label: str) -> Tool:
    """Return the tool `source/name` if this person may see it, else 404."""
    source, _, name = label.partition("/")
    tool = TOOL.first(source, name)
    if tool is None or not tool.may_be_used_by(request.user):
        raise NotFound
    return tool


def number(request: Request, name: str) -> int | None:
    """Return a whole number of the address; None when it is not there, else 400."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if (found := whole(text)) is None:
        raise ValidationError({name: "Must be a whole number, 0 or more."})
    return found


def person(request: Request) -> User:
    """Return who asks; the permission classes let nobody else in."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


class ToolShape(serializers.Serializer[Any]):
    """A tool as lists show it."""

    tool = serializers.CharField(help_text="source/name")
    source = serializers.CharField()  # type: ignore[assignment]
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=SHOWN_STATES)
    why = serializers.CharField(help_text="why it is off, gone or unusable")
    summary = serializers.CharField()
    dialect = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    version = serializers.IntegerField()
    url = serializers.CharField()


class ContractShape(ToolShape):
    contract = serializers.JSONField()
    fingerprint = serializers.CharField()
    warnings = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())


class ToolPage(serializers.Serializer[Any]):
    results = ToolShape(many=True)
    next = serializers.CharField(allow_null=True, help_text="pass as `after`")
    total = serializers.IntegerField()


class SwitchShape(serializers.Serializer[Any]):
    enabled = serializers.BooleanField()
    reason = serializers.CharField(required=False, allow_blank=True, default="")


class AuditShape(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = serializers.CharField()
    actor = serializers.CharField()
    verb = serializers.CharField()
    kind = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    before = serializers.JSONField()
    after = serializers.JSONField()
    reason = serializers.CharField()
    door = serializers.CharField()


def tool_shape(tool: Tool, contract: Contract, version: int) -> dict[str, Any]:
    return {
        "tool": tool.label,
        "source": tool.source.name,
        "name": tool.name,
        "state": shown_state(tool),
        "why": tool.why or ("" if tool.enabled else tool.reason),
        "summary": contract.summary,
        "dialect": contract.dialect,
        "tags": contract.tags,
        "version": version,
        "url": tool.get_absolute_url(),
    }


def contract_shape(tool: Tool) -> dict[str, Any]:
    assert tool.contract is not None  # noqa: S101
    return tool_shape(tool, tool.now, tool.contract.number) | {
        "contract": tool.contract.contract,
        "fingerprint": tool.contract.fingerprint,
        "warnings": tool.contract.warnings,
        "notes": tool.contract.notes,
    }


def _texts(*names: str) -> list[OpenApiParameter]:
    return [OpenApiParameter(name, str) for name in names]


class ToolList(APIView):
    @extend_schema(
        operation_id="tools_list",
        parameters=[
            *_texts("q", "source", "dialect", "tag", "after"),
            OpenApiParameter("state", str, enum=SHOWN_STATES),
        ],
        responses=ToolPage,
    )
    def get(self, request: Request) -> Response:
        """Find tools; `q` answers the best 200, else pages by `after`."""
        names = ("source", "dialect", "tag", "state")
        wanted = {name: request.query_params.get(name, "") for name in names}
        if wanted["state"] and wanted["state"] not in SHOWN_STATES:
            known = ", ".join(SHOWN_STATES)
            raise ValidationError({"state": f"Choose one of {known}."})
        found = search(
            request.query_params.get("q", ""),
            user=request.user,
            after=request.query_params.get("after"),
            limit=PAGE,
            **wanted,
        )
        rows = [tool_shape(hit.tool, hit.contract, hit.version) for hit in found.rows]
        return Response({"results": rows, "next": found.next, "total": found.total})


class ToolDetail(APIView):
    write_scope = ApiToken.Scope.ADMIN

    @extend_schema(responses=ContractShape)
    def get(self, request: Request, label: str) -> Response:
        """Return one tool with its contract."""
        return Response(contract_shape(find_tool(request, label)))

    @extend_schema(request=SwitchShape, responses=ContractShape)
    def patch(self, request: Request, label: str) -> Response:
        """Switch a tool on or off, with a reason (admins)."""
        tool = find_tool(request, label)
        asked = SwitchShape(data=request.data)
        asked.is_valid(raise_exception=True)
        actions.switch_tool(
            tool=tool, by=person(request), door=Door.API, **asked.validated_data
        )
        return Response(contract_shape(find_tool(request, label)))


class ToolContract(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("dialect", str, enum=list(dialects.SHAPES))],
        responses={200: OpenApiTypes.ANY},
    )
    def get(self, request: Request, label: str) -> Response:
        """Return what a model would be shown, in one dialect's shape."""
        tool = find_tool(request, label)
        dialect = request.query_params.get("dialect")
        if dialect is None:
            return Response(dialects.shown(tool.now))
        if dialect not in dialects.SHAPES:
            known = ", ".join(dialects.SHAPES)
            raise ValidationError({"dialect": f"Choose one of {known}."})
        return Response(dialects.SHAPES[dialect](tool.now))


class AuditList(APIView):
    read_scope = ApiToken.Scope.ADMIN

    @extend_schema(
        parameters=[OpenApiParameter("before", int)], responses=AuditShape(many=True)
    )
    def get(self, request: Request) -> Response:
        """Return the newest audit entries; older ones by `before` (staff)."""
        if not request.user.is_staff:
            raise PermissionDenied
        before = number(request, "before")
        entries: QuerySet[AuditEntry] = AuditEntry.objects.all()
        if before is not None:
            entries = entries.filter(pk__lt=before)
        return Response([audit_shape(entry) for entry in entries[:PAGE]])


def audit_shape(entry: AuditEntry) -> dict[str, Any]:
    return {
        "id": entry.pk,
        "at": stamp(entry.at),
        "actor": entry.actor_name,
        "verb": entry.verb,
        "kind": entry.kind,
        "label": entry.label,
        "before": entry.before,
        "after": entry.after,
        "reason": entry.reason,
        "door": entry.door,
    }
