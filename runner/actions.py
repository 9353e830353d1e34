"""The verbs of runs: permission first; page, API and command call the same ones."""

import json
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from catalog import audit, schema
from catalog.contract import Contract
from catalog.errors import (
    ConfirmationRequired,
    CouldNotQueue,
    InvalidArguments,
    KeyReused,
    TooLarge,
    ToolUnavailable,
    WrongState,
)
from catalog.models import Tool
from catalog.schema import Fault

from . import events, queue, secrets
from .artifacts import safe_name
from .models import Run, StartKey, State, Upload, Watch
from .supervisor import upload_ids


def start_run(
    *,
    tool: Tool,
    by: User,
    arguments: Any,
    door: str,
    key: str | None = None,
    confirm: bool = False,
    origin: Run | None = None,
    token_name: str = "",
) -> Run:
    """Check, store and queue one run; the same `key` returns the first run.

    Raises ToolUnavailable, InvalidArguments, ConfirmationRequired, KeyReused,
    and CouldNotQueue (the run is then kept as refused and the key is free).
    """
    if why := tool.why_not(by):
        raise ToolUnavailable(why)
    contract = tool.now
    checked = check_arguments(contract, arguments, by)
    if contract.needs_approval and not confirm:
        raise ConfirmationRequired
    fields = _fields(tool, contract, by, checked) | {
        "door": door,
        "confirmed": confirm,
        "origin": origin,
        "token_name": token_name,
        "timezone": timezone.get_current_timezone_name(),
    }
    body = _hash({"tool": tool.pk, "arguments": checked, "confirm": confirm})
    run, is_new = _create(by, key, body, fields)
    if is_new:
        _queue(run)
    return run


def check_arguments(contract: Contract, arguments: Any, by: User) -> dict[str, Any]:
    """Coerce and validate by the contract; raise InvalidArguments with the faults."""
    if not isinstance(arguments, dict):
        fault = Fault("", "The arguments must be a JSON object.", "type")
        raise InvalidArguments([fault])
    checked, faults = schema.validate(arguments, contract.parameters)
    faults += _upload_faults(checked, by)
    if faults:
        raise InvalidArguments(faults)
    return dict(checked)


def _upload_faults(checked: Any, by: User) -> list[Fault]:
    wanted = upload_ids(checked)
    if not wanted:
        return []
    possible = [pk for pk in wanted if 0 < pk < 2**63]
    known = set(
        Upload.objects.filter(pk__in=possible, user=by).values_list("pk", flat=True)
    )
    return [
        Fault("", f"There is no upload {pk} of yours.", "upload")
        for pk in wanted
        if pk not in known
    ]


def _fields(
    tool: Tool, contract: Contract, by: User, checked: dict[str, Any]
) -> dict[str, Any]:
    pointers = schema.secret_pointers(contract.parameters, checked)
    open_arguments, hidden = schema.take(checked, pointers)
    return {
        "contract": tool.contract,
        "user_id": by.pk,
        "user_name": by.get_username(),
        "tool_name": tool.name,
        "source_name": tool.source.name,
        "queue": tool.source.queue,
        "arguments": open_arguments,
        "secrets": secrets.seal(hidden),
        "secret_pointers": list(hidden),
        "label": contract.label[:200],
    }


def _hash(body: Any) -> str:
    """Return what tells bodies apart, and nothing to who tries out their secrets."""
    text = json.dumps(body, sort_keys=True)
    return salted_hmac("pegboard.start", text, algorithm="sha256").hexdigest()


def _create(
    by: User, key: str | None, body: str, fields: dict[str, Any]
) -> tuple[Run, bool]:
    """Store the run and its key in one transaction; a known key gives its run."""
    key = key[:200] if key else None
    try:
        with transaction.atomic():
            held = (
                StartKey.objects.create(user_id=by.pk, key=key, body_hash=body)
                if key
                else None
            )
            run = events.create(**fields)
            if held:
                StartKey.objects.filter(pk=held.pk).update(run=run)
    except IntegrityError:
        known = StartKey.objects.select_related("run").filter(user_id=by.pk, key=key)
        first = known.first()
        if first is None or first.run is None:
            raise
        if first.body_hash != body:
            raise KeyReused from None
        return first.run, False
    return run, True


def _queue(run: Run) -> None:
    try:
        queue.ring(run)
    except CouldNotQueue:
        StartKey.objects.filter(run=run).delete()
        events.move(
            run, State.REFUSED, reason="could not be queued: the broker is down"
        )
        raise


def cancel_run(*, run: Run, by: User, door: str) -> bool:
    """Ask for the end of a run; False when it has ended or was asked already."""
    if not run.can_be_cancelled_by(by):
        raise PermissionDenied
    who = f"cancelled by {by}"
    with transaction.atomic():
        done = events.move(
            run, State.CANCELLED, only_from=State.QUEUED, reason=who
        ) or events.move(run, State.CANCELLING, reason=who)
        if done and run.user_id != by.pk:
            audit.append(actor=by, verb="cancelled", of=run, label=str(run), door=door)
    return done


def watch_run(*, run: Run, by: User, wanted: bool) -> None:
    """Put somebody else's run into one's dock, or take it out; twice is as once."""
    if wanted:
        Watch.objects.get_or_create(user=by, run=run)
    else:
        Watch.objects.filter(user=by, run=run).delete()


def confirm_run(*, run: Run, by: User, door: str, token_name: str = "") -> Run:
    """Start what a preview showed: same person, contract, arguments; confirm=true."""
    if not run.can_be_confirmed_by(by):
        raise WrongState("Only a preview can be confirmed, by the one who started it.")
    tool = run.contract.tool
    if tool.contract_id != run.contract_id:
        raise ToolUnavailable("Its contract has changed since the preview; start anew.")
    if run.secret_pointers:
        raise WrongState("It had secrets, which are not kept; start it from the form.")
    arguments = {**run.arguments}
    if "confirm" in (tool.now.parameters.get("properties") or {}):
        arguments["confirm"] = True
    return start_run(
        tool=tool,
        by=by,
        arguments=arguments,
        door=door,
        token_name=token_name,
        key=f"confirm:{run.pk}",
        confirm=True,
        origin=run,
    )


def confirmed_as(run: Run) -> Run | None:
    """Return the run that does what this preview showed, once it was confirmed."""
    keys = StartKey.objects.filter(user=run.user, key=f"confirm:{run.pk}")
    key = keys.select_related("run").first()
    return key.run if key else None


def too_large(file: "UploadedFile[Any]") -> str:
    """Say that a file is larger than what is taken, if it is."""
    most = settings.UPLOAD_MAX_BYTES
    if (file.size or 0) <= most:
        return ""
    return f"“{file.name}” is too large: a file has at most {most} bytes."


def store_upload(*, by: User, file: "UploadedFile[Any]") -> Upload:
    """Keep a file that a person brought for an argument; raise TooLarge."""
    if why := too_large(file):
        raise TooLarge(why)
    upload = Upload(
        user_id=by.pk,
        name=safe_name(file.name or "file"),
        media_type=(file.content_type or "application/octet-stream")[:120],
        size=file.size or 0,
    )
    upload.file.save(f"uploads/{by.pk}/{upload.name}", file, save=True)
    return upload
