"""System checks: configuration that would bite later is told at the start."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from catalog.errors import SourcesFileError
from catalog.sources import read_file


@register()
def sources_file_is_readable(**_: Any) -> list[CheckMessage]:
    try:
        read_file()
    except SourcesFileError as fault:
        return [Error(str(fault), id="pegboard.E001")]
    return []


@register()
def limits_are_positive(**_: Any) -> list[CheckMessage]:
    names = (
        "RUN_TIMEOUT", "RUN_TIMEOUT_MAX", "RUN_MAX_OUTPUT", "RUNS_PER_USER",
        "WORKER_THREADS", "UPLOAD_MAX_BYTES", "RETENTION_DAYS",
    )  # fmt: skip
    return [
        Error(f"PEGBOARD_{name} must be more than 0", id="pegboard.E002")
        for name in names
        if not getattr(settings, name) > 0
    ]
