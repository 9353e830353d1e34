"""Django's admin over the history: to be read, never to be changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from catalog.admin import ReadOnly

from .models import Artifact, Event, Run, SavedArguments, Worker


@admin.register(Run)
class RunAdmin(ReadOnly[Run]):
    list_display = ["id", "tool_label", "state", "user_name", "door", "queued_at"]
    list_filter = ["state", "door", "source_name"]
    search_fields = ["tool_name", "user_name", "reason"]
    show_full_result_count = False
    exclude = ["secrets"]


@admin.register(Event)
class EventAdmin(ReadOnly[Event]):
    list_display = ["run_id", "seq", "at", "kind"]
    list_filter = ["kind"]
    search_fields = ["=run__id"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return super().get_queryset(request).order_by("-run_id", "seq")


@admin.register(Artifact)
class ArtifactAdmin(ReadOnly[Artifact]):
    list_display = ["name", "run", "media_type", "size"]
    search_fields = ["name", "=run__id"]
    exclude = ["file"]


@admin.register(Worker)
class WorkerAdmin(ReadOnly[Worker]):
    list_display = ["name", "queues", "seen_at", "stopping"]


@admin.register(SavedArguments)
class SavedArgumentsAdmin(ReadOnly[SavedArguments]):
    list_display = ["name", "tool", "user", "shared", "at"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True
