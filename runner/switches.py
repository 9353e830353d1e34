"""What a switch of a tool means for its runs: the queued ones are not started."""

from typing import Any

from django.dispatch import receiver

from catalog.models import Person, Tool
from catalog.signals import catalog_changed, tool_switched

from . import bell, events
from .models import Run, State


@receiver(tool_switched)
def refuse_queued(
    sender: type[Tool], tool: Tool, by: Person, reason: str, **_: Any
) -> None:
    """End the queued runs of a tool that was switched off, at once."""
    bell.ring(bell.Ring(catalog=True))
    if tool.enabled:
        return
    why = f"not started: tool switched off by {by}: {reason}"
    for run in Run.objects.filter(contract__tool=tool, state=State.QUEUED):
        events.move(run, State.REFUSED, reason=why)


@receiver(catalog_changed)
def tell_pages(**_: Any) -> None:
    bell.ring(bell.Ring(catalog=True))
