"""Words and signs that every page uses."""

import json
import re
from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from catalog.models import AuditEntry

register = template.Library()

BETWEEN = re.compile(r"`([^`\n]+)`")
BREAK_AFTER = re.compile(r"([_/.:-])")
LONGEST = 100_000
THEMES = [("light", "Light"), ("dark", "Dark"), ("", "As the system")]


@register.simple_tag
def icon(name: str) -> SafeString:
    """A sign of our own sheet; always beside words, so hidden from readers."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def theme_choices() -> list[tuple[str, str]]:
    return THEMES


@register.simple_tag(takes_context=True)
def nav_item(context: dict[str, Any], label: str, name: str) -> SafeString:
    """A line of the navigation, marked when it leads to where we are."""
    url = reverse(name)
    path = getattr(context.get("request"), "path", "")
    inside = path.startswith("/tools/") if url == "/" else path.startswith(url)
    mark = ""
    if path == url:
        mark = ' aria-current="page"'
    elif inside:
        mark = ' aria-current="true"'
    return format_html('<li><a href="{}"{}>{}</a></li>', url, mark_safe(mark), label)  # noqa: S308 - ours


@register.filter
def breakable(text: object) -> SafeString:
    """Allow a long name to break after its underscores, slashes and dots."""
    safe = conditional_escape(str(text))
    return mark_safe(BREAK_AFTER.sub(r"\1<wbr>", safe) if "&" not in safe else safe)  # noqa: S308 - escaped above


@register.filter
def coded(text: str) -> SafeString:
    """Set what stands between backticks as code."""
    return mark_safe(BETWEEN.sub(r"<code>\1</code>", conditional_escape(text)))  # noqa: S308 - escaped


@register.filter
def duration(seconds: float | None) -> str:
    """Say a time span as a person would: 0.24 s, 12 s, 3 min 5 s, 2 h 10 min."""
    if seconds is None:
        return ""
    if seconds < 10:
        return (
            f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.1f} s".replace(".0", "")
        )
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    if minutes:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{whole} s"


@register.filter
def clock(seconds: float | None) -> str:
    """Write a time span as a running clock: 0:07, 12:30, 1:02:03."""
    if seconds is None:
        return "0:00"
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def pretty(value: Any) -> str:
    """Write a JSON value over several lines, in its own characters."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def words(value: object) -> str:
    """Turn a code word into words: timed_out, Timed out."""
    text = str(value).replace("_", " ")
    return text[:1].upper() + text[1:]


@register.filter
def changes(entry: AuditEntry) -> list[tuple[str, str | None, str]]:
    """Return what an audit entry tells of each field: name, before, after."""
    before, after = _fields(entry.before), _fields(entry.after)
    return [
        (name, compact(before[name]) if name in before else None, compact(after[name]))
        for name in after
    ]


def _fields(told: Any) -> dict[str, Any]:
    if told is None:
        return {}
    return told if isinstance(told, dict) else {"value": told}


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@register.filter
def pretty_short(value: Any) -> str:
    """Write a JSON value over several lines, as far as a page bears."""
    text = pretty(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… cut here"
