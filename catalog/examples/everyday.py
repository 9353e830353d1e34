"""Everyday tools, written as one writes them for a model: marked functions."""

# ruff: noqa: T201 - what a tool prints is shown while it runs

from __future__ import annotations

import ast
import math
import operator
import random
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pegboard_tool import progress, tool

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS = {
    name: getattr(math, name)
    for name in ("sqrt", "sin", "cos", "tan", "log", "log10", "exp", "floor", "ceil")
} | {"abs": abs, "round": round, "min": min, "max": max}
CONSTANTS = {"pi": math.pi, "e": math.e}


@tool(
    display_label="Calculating",
    timeout=5,
    hints={"read_only": True, "idempotent": True},
    tags=["numbers"],
)
def calculate(expression: str) -> dict[str, Any]:
    """Calculate an arithmetic expression and return the exact result.

    Args:
        expression: What to calculate, e.g. "2 * (3 + 4)", "sqrt(16) / 3" or
            "2 ** 64". Functions: abs, round, min, max, sqrt, sin, cos, tan,
            log, log10, exp, floor, ceil. Constants: pi, e.

    Use this tool when the user wants to:
    - Work out a sum, a product, a power or a root
    - Check a calculation

    Do NOT use this tool for:
    - Converting units (use convert_units instead)

    Returns:
        Dictionary with the expression and its result, or an error with a hint
    """
    try:
        result = _value(ast.parse(expression.strip(), mode="eval").body)
    except ZeroDivisionError:
        return _failure("Division by zero", "Change the divisor.")
    except (SyntaxError, ValueError, TypeError, OverflowError) as error:
        return _failure(
            f"Cannot calculate {expression!r}: {error}",
            "Use numbers, + - * / // % **, brackets and the listed functions.",
        )
    return {
        "status": "success",
        "message": f"{expression.strip()} = {result}",
        "data": {"expression": expression, "result": result},
        "instruction": "Answer with the result, in plain text.",
    }


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return _binary(op, _value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            if name in FUNCTIONS:
                return FUNCTIONS[name](*map(_value, args))
    raise ValueError(f"{ast.unparse(node)!r} is not arithmetic")


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Pow) and abs(left) > 1 and abs(right) > 1000:
        raise ValueError("the exponent is too large")
    return OPERATORS[type(op)](left, right)


def _failure(error: str, suggestion: str) -> dict[str, Any]:
    return {"status": "error", "error": error, "suggestion": suggestion}


UNITS: dict[str, tuple[str, float]] = {
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1.0),
    "km": ("length", 1000.0), "inch": ("length", 0.0254), "foot": ("length", 0.3048),
    "mile": ("length", 1609.344),
    "g": ("weight", 0.001), "kg": ("weight", 1.0), "ounce": ("weight", 0.028349523125),
    "pound": ("weight", 0.45359237),
    "ml": ("volume", 0.001), "l": ("volume", 1.0), "gallon": ("volume", 3.785411784),
}  # fmt: skip
Unit = Literal[
    "mm", "cm", "m", "km", "inch", "foot", "mile", "g", "kg", "ounce", "pound",
    "ml", "l", "gallon", "celsius", "fahrenheit", "kelvin",
]  # fmt: skip


@tool(
    display_label="Converting units",
    hints={"read_only": True, "idempotent": True},
    tags=["numbers"],
)
def convert_units(
    amount: Annotated[float, "How much to convert, e.g. 12.5"],
    from_unit: Annotated[Unit, "The unit of the amount"],
    to_unit: Annotated[Unit, "The unit that is wanted"],
    digits: Annotated[int, "Digits after the decimal point, 0 to 10"] = 4,
) -> dict[str, Any]:
    """Convert an amount between units of length, weight, volume or temperature.

    Use this tool when the user asks how much something is in another unit,
    e.g. "what is 70 °F in °C" or "how many miles are 42 km".
    """
    try:
        result = _convert(amount, from_unit, to_unit)
    except LookupError:
        return _failure(
            f"{from_unit} cannot be converted to {to_unit}",
            "Choose two units of one kind: length, weight, volume or temperature.",
        )
    return {
        "status": "success",
        "message": f"{amount:g} {from_unit} is {round(result, digits):g} {to_unit}",
        "data": {"amount": round(result, max(0, min(digits, 10))), "unit": to_unit},
    }


def _convert(amount: float, from_unit: str, to_unit: str) -> float:
    scales = {"celsius": (1.0, 273.15), "kelvin": (1.0, 0.0),
              "fahrenheit": (5 / 9, 459.67 * 5 / 9)}  # fmt: skip
    if from_unit in scales and to_unit in scales:
        factor, offset = scales[from_unit]
        other_factor, other_offset = scales[to_unit]
        return (amount * factor + offset - other_offset) / other_factor
    kind, factor = UNITS[from_unit]
    other_kind, other_factor = UNITS[to_unit]
    if kind != other_kind:
        raise LookupError(kind)
    return amount * factor / other_factor


