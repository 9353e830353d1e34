"""JSON kept as text.

A database's own JSON type reorders keys (PostgreSQL's jsonb), refuses NUL and
lone surrogates, and re-reads numbers. A tool's value must come back as it went
in, on every database, so it is stored as the ASCII text it is sent as.
"""

import json
from datetime import datetime
from typing import Any

from django.db import models


def dumps(value: Any) -> str:
    """Return strict JSON in ASCII; raise ValueError for NaN and infinities."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def storable(text: str) -> str:
    """Return the text as every database can hold it: NUL, half characters by number."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


class JSONText(models.TextField[Any, Any]):
    """A JSON value, kept exactly."""

    # for django-stubs: any JSON value may be set
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else dumps(value)

    def value_to_string(self, obj: models.Model) -> str:
        return dumps(self.value_from_object(obj))


def stamp(at: datetime | None) -> str | None:
    """Return an instant as every answer writes it: RFC 3339, in UTC."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")
