"""The catalog's verbs: permission first; page, admin, API and command call these."""

from functools import partial

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from . import audit
from .errors import PegboardError
from .models import Tool, touch
from .signals import tool_switched


class ReasonMissing(PegboardError):
    """Say why: a switch needs a reason that others will read."""

    code = "reason_missing"


def switch_tool(*, tool: Tool, by: User, enabled: bool, reason: str, door: str) -> bool:
    """Switch a tool on or off, with a reason; return whether anything changed."""
    if not (by.is_active and by.is_staff):
        raise PermissionDenied
    reason = reason.strip()
    if not enabled and not reason:
        raise ReasonMissing
    with transaction.atomic():
        changed = (
            Tool.objects.filter(pk=tool.pk)
            .exclude(enabled=enabled)
            .update(enabled=enabled, reason=reason, revision=touch())
        )
        if not changed:
            return False
        audit.append(
            actor=by,
            verb="switched on" if enabled else "switched off",
            of=tool,
            label=tool.label,
            before={"enabled": not enabled},
            after={"enabled": enabled},
            reason=reason,
            door=door,
        )
        tool.enabled, tool.reason = enabled, reason
        transaction.on_commit(
            partial(tool_switched.send, Tool, tool=tool, by=by, reason=reason)
        )
    return True
