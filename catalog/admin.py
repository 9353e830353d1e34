"""Django's admin over the catalog: switches go the usual way, the rest is read."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from . import audit
from .actions import switch_tool
from .errors import PegboardError
from .models import ApiToken, AuditEntry, ContractVersion, Door, Source, Tool, touch

admin.site.site_header = admin.site.site_title = "Pegboard"
admin.site.index_title = "The board"


class ReadOnly[M: Model](admin.ModelAdmin[M]):
    """Rows that may be looked at, and nothing else."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ToolForm(forms.ModelForm[Tool]):
    """A tool's switch with its reason, and an admin's limits."""

    class Meta:
        model = Tool
        fields = ["enabled", "reason", "timeout", "max_concurrent"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        goes_off = "enabled" in self.changed_data and not data.get("enabled")
        if goes_off and not ("reason" in self.changed_data and data.get("reason")):
            self.add_error("reason", "Say why: others will read it.")
        return data


class ReasonForm(ActionForm):
    """What a bulk action asks for beside its name."""

    reason = forms.CharField(required=False, max_length=1000)


@admin.register(Tool)
class ToolAdmin(admin.ModelAdmin[Tool]):
    form = ToolForm
    action_form = ReasonForm
    actions = ["switch_off", "switch_on"]
    list_display = ["name", "source", "enabled", "state", "reason"]
    list_filter = ["enabled", "state", "source"]
    list_select_related = ["source"]
    search_fields = ["name", "source__name"]
    readonly_fields = ["name", "source", "reference", "state", "why", "first_seen"]
    fields = [
        *("name", "source", "reference", "state", "why", "first_seen"),
        *("enabled", "reason", "timeout", "max_concurrent"),
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Tool, form: Any, change: bool
    ) -> None:
        """Switch through the action; keep the limits beside an audit entry."""
        limits = {"timeout", "max_concurrent"} & set(form.changed_data)
        if limits:
            _keep_limits(request, obj, form, sorted(limits))
        if "enabled" in form.changed_data:
            self._switch(request, obj, form.cleaned_data["enabled"], obj.reason)

    def _switch(
        self, request: HttpRequest, tool: Tool, enabled: bool, reason: str
    ) -> bool:
        by = request.user
        assert by.is_authenticated  # noqa: S101 - the admin lets nobody else in
        return switch_tool(
            tool=tool, by=by, enabled=enabled, reason=reason, door=Door.ADMIN
        )

    @admin.action(description="Switch off (give a reason)", permissions=["change"])
    def switch_off(self, request: HttpRequest, tools: QuerySet[Tool]) -> None:
        self._switch_all(request, tools, False)

    @admin.action(description="Switch on (give a reason)", permissions=["change"])
    def switch_on(self, request: HttpRequest, tools: QuerySet[Tool]) -> None:
        self._switch_all(request, tools, True)

    def _switch_all(
        self, request: HttpRequest, tools: QuerySet[Tool], enabled: bool
    ) -> None:
        reason = request.POST.get("reason", "")
        try:
            changed = sum(
                self._switch(request, tool, enabled, reason)
                for tool in tools.select_related("source")
            )
        except PegboardError as fault:
            self.message_user(request, str(fault), messages.ERROR)
            return
        now = "on" if enabled else "off"
        self.message_user(request, f"Switched {now}: {changed}.", messages.SUCCESS)


def _keep_limits(
    request: HttpRequest, tool: Tool, form: Any, limits: list[str]
) -> None:
    before = {name: form.initial.get(name) for name in limits}
    after = {name: form.cleaned_data[name] for name in limits}
    Tool.objects.filter(pk=tool.pk).update(**after, revision=touch())
    audit.append(
        actor=request.user,
        verb="changed limits",
        of=tool,
        label=tool.label,
        before=before,
        after=after,
        door=Door.ADMIN,
    )


@admin.register(Source)
class SourceAdmin(admin.ModelAdmin[Source]):
    list_display = ["name", "queue", "enabled", "synced_at", "error"]
    readonly_fields = ["name", "queue", "error", "problems", "report", "synced_at"]
    fields = [*readonly_fields, "enabled", "groups"]
    filter_horizontal = ["groups"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Source, form: Any, change: bool
    ) -> None:
        """Keep only what may be changed here, and write it into the audit."""
        Source.objects.filter(pk=obj.pk).update(enabled=obj.enabled)
        Tool.objects.filter(source=obj).update(revision=touch())
        audit.append(
            actor=request.user,
            verb="changed source",
            of=obj,
            label=obj.name,
            before=_told(form.initial, form.changed_data),
            after=_told(form.cleaned_data, form.changed_data),
            door=Door.ADMIN,
        )


def _told(data: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the changed fields as an audit entry can keep them."""
    return {
        name: sorted(str(one) for one in data[name]) if name == "groups" else data[name]
        for name in names
    }


@admin.register(ContractVersion)
class ContractVersionAdmin(ReadOnly[ContractVersion]):
    list_display = ["tool", "number", "fingerprint", "at"]
    list_select_related = ["tool__source"]
    search_fields = ["tool__name", "fingerprint"]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly[AuditEntry]):
    list_display = ["at", "actor_name", "verb", "label", "reason", "door"]
    list_filter = ["door", "verb"]
    search_fields = ["actor_name", "verb", "label", "reason"]


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly[ApiToken]):
    """A list only: a token's own page would have its digest in the address."""

    list_display = ["name", "user", "scopes", "created", "expiry", "last_used"]
    list_display_links = None
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    exclude = ["digest"]