@tool(display_label="Rolling dice", hints={"read_only": True}, tags=["fun"])
def roll_dice(
    count: Annotated[int, "How many dice, 1 to 100"] = 2,
    sides: Annotated[Literal[4, 6, 8, 10, 12, 20], "Sides of each die"] = 6,
) -> dict[str, Any]:
    """Roll dice and return each throw with the total.

    Use this tool when the user wants to roll dice or needs a fair random number.
    """
    if not 1 <= count <= 100:
        return _failure(f"Cannot roll {count} dice", "Roll between 1 and 100 dice.")
    throws = [random.SystemRandom().randint(1, sides) for _ in range(count)]
    return {"status": "success", "throws": throws, "total": sum(throws)}


@tool(
    display_label="Counting primes",
    timeout=120,
    atomic=True,
    hints={"read_only": True},
    tags=["numbers", "slow"],
)
def count_primes(
    up_to: Annotated[int, "The largest number to look at, up to 5,000,000"] = 1_000_000,
    pause: Annotated[float, "Seconds to wait between steps, to watch it work"] = 0.1,
) -> dict[str, Any]:
    """Count the prime numbers up to a limit, telling how far it is.

    A slow tool with real progress: it sieves in 50 steps and prints one line
    per tenth of the way.

    Use this tool when the user asks how many primes there are below a number.
    """
    if not 2 <= up_to <= 5_000_000:
        return _failure(f"{up_to} is out of range", "Choose between 2 and 5,000,000.")
    sieve = bytearray([1]) * (up_to + 1)
    sieve[0:2] = b"\0\0"
    for number in range(2, math.isqrt(up_to) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(
                len(sieve[number * number :: number])
            )
    found = _count(sieve, pause)
    print(f"{found} primes up to {up_to}")
    return {"status": "success", "primes": found, "up_to": up_to}


def _count(sieve: bytearray, pause: float) -> int:
    found, size = 0, math.ceil(len(sieve) / 50)
    starts = range(0, len(sieve), size)
    for step, start in enumerate(starts, 1):
        found += sieve[start : start + size].count(1)
        progress(step, len(starts), f"{found} primes so far")
        if step % 5 == 0:
            print(f"looked at {min(start + size, len(sieve)) - 1} numbers")
        time.sleep(max(0.0, min(pause, 2.0)))
    return found


@tool(display_label="Waiting for an answer", timeout=3, tags=["slow"])
def wait_for_answer(
    seconds: Annotated[float, "How long the answer takes, 0 to 60"] = 30,
) -> dict[str, Any]:
    """Wait for an answer that may come too late: this tool has a limit of 3 seconds.

    Shows what happens at a time limit: with more than 3 seconds the run is ended
    and says so.

    Use this tool when the user wants to see how a time limit looks.
    """
    progress.label("Waiting, with a limit of 3 seconds")
    waited = 0.0
    while waited < min(seconds, 60):
        print(f"still waiting after {waited:.1f} s")
        time.sleep(0.5)
        waited += 0.5
    return {"status": "success", "message": f"The answer came after {seconds:g} s"}


STAFF = {
    "kari": {"name": "Kari Holm", "desk": "B2", "phone": "1204"},
    "amir": {"name": "Amir Haddad", "desk": "A1", "phone": "1198"},
    "ingrid": {"name": "Ingrid Sæther", "desk": "C3", "phone": "1230"},
}


@tool(display_label="Looking somebody up", hints={"read_only": True}, tags=["people"])
def find_colleague(
    name: Annotated[str, 'First name of a colleague, e.g. "Kari"'],
) -> dict[str, Any]:
    """Find a colleague's desk and phone by first name.

    A name that is not there is answered as an error with a suggestion: try "Karin".

    Use this tool when the user asks where somebody sits or how to reach them.
    """
    person = STAFF.get(name.strip().lower())
    if person is None:
        import difflib

        near = difflib.get_close_matches(name.lower(), STAFF, 1, 0.5)
        known = ", ".join(sorted(each.title() for each in STAFF))
        hint = f"Did you mean {near[0].title()}?" if near else f"Known are: {known}."
        return _failure(f"There is no colleague called {name!r}", hint)
    return {"status": "success", "data": person}


@tool(
    display_label="Clearing the archive",
    hints={"destructive": True, "idempotent": True},
    tags=["archive"],
)
def clear_archive(
    older_than_days: Annotated[int, "Entries older than this many days go"] = 90,
    confirm: Annotated[
        bool, "Must be true to really clear; else only tells what would go"
    ] = False,
) -> dict[str, Any]:
    """Clear old entries of a (make-believe) archive; previews first.

    Without `confirm` it returns what WOULD be removed. Always show that to the
    user before confirming.

    Use this tool when the user explicitly asks to clean up the archive.
    """
    archive = {"report-2024.txt": 640, "notes-may.txt": 210, "sketch.svg": 35}
    old = {name: age for name, age in archive.items() if age > older_than_days}
    if not old:
        return {"status": "success", "message": "Nothing is that old", "removed": []}
    if not confirm:
        return {
            "status": "preview",
            "message": f"This would remove {len(old)} entries",
            "data": [{"entry": name, "age_in_days": age} for name, age in old.items()],
            "note": "Call again with confirm=true to remove them",
        }
    return {"status": "success", "message": f"Removed {len(old)}", "removed": list(old)}
