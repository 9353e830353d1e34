"""The formats that are checked, and the words for them."""

import ipaddress
import re
import uuid
from collections.abc import Callable
from datetime import date, datetime, time
from urllib.parse import urlsplit

from jsonschema import FormatChecker

DURATION = re.compile(
    r"[-+]?P(?!$)(\d+(\.\d+)?Y)?(\d+(\.\d+)?M)?(\d+(\.\d+)?W)?(\d+(\.\d+)?D)?"
    r"(T(?=\d)(\d+(\.\d+)?H)?(\d+(\.\d+)?M)?(\d+(\.\d+)?S)?)?\Z"
)
MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?\Z"
)
CLOCK = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)?\Z")
EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)*\Z")
HOST = re.compile(r"(?=.{1,253}\Z)[^\s.@/:]{1,63}(\.[^\s.@/:]{1,63})*\.?\Z")

WORDS = {
    "date": "must be a date that exists, written like 2024-03-10",
    "date-time": "must be a date and time that exist, written like 2024-03-10T14:30:00",
    "time": "must be a time of day, written like 14:30 or 14:30:00",
    "duration": "must be a length of time, written like PT1H30M or P2D",
    "email": "must be an email address, like name@example.org",
    "uri": "must be a whole address, like https://example.org/page",
    "uuid": "must be a UUID, like 123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "must be an IPv4 address, like 192.0.2.1",
    "ipv6": "must be an IPv6 address, like 2001:db8::1",
    "hostname": "must be the name of a machine, like www.example.org",
    "regex": "must be a regular expression",
    "json-pointer": "must be a JSON Pointer, like /lines/0",
}


def _is_date(text: str) -> bool:
    return len(text) == 10 and bool(date.fromisoformat(text))


def _is_moment(text: str) -> bool:
    return bool(MOMENT.match(text)) and bool(datetime.fromisoformat(text.upper()))


def _is_time(text: str) -> bool:
    return bool(CLOCK.match(text)) and time.fromisoformat(text.upper()) is not None


def _is_uri(text: str) -> bool:
    parts = urlsplit(text)
    rest = parts.netloc or parts.path
    return bool(parts.scheme and rest) and not re.search(r"\s", text)


def _is_pointer(text: str) -> bool:
    return re.fullmatch(r"(/([^~/]|~[01])*)*", text) is not None


CHECKS: dict[str, Callable[[str], object]] = {
    "date": _is_date,
    "date-time": _is_moment,
    "time": _is_time,
    "duration": DURATION.match,
    "email": EMAIL.match,
    "idn-email": EMAIL.match,
    "uri": _is_uri,
    "iri": _is_uri,
    "uuid": lambda text: len(text) == 36 and uuid.UUID(text),
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "hostname": HOST.match,
    "idn-hostname": HOST.match,
    "regex": re.compile,
    "json-pointer": _is_pointer,
}


def fits_format(name: str, text: str) -> bool:
    """Tell whether `text` has the format; a format nobody knows fits all."""
    check = CHECKS.get(name)
    if check is None:
        return True
    try:
        return bool(check(text))
    except (ValueError, re.error):
        return False


def _checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    checker.checkers = {name: (_for_text(name), ()) for name in CHECKS}
    return checker


def _for_text(name: str) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or fits_format(name, value)


CHECKER = _checker()
