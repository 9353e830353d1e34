"""What tool authors import: `tool`, `progress` and `InputFile`; all optional."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

__all__ = ["InputFile", "progress", "tool"]
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
ACCEPTED = ("atomic", "display_label", "timeout", "hints", "tags")
HINTS = ("read_only", "destructive", "idempotent")
declared: list[Callable[..., Any]] = []


@overload
def tool(func: F, /) -> F: ...
@overload
def tool(
    *,
    atomic: bool = False,
    display_label: str | None = None,
    timeout: float | None = None,
    hints: dict[str, bool] | None = None,
    tags: Iterable[str] = (),
) -> Callable[[F], F]: ...
def tool(func: Any = None, /, **options: Any) -> Any:
    """Declare a function as a tool; it stays the function it was."""

    def declare(function: Any) -> Any:
        function.__pegboard_tool__ = _checked(function, options)
        declared.append(function)
        return function

    return declare if func is None else declare(func)


def _checked(function: Any, options: dict[str, Any]) -> dict[str, Any]:
    name = getattr(function, "__name__", repr(function))
    for key in options:
        if key not in ACCEPTED:
            raise TypeError(
                f"@tool(...) got unexpected keyword argument {key!r} for tool "
                f"{name!r}. Accepted: {', '.join(ACCEPTED)}."
            )
    timeout, hints = options.get("timeout"), options.get("hints") or {}
    if timeout is not None and not 0 < timeout < math.inf:
        raise ValueError(
            f"timeout for tool {name!r} must be a positive number, got {timeout!r}"
        )
    if unknown := set(hints) - set(HINTS):
        raise TypeError(
            f"tool {name!r} has unknown hints: {', '.join(sorted(unknown))}. "
            f"Accepted: {', '.join(HINTS)}."
        )
    return {"atomic": False, "display_label": None, "timeout": None} | options


class _Progress:
    """Tell how far a run is: `progress(3, 10, "third page")`; cheap at any rate."""

    _slot: Any = None

    def _wake(self) -> None: ...

    def __call__(
        self, done: float | None, total: float | None = None, message: str = ""
    ) -> None:
        if self._slot is not None and self._slot.progress(done, total, message):
            self._wake()

    def label(self, text: str) -> None:
        """Change the label that the run's strip shows."""
        if self._slot is not None and self._slot.label(text):
            self._wake()

    def each(self, items: Iterable[T], message: str = "") -> Iterator[T]:
        """Yield the items, telling after each how many are done."""
        total = len(items) if hasattr(items, "__len__") else None
        self(0, total, message)
        for done, item in enumerate(items, 1):
            yield item
            self(done, total, message)


progress = _Progress()


def connect(slot: Any, wake: Callable[[], None]) -> None:
    """Send progress to a run; hosts call this, tools need not."""
    progress._slot, progress._wake = slot, wake  # type: ignore[method-assign]


class InputFile(str):
    """A file given by the caller: its path as text, and what it was called."""

    name: str
    media_type: str

    def __new__(cls, path: str, name: str = "", media_type: str = "") -> InputFile:
        file = super().__new__(cls, path)
        file.name = name or Path(path).name
        file.media_type = media_type or "application/octet-stream"
        return file

    @property
    def path(self) -> Path:
        return Path(self)

    def read_bytes(self) -> bytes:
        return self.path.read_bytes()

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.path.read_text(encoding)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls(str(value))
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}
