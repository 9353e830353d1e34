"""What tool authors import: `tool`, `progress` and `InputFile`; all optional."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, overload

__all__ = ["InputFile", "progress", "tool"]
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
ACCEPTED = "Accepted: atomic, display_label, timeout, hints, tags."
HINTS = {"read_only", "destructive", "idempotent"}
declared: list[Callable[..., Any]] = []


@overload
def tool(func: F, /) -> F: ...
@overload
def tool(
    *,
    atomic: bool = ...,
    display_label: str | None = ...,
    timeout: float | None = ...,
    hints: dict[str, bool] | None = ...,
    tags: Iterable[str] = ...,
) -> Callable[[F], F]: ...
def tool(
    func: Any = None,
    /,
    *,
    atomic: bool = False,
    display_label: str | None = None,
    timeout: float | None = None,
    hints: dict[str, bool] | None = None,
    tags: Iterable[str] = (),
    **unknown: Any,
) -> Any:
    """Declare a function as a tool; it stays the function it was."""

    def declare(function: Any) -> Any:
        name = repr(getattr(function, "__name__", function))
        for key in unknown:
            said = f"@tool(...) got unexpected keyword argument {key!r} for tool {name}"
            raise TypeError(f"{said}. {ACCEPTED}")
        if odd := set(hints or ()) - HINTS:
            said = f"tool {name} has unknown hints: {', '.join(sorted(odd))}"
            raise TypeError(f"{said}. Accepted: {', '.join(sorted(HINTS))}.")
        if timeout is not None and not 0 < timeout < math.inf:
            said = f"timeout for tool {name} must be a positive number, got {timeout!r}"
            raise ValueError(said)
        function.__pegboard_tool__ = {
            "atomic": atomic,
            "display_label": display_label,
            "timeout": timeout,
            "hints": hints,
            "tags": [str(tag) for tag in tags],
        }
        declared.append(function)
        return function

    return declare if func is None else declare(func)


class _Progress:
    """Tell how far a run is: `progress(3, 10, "third page")`; cheap at any rate."""

    _slot: Any = None
    _wake: Callable[[], None]

    def __call__(
        self, done: float | None, total: float | None = None, message: str = ""
    ) -> None:
        if self._slot is not None and self._slot.write(done, total, message):
            self._wake()

    def label(self, text: str) -> None:
        """Change the label that the run's strip shows."""
        if self._slot is not None and self._slot.write(label=text):
            self._wake()

    def each(self, items: Iterable[T], message: str = "") -> Iterator[T]:
        """Yield the items, telling after each how many are done."""
        total = getattr(items, "__len__", lambda: None)()
        self(0, total, message)
        for done, item in enumerate(items, 1):
            yield item
            self(done, total, message)


progress = _Progress()


def connect(slot: Any, wake: Callable[[], None]) -> None:
    """Send progress to a run; hosts call this, tools need not."""
    progress._slot, progress._wake = slot, wake


class InputFile(str):
    """A file given by the caller: its path as text, and what it was called."""

    name = ""
    media_type = ""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core.core_schema import no_info_plain_validator_function

        return no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls(value)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}
