"""The catalog after a host has listed its tools: new, changed, gone, back."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from .advice import advise, twins
from .contract import Contract
from .fields import storable
from .hosts import Listing
from .models import ContractVersion, Source, Tool, touch
from .signals import catalog_changed
from .sources import LONGEST, SourceConfig

log = logging.getLogger(__name__)

# A name ending in a verb's segment would hide a page behind another.
VERBS = {"switch", "runs", "contract", "run", "form", "save"}
LONGEST_NAME = 300  # characters, as in the row of a tool


@dataclass
class Report:
    """What a sync found, by name."""

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    total: int = 0

    def moved(self) -> bool:
        return bool(self.new or self.changed or self.gone or self.back)

    def line(self) -> str:
        parts = [
            f"{len(names)} {word}"
            for word in ("new", "changed", "gone", "back")
            if (names := getattr(self, word))
        ]
        return f"{self.total} tools" + (f" ({', '.join(parts)})" if parts else "")


def sync(config: SourceConfig, listing: Listing) -> Report:
    """Bring one source's rows to what its host listed, in one transaction."""
    listing = kept(listing)
    with transaction.atomic():
        source, _ = Source.objects.get_or_create(name=config.name)
        source = Source.objects.select_for_update().get(pk=source.pk)
        report = Syncing(source).take(listing)
        source.queue = config.queue
        source.error = ""
        source.problems = listing.problems
        source.report = vars(report) | {
            "threads": [storable(name) for name in listing.threads],
            "python": listing.python,
        }
        source.synced_at = timezone.now()
        source.revision += report.moved()
        source.save()
        if report.moved():
            _tell(source)
    log.info("source %s: %s", config.name, report.line())
    for problem in listing.problems:
        log.warning(
            "source %s: %s: %s", config.name, problem["reference"], problem["reason"]
        )
    return report


def failed(name: str, error: str, queue: str = "default") -> None:
    """Keep why a source could not be listed; its tools stay as they were."""
    log.error("source %s: %s", name, error)
    # The name may be just what is wrong with it.
    Source.objects.update_or_create(
        name=storable(name)[:LONGEST],
        defaults={
            "error": storable(error),
            "queue": queue,
            "synced_at": timezone.now(),
        },
    )


def kept(listing: Listing) -> Listing:
    """Make a problem of each tool whose name no row can hold; keep the others.

    Under a name that was made to fit, the host would not find its tool.
    """
    whys = [(one, _unkept(one["name"])) for one in listing.tools]
    told = [
        {"reference": one.get("reference", ""), "reason": why}
        for one, why in whys
        if why
    ]
    return replace(
        listing,
        tools=[one for one, why in whys if not why],
        problems=[
            {key: storable(text) for key, text in problem.items()}
            for problem in [*listing.problems, *told]
        ],
    )


def _unkept(name: str) -> str:
    """Say why a tool cannot be listed by this name; empty when it can."""
    if len(name) > LONGEST_NAME:
        return (
            f"the tool whose name begins with {name[:40]!r} is not listed: "
            f"its name has {len(name)} characters, {LONGEST_NAME} are the most"
        )
    if storable(name) != name:
        return (
            f"the tool {name!r} is not listed: its name holds NUL or half a "
            "character, which no database can keep"
        )
    return ""


def remove_missing(names: set[str]) -> None:
    """Mark the tools of sources that are no longer in the file as gone."""
    for source in Source.objects.exclude(name__in=names):
        with transaction.atomic():
            why = "Its source is no longer in the sources file."
            changed = source.tools.exclude(state=Tool.State.GONE).update(
                state=Tool.State.GONE, why=why, revision=touch()
            )
            if changed or not source.error:
                Source.objects.filter(pk=source.pk).update(error=why, problems=[])
            if changed:
                _tell(source)


def _tell(source: Source) -> None:
    transaction.on_commit(lambda: catalog_changed.send(Source, source=source))


