"""The sources file: each entry checked, each mistake one clear line."""

import logging
import math
import os
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from .errors import SourcesFileError

log = logging.getLogger(__name__)

NAME = re.compile(r"[a-z0-9_-]+\Z")
LONGEST = 60  # characters of the name of a source or queue, as in their rows
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
PASSED = (
    "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "no_proxy", "LD_LIBRARY_PATH",
)  # fmt: skip
# What keeps the known packages from calling out or writing at import.
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "WANDB_ERROR_REPORTING": "false",
    "WANDB_SILENT": "true",
    "WEAVE_DISABLED": "true",
    "ANONYMIZED_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
    "USER_AGENT": "pegboard",
    "PYTHONUNBUFFERED": "1",
}


@dataclass(frozen=True, kw_only=True)
class SourceConfig:
    """An entry of the sources file, checked; times in seconds, sizes in bytes."""

    name: str
    tools: tuple[str, ...] = ()
    mcp: dict[str, Any] | None = None
    python: str = sys.executable
    path: tuple[str, ...] = ()
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    queue: str = "default"
    timeout: float | None = None
    timeout_extends: bool = False
    timeout_cap: float | None = None
    grace: float = 0.5
    isolation: str = "fork"
    max_output: int | None = None
    memory: int | None = None
    processes: int | None = None

    def environment(self) -> dict[str, str]:
        """Return the whole environment of the host; never Pegboard's secrets."""
        home = settings.DATA_DIR / "homes" / self.name
        home.mkdir(parents=True, exist_ok=True)
        bin_dir = str(Path(self.python).parent)
        inherited = {k: os.environ[k] for k in PASSED if k in os.environ}
        path = os.pathsep.join([bin_dir, os.environ.get("PATH", os.defpath)])
        return {"PATH": path, "HOME": str(home), **QUIET, **inherited, **self.env}

    def watched(self) -> list[Path]:
        """Return the folders whose files, when changed, call for a new sync."""
        return [Path(one) for one in self.path if Path(one).is_dir()]


def read_file(path: Path | None = None) -> tuple[dict[str, SourceConfig], list[str]]:
    """Read the sources file; return the good entries and a line per bad one.

    Raises SourcesFileError when the file itself cannot be read.
    """
    path = path or settings.SOURCES_FILE
    try:
        data = tomllib.loads(path.read_text())
    except OSError as fault:
        raise SourcesFileError(f"{path}: {fault.strerror}") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise SourcesFileError(f"{path}: {fault}") from fault
    good, bad = {}, []
    for name, entry in (data.get("sources") or {}).items():
        try:
            good[name] = parse(name, entry, path.parent)
        except (ValueError, TypeError) as fault:
            bad.append(f"{name}: {fault}")
    return good, bad


def parse(name: str, entry: Any, folder: Path) -> SourceConfig:
    """Check one entry; raise ValueError naming the key and what it should be."""
    if not NAME.match(name):
        raise ValueError("a source's name has only a-z, 0-9, _ and -")
    if len(name) > LONGEST:
        raise ValueError(f"a source's name has at most {LONGEST} characters")
    if not isinstance(entry, dict):
        raise ValueError("an entry is a table, [sources.NAME]")
    known = set(SourceConfig.__dataclass_fields__) - {"name"}
    if unknown := set(entry) - known:
        raise ValueError(f"unknown key {sorted(unknown)[0]!r}")
    checked: dict[str, Any] = {
        key: CHECKS[key](key, value, folder) for key, value in entry.items()
    }
    if not checked.get("tools") and not checked.get("mcp"):
        raise ValueError("names no tools: give `tools = [...]` or `mcp = {...}`")
    return SourceConfig(name=name, **checked)


def _texts(key: str, value: Any, _: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise ValueError(f"{key} must be a list of texts")
    return tuple(value)


def _text(key: str, value: Any, _: Path) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} must be a text")
    return value


def _queue(key: str, value: Any, folder: Path) -> str:
    name = _text(key, value, folder)
    if len(name) > LONGEST or not name.isprintable():
        raise ValueError(f"{key} must be a name of at most {LONGEST} characters")
    return name


def _place(key: str, value: Any, folder: Path) -> str:
    place = Path(_text(key, value, folder)).expanduser()
    # Not resolved: an environment's python is a link, and must stay one.
    return str(place if place.is_absolute() else folder / place)


def _python(key: str, value: Any, folder: Path) -> str:
    return (
        _place(key, value, folder)
        if os.sep in str(value)
        else _text(key, value, folder)
    )


def _places(key: str, value: Any, folder: Path) -> tuple[str, ...]:
    return tuple(_place(key, one, folder) for one in _texts(key, value, folder))


def _seconds(key: str, value: Any, _: Path) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value <= 0:
        raise ValueError(f"{key} must be a positive number of seconds, got {value!r}")
    if value > settings.RUN_TIMEOUT_MAX:
        raise ValueError(
            f"{key} must be at most {settings.RUN_TIMEOUT_MAX:g} seconds, got {value!r}"
        )
    return float(value)


def _size(key: str, value: Any, _: Path) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?B)?", str(value).strip().upper())
    size = int(float(match[1]) * UNITS[match[2] or ""]) if match else 0
    if isinstance(value, bool) or size <= 0:
        raise ValueError(f"{key} must be a size such as 10MB, got {value!r}")
    return size


def _count(key: str, value: Any, _: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{key} must be a positive whole number, got {value!r}")
    return value


def _flag(key: str, value: Any, _: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false")
    return value


def _isolation(key: str, value: Any, _: Path) -> str:
    if value not in ("fork", "spawn"):
        raise ValueError(f'{key} must be "fork" or "spawn", got {value!r}')
    return str(value)


def _env(key: str, value: Any, _: Path) -> dict[str, str]:
    if not isinstance(value, dict) or not all(
        isinstance(v, str) for v in value.values()
    ):
        raise ValueError(f"{key} must be a table of texts")
    return dict(value)


def _mcp(key: str, value: Any, _: Path) -> dict[str, Any]:
    if not isinstance(value, dict) or ("command" in value) == ("url" in value):
        raise ValueError(f"{key} must hold a command or a url")
    return dict(value)


CHECKS = {
    "tools": _texts, "mcp": _mcp, "python": _python, "path": _places, "cwd": _place,
    "env": _env, "queue": _queue, "timeout": _seconds, "timeout_extends": _flag,
    "timeout_cap": _seconds, "grace": _seconds, "isolation": _isolation,
    "max_output": _size, "memory": _size, "processes": _count,
}  # fmt: skip
