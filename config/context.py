"""What every page knows of the board."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def board(request: HttpRequest) -> dict[str, Any]:
    """Return the theme of this browser and whether this is a developer's board."""
    return {
        "theme": request.COOKIES.get("theme", ""),
        "debug": settings.DEBUG,
    }
