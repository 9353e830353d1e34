"""The book of what was done: entries are added, never changed.

Every entry carries the names as they were, so that it reads the same after the
user, the tool or the source is gone.
"""

from typing import Any

from django.db import models

from .models import AuditEntry, Door, Person


def append(
    *,
    actor: Person | None,
    verb: str,
    of: models.Model,
    label: str,
    before: Any = None,
    after: Any = None,
    reason: str = "",
    door: str = Door.SYSTEM,
) -> AuditEntry:
    """Write one entry; call it inside the transaction of the act itself."""
    known = actor if actor is not None and actor.is_authenticated else None
    return AuditEntry.objects.create(
        actor_id=known.pk if known else None,
        actor_name=known.get_username() if known else "Pegboard",
        verb=verb,
        kind=of._meta.model_name or "",
        object_id=of.pk,
        label=label,
        before=before,
        after=after,
        reason=reason,
        door=door,
    )
