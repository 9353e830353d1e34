"""Values that come back: recent ones of a field, and sets that people saved."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from catalog import schema
from catalog.models import Tool

from .models import Run, SavedArguments

RUNS = 20
OFFERED = 5
LONGEST = 120


def recent(user: User, tool: Tool) -> dict[str, list[str]]:
    """Return what this person gave lately, by the pointer of the field; no secrets."""
    runs = Run.objects.filter(
        user=user, source_name=tool.source.name, tool_name=tool.name
    )
    found: dict[str, list[str]] = {}
    for arguments in runs.values_list("arguments", flat=True)[:RUNS]:
        for name, value in arguments.items():
            texts = found.setdefault(f"/{schema.escape(name)}", [])
            if _worth(value) and value not in texts and len(texts) < OFFERED:
                texts.append(value)
    return found


def _worth(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST


def saved_for(user: User, tool: Tool) -> QuerySet[SavedArguments]:
    """Return the sets of values that this person may use for a tool."""
    mine_or_shared = Q(user=user) | Q(shared=True)
    return tool.savedarguments_set.filter(mine_or_shared).select_related("user")


def save(
    *, by: User, tool: Tool, name: str, arguments: dict[str, Any], shared: bool
) -> SavedArguments:
    """Keep a set of values under a name; the same name takes the new ones."""
    if not tool.may_be_used_by(by):
        raise PermissionDenied
    secret = schema.secret_pointers(tool.now.parameters, arguments)
    open_arguments, _ = schema.take(arguments, secret)
    kept, _ = SavedArguments.objects.update_or_create(
        user=by,
        tool=tool,
        name=name,
        defaults={"arguments": open_arguments, "shared": shared},
    )
    return kept


def forget(*, saved: SavedArguments, by: User) -> None:
    """Remove a set of one's own."""
    if saved.user_id != by.pk:
        raise PermissionDenied
    saved.delete()