class Syncing:
    """One pass over a listing; only rows that changed are written."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.report = Report()
        self._revision: int | None = None
        self.tools = {
            tool.name: tool
            for tool in Tool.objects.filter(source=source).select_related("contract")
        }
        self.numbers: dict[int, int] = dict(
            ContractVersion.objects.filter(tool__source=source)
            .values_list("tool")
            .annotate(Max("number"))
        )

    @property
    def revision(self) -> int:
        if self._revision is None:
            self._revision = touch()
        return self._revision

    def take(self, listing: Listing) -> Report:
        declared = {one["name"]: one for one in listing.tools}
        self.report.total = len(declared)
        self._create([one for name, one in declared.items() if name not in self.tools])
        for contract in advised(map(Contract.from_declaration, declared.values())):
            one = declared[contract.name]
            self._bring(self.tools[contract.name], one, contract)
        for name, tool in self.tools.items():
            if name not in declared:
                self._lose(tool)
        return self.report

    def _create(self, declared: list[dict[str, Any]]) -> None:
        rows = [
            Tool(
                source=self.source,
                name=one["name"],
                reference=storable(one.get("reference", ""))[:300],
                revision=self.revision,
            )
            for one in declared
        ]
        for tool in Tool.objects.bulk_create(rows, batch_size=500):
            self.tools[tool.name] = tool
            self.report.new.append(tool.name)

    def _bring(self, tool: Tool, declared: dict[str, Any], contract: Contract) -> None:
        why = storable(declared.get("unusable") or _unroutable(tool.name))
        state = Tool.State.UNUSABLE if why else Tool.State.PRESENT
        if state == Tool.State.UNUSABLE:
            self.report.unusable.append(tool.name)
        changes: dict[str, Any] = {}
        if tool.contract is None or tool.contract.fingerprint != contract.fingerprint:
            changes["contract"] = self._version(tool, contract)
        else:
            self._refresh(tool.contract, contract)
        if (tool.state, tool.why) != (state, why):
            if tool.state == Tool.State.GONE:
                self.report.back.append(tool.name)
            changes |= {"state": state, "why": why}
        if changes:
            Tool.objects.filter(pk=tool.pk).update(**changes, revision=self.revision)

    def _version(self, tool: Tool, contract: Contract) -> ContractVersion:
        if tool.contract is not None:
            self.report.changed.append(tool.name)
        number = self.numbers[tool.pk] = self.numbers.get(tool.pk, 0) + 1
        return ContractVersion.objects.create(
            tool=tool,
            number=number,
            fingerprint=contract.fingerprint,
            contract=contract.to_json(),
            declared_hash=contract.declared_hash,
            raw=contract.raw,
            notes=contract.notes,
            warnings=contract.warnings,
        )

    def _refresh(self, version: ContractVersion, contract: Contract) -> None:
        """What lies outside the fingerprint follows the newest listing."""
        outside = {
            "declared_hash": contract.declared_hash,
            "raw": contract.raw,
            "notes": contract.notes,
            "warnings": contract.warnings,
        }
        if any(getattr(version, name) != value for name, value in outside.items()):
            ContractVersion.objects.filter(pk=version.pk).update(**outside)

    def _lose(self, tool: Tool) -> None:
        if tool.state == Tool.State.GONE:
            return
        Tool.objects.filter(pk=tool.pk).update(
            state=Tool.State.GONE,
            why="Its source no longer lists it.",
            revision=self.revision,
        )
        self.report.gone.append(tool.name)


def advised(contracts: Iterable[Contract]) -> Iterator[Contract]:
    """Add to each contract the advice to its author, as warnings."""
    contracts = list(contracts)
    summaries = {one.name: one.summary for one in contracts}
    for one in contracts:
        advice = advise(one) + twins(one.name, one.summary, summaries)
        yield replace(one, warnings=[*one.warnings, *advice])


def _unroutable(name: str) -> str:
    """Say why a name cannot stand in an address; empty when it can."""
    segments = name.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return "Its name has an empty, '.' or '..' part, which no address can hold."
    if segments[-1] in VERBS and len(segments) > 1:
        return f"Its name ends in /{segments[-1]}, which is a page of Pegboard's own."
    return ""
