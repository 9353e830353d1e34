"""The form of a tool: opened with starting values, posted to start a run."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from catalog import schema
from catalog.errors import (
    ConfirmationRequired,
    InvalidArguments,
    KeyReused,
    PegboardError,
)
from catalog.models import Door, Tool
from catalog.requests import AuthenticatedRequest

from . import actions, forms
from .models import Run


def new_key() -> str:
    """A token that lets one rendered form start one run."""
    return f"form:{uuid.uuid4()}"


@dataclass
class Start:
    """A form on its way to a run, and what to say beside it."""

    form: Any
    key: str = field(default_factory=new_key)
    run: Run | None = None
    origin: Run | None = None
    error: str = ""
    confirm_missing: bool = False
    notes: list[str] = field(default_factory=list)


def opened(request: AuthenticatedRequest, tool: Tool) -> Start:
    """Return a fresh form: from an old run, from the address, else defaults."""
    origin = _origin(request, request.GET.get("again", ""))
    arguments: dict[str, Any] | None = None
    notes: list[str] = []
    if origin is not None:
        arguments = dict(origin.arguments)
        notes += _since_then(origin, tool)
    arguments = _from_address(request, arguments, notes)
    form = forms.build(tool.now.parameters, arguments=arguments, timezone=_zone())
    return Start(form, origin=origin, notes=notes)


def _origin(request: AuthenticatedRequest, pk: str) -> Run | None:
    if not pk.isdigit():
        return None
    return Run.objects.visible_to(request.user).filter(pk=int(pk)).first()


def _since_then(origin: Run, tool: Tool) -> list[str]:
    """Say what a person who runs it again should know."""
    notes = [f"Filled from run {origin.pk}."]
    if origin.contract_id != tool.contract_id:
        notes.append(
            f"The contract has changed since (then {origin.contract}, now "
            f"{tool.contract}): look over the values before you start."
        )
    if origin.secret_pointers:
        notes.append("Secrets are not kept: fill them in again.")
    return notes


def _from_address(
    request: AuthenticatedRequest, arguments: dict[str, Any] | None, notes: list[str]
) -> dict[str, Any] | None:
    """Take `?args={…}` and `?arg.name=value` as starting values."""
    if text := request.GET.get("args", ""):
        try:
            given = schema.loads(text)
        except schema.JSONFault as fault:
            notes.append(f"The values in the address are no JSON: {fault}")
        else:
            arguments = (arguments or {}) | (given if isinstance(given, dict) else {})
    single = {
        name.removeprefix("arg."): value
        for name, value in request.GET.items()
        if name.startswith("arg.")
    }
    return (arguments or {}) | single if single else arguments


def _zone() -> str:
    return timezone.get_current_timezone_name()


def posted(request: AuthenticatedRequest, tool: Tool) -> Start:
    """Read a posted form and start a run, or say what stands in its way."""
    form = forms.read(tool.now.parameters, request.POST, timezone=_zone())
    origin = _origin(request, request.POST.get("origin", ""))
    start = Start(form, key=request.POST.get("key", "") or new_key(), origin=origin)
    if form.action is not None or not form.is_valid:
        return start
    try:
        start.run = actions.start_run(
            tool=tool,
            by=request.user,
            arguments=form.arguments,
            door=Door.PAGE,
            key=start.key,
            confirm=request.POST.get("confirm") == "yes",
            origin=origin,
        )
    except InvalidArguments as fault:
        start.form = form.with_faults(fault.faults)
    except ConfirmationRequired:
        start.confirm_missing = True
    except KeyReused:
        start.key = new_key()
        start.error = (
            "This form started a run before, with other values. "
            "Press start once more if you want another run."
        )
    except PegboardError as fault:
        start.error = str(fault)
    return start
