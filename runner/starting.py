"""The form of a tool: opened with starting values, posted to start a run."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from catalog.errors import (
    ConfirmationRequired,
    InvalidArguments,
    KeyReused,
    PegboardError,
)
from catalog.models import Door, Tool
from catalog.requests import AuthenticatedRequest, whole

from . import actions, forms, remembered
from .models import Run, SavedArguments


def new_key() -> str:
    """A token that lets one rendered form start one run."""
    return f"form:{uuid.uuid4()}"


@dataclass
class Start:
    """A form on its way to a run, and what to say beside it."""

    form: forms.Form
    key: str = field(default_factory=new_key)
    run: Run | None = None
    origin: Run | None = None
    error: str = ""
    save_as: str | None = None  # the name that a failed saving was given
    confirm_missing: bool = False
    notes: list[str] = field(default_factory=list)


def opened(request: AuthenticatedRequest, tool: Tool) -> Start:
    """Return a fresh form: from an old run, from the address, else defaults."""
    schema = tool.now.parameters
    arguments, notes = forms.starting(schema, request.GET)
    origin = _origin(request, request.GET.get("again", ""))
    if origin is not None:
        notes += _since_then(origin, tool)
        arguments = origin.arguments | arguments
    saved = _saved(request, tool)
    if saved is not None:
        notes.append(f"Filled with the saved values “{saved.name}”.")
        arguments = saved.arguments | arguments
    form = forms.build(
        schema,
        arguments=arguments,
        timezone=_zone(),
        suggestions=remembered.recent(request.user, tool),
    )
    return Start(form, origin=origin, notes=notes)


def _saved(request: AuthenticatedRequest, tool: Tool) -> SavedArguments | None:
    pk = whole(request.GET.get("saved", ""))
    if pk is None:
        return None
    return remembered.saved_for(request.user, tool).filter(pk=pk).first()


def _origin(request: AuthenticatedRequest, text: str) -> Run | None:
    pk = whole(text)
    if pk is None:
        return None
    return Run.objects.visible_to(request.user).filter(pk=pk).first()


def _since_then(origin: Run, tool: Tool) -> list[str]:
    """Say what a person who runs it again should know."""
    notes = [f"Filled from run {origin.pk}."]
    if origin.contract_id != tool.contract_id:
        told = _parameter_changes(origin.contract.value.parameters, tool.now.parameters)
        notes.append(
            f"The contract has changed since (then {origin.contract}, now "
            f"{tool.contract}). {told} Look over the values before you start."
        )
    if origin.secret_pointers:
        notes.append("Secrets are not kept: fill them in again.")
    return notes


def _parameter_changes(then: dict[str, Any], now: dict[str, Any]) -> str:
    """Say which parameters are new, gone or changed."""
    before, after = then.get("properties") or {}, now.get("properties") or {}
    told = {
        "New": [name for name in after if name not in before],
        "Gone": [name for name in before if name not in after],
        "Changed": [n for n in after if n in before and after[n] != before[n]],
    }
    said = [f"{word}: {', '.join(names)}." for word, names in told.items() if names]
    return " ".join(said) or "The parameters are the same."


def _zone() -> str:
    return timezone.get_current_timezone_name()


def posted(request: AuthenticatedRequest, tool: Tool) -> Start:
    """Read a posted form and start a run, or say what stands in its way."""
    start = looked_at(request, tool)
    if start.form.is_valid and not start.error:
        _try(request, tool, start)
    return start


def looked_at(request: AuthenticatedRequest, tool: Tool) -> Start:
    """Read a posted form, and start nothing."""

    def store(file: Any, _: str) -> int:
        return int(actions.store_upload(by=request.user, file=file).pk)

    brought: dict[str, Any] = request.FILES.dict()
    whys = {name: actions.too_large(file) for name, file in brought.items()}
    files = {name: file for name, file in brought.items() if not whys[name]}
    form = forms.read(
        tool.now.parameters,
        request.POST,
        timezone=_zone(),
        files=files,
        store=store,
        suggestions=remembered.recent(request.user, tool),
    )
    origin = _origin(request, request.POST.get("origin", ""))
    key = request.POST.get("key", "") or new_key()
    return Start(
        form, key=key, origin=origin, error=" ".join(filter(None, whys.values()))
    )


def _try(request: AuthenticatedRequest, tool: Tool, start: Start) -> None:
    try:
        start.run = actions.start_run(
            tool=tool,
            by=request.user,
            arguments=start.form.arguments,
            door=Door.PAGE,
            key=start.key,
            confirm=request.POST.get("confirm") == "yes",
            origin=start.origin,
        )
    except ConfirmationRequired:
        start.confirm_missing = True
    except KeyReused:
        start.key = new_key()
        start.error = (
            "This form started a run before, with other values. "
            "Press start once more if you want another run."
        )
    except InvalidArguments as fault:
        start.error = " ".join(one.message for one in fault.faults)
    except PegboardError as fault:
        start.error = str(fault)
