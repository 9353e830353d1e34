"""From what a guard reported to how the run ended, in words."""

import signal
from typing import Any, NamedTuple

from .models import State

MAX_OUTCOME = 256_000
LIMITS = {
    "memory": "it used more memory than its source allows",
    "processes": "it started more processes than its source allows",
    "output": "it wrote more output than its source allows",
}


class End(NamedTuple):
    """The end state, the reason in words, the shade and the outcome to keep."""

    state: State
    reason: str
    shade: str
    outcome: dict[str, Any]


def read(
    *,
    tool_name: str,
    limit: float,
    read_only: bool,
    value: dict[str, Any] | None,
    end: dict[str, Any] | None,
    cancelled: str,
) -> End:
    """Decide the end of a run from its `value` and `end` frames (docs/protocol.md).

    `end` is None when the guard itself went away without a word.
    """
    how = end["how"] if end else "crashed"
    if how == "timed_out":
        reason = timed_out(tool_name, limit, read_only)
        return End(State.TIMED_OUT, reason, "", {"error": reason})
    if how == "cancelled":
        return End(State.CANCELLED, cancelled or "cancelled", "", {})
    if how == "exited" and value is not None:
        return returned(value)
    reason = crashed(end)
    return End(State.CRASHED, reason, "", {"error": reason})


def returned(frame: dict[str, Any]) -> End:
    """Read a value frame: what the tool returned, and what its dialect makes of it."""
    verdict = frame.get("verdict") or {}
    outcome = {
        key: verdict[key]
        for key in (
            "message", "error", "suggestion", "instruction", "reported_by",
            "exception", "traceback",
        )
        if verdict.get(key) is not None
    }  # fmt: skip
    outcome["notes"] = (frame.get("notes") or [])[:200]
    if frame.get("spilled"):
        outcome |= {"truncated": True, "preview": frame.get("preview")}
    else:
        outcome["value"] = frame.get("value")
    if isinstance(text := frame.get("model_text"), str):
        outcome["model_text"] = text[: MAX_OUTCOME // 8]
    if verdict.get("failed"):
        reason = str(outcome.get("error") or outcome.get("message") or "")
        return End(State.FAILED, reason[:500], "", outcome)
    return End(State.SUCCEEDED, "", verdict.get("shade") or "", outcome)


def timed_out(tool_name: str, limit: float, read_only: bool) -> str:
    said = f"Tool '{tool_name}' timed out after {limit:g} seconds"
    return said if read_only else f"{said}. It may have had effects before that."


def crashed(end: dict[str, Any] | None) -> str:
    """Say in words how a process ended without a value."""
    if end is None:
        return "its host or guard was killed; nothing more is known"
    if end.get("limit_hit") in LIMITS:
        return LIMITS[end["limit_hit"]]
    if why := end.get("why"):
        return str(why)[:500]
    if number := end.get("signal"):
        hint = ": out of memory?" if number == signal.SIGKILL else ""
        return f"killed by signal {number} ({_signal_name(number)}){hint}"
    if end.get("exit_code") is not None:
        return f"the process ended with exit code {end['exit_code']} and no value"
    return "the process ended without a value"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
