"""Dates with times: the wall clock a person sees, and the moment it means."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

WALL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?\Z")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-]\d\d:\d\d)?\Z")
OFFSET = re.compile(r"(Z|[+-]\d\d:\d\d)\Z")
VERBATIM = "-"  # the zone of a text that is passed on as it is


class NoSuchTime(ValueError):
    """This time does not exist: the clocks go forward over it."""


def split(text: str, timezone: str) -> tuple[str, str] | None:
    """Return wall time and zone such that `join` gives `text` again, or None.

    The zone is `timezone` where that is what the offset says, else the offset.
    """
    match = _MOMENT.match(text)
    if match is None:
        return None
    wall, offset = match[1], match[2] or ""
    for zone in (timezone, offset):
        try:
            if join(wall, zone) == text:
                return wall, zone
        except ValueError:
            return None
    return None


def join(wall: str, zone: str) -> str:
    """Return the moment that a wall clock shows in a zone, in ISO 8601.

    Raises `NoSuchTime` for an hour that a clock change leaves out, and ValueError
    for a date that does not exist.
    """
    naive = datetime.fromisoformat(wall)
    text = naive.isoformat(timespec="seconds")
    if zone == "" or zone == "Z" or zone[0] in "+-":
        return text + zone
    local = naive.replace(tzinfo=ZoneInfo(zone))
    if local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=None) != naive:
        raise NoSuchTime(NoSuchTime.__doc__)
    return local.isoformat(timespec="seconds")
