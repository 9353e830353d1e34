"""What tools there are: sources, tools, the versions of their contracts, audit."""

from typing import Any, Self, TypeGuard

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.validators import RegexValidator
from django.db import connection, models
from django.urls import reverse
from django.utils.functional import cached_property
from knox.models import AbstractAuthToken

from .contract import Contract
from .fields import JSONText

Person = User | AnonymousUser


def active(user: Person | None) -> TypeGuard[User]:
    return user is not None and user.is_authenticated and user.is_active


class Source(models.Model):
    """Where tools come from: an entry of the sources file."""

    name = models.CharField(
        max_length=60, unique=True, validators=[RegexValidator(r"^[a-z0-9_-]+\Z")]
    )
    queue = models.CharField(max_length=60, default="default")
    enabled = models.BooleanField(
        default=True, help_text="Off: still in the catalog, but nothing starts."
    )
    error = models.TextField(blank=True)
    problems = JSONText(default=list)
    report = JSONText(default=dict)
    synced_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveBigIntegerField(default=0)
    groups = models.ManyToManyField(
        Group,
        blank=True,
        help_text="Who may see and use its tools; nobody named means everybody.",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


def closed_to(user: User) -> set[int]:
    """Return the sources whose tools this person may not see; mostly none.

    Plain SQL: asked at every start, and again at every claim.
    """
    if user.is_staff:
        return set()
    restricted: dict[int, set[int]] = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT source_id, group_id FROM catalog_source_groups")
        named = cursor.fetchall()
    for source, group in named:
        restricted.setdefault(source, set()).add(group)
    if not restricted:
        return set()
    mine = set(user.groups.values_list("pk", flat=True))
    return {source for source, groups in restricted.items() if not groups & mine}


class ToolQuerySet(models.QuerySet["Tool"]):
    def visible_to(self, user: Person) -> Self:
        """Return the tools that this person may see."""
        if not active(user):
            return self.none()
        closed = closed_to(user)
        return self.exclude(source__in=closed) if closed else self

    def with_contract(self) -> Self:
        """Bring the source and the contract along, without what is rarely shown."""
        return self.select_related("source", "contract").defer(
            "source__problems",
            "source__report",
            "contract__raw",
            "contract__notes",
            "contract__warnings",
        )

    def labelled(self, label: str) -> Self:
        """Return the tool written `source/name`, if it is there."""
        source, _, name = label.partition("/")
        return self.filter(source__name=source, name=name)


def _sentence(reason: str) -> str:
    """Return a reason with one full stop; people write it with and without."""
    return f"{reason.strip().rstrip('.') or 'no reason was given'}."


class Tool(models.Model):
    """One tool: identity is (source, name), written `source/name`; never deleted."""

    class State(models.TextChoices):
        PRESENT = "present", "Present"
        GONE = "gone", "Gone from its source"
        UNUSABLE = "unusable", "Cannot be called"

    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="tools")
    reference = models.CharField(max_length=300)
    name = models.CharField(max_length=300)
    state = models.CharField(max_length=10, choices=State, default=State.PRESENT)
    why = models.TextField(blank=True, help_text="Why it is gone or unusable.")
    enabled = models.BooleanField(default=True)
    reason = models.TextField(blank=True, help_text="Why it was switched.")
    contract = models.ForeignKey(
        "ContractVersion", null=True, on_delete=models.PROTECT, related_name="+"
    )
    max_concurrent = models.PositiveIntegerField(
        null=True, blank=True, help_text="At most so many runs at once; 1: exclusive."
    )
    timeout = models.FloatField(
        null=True,
        blank=True,
        help_text="An admin's limit in seconds, above all others.",
    )
    first_seen = models.DateTimeField(auto_now_add=True)
    # The catalog's revision at its last change: what an index must bring up.
    revision = models.PositiveBigIntegerField(default=0, db_index=True)

    objects = ToolQuerySet.as_manager()

    class Meta:
        ordering = ["source__name", "name"]
        constraints = [
            models.UniqueConstraint(fields=["source", "name"], name="tool_identity"),
            models.CheckConstraint(
                condition=models.Q(timeout=None) | models.Q(timeout__gt=0),
                name="tool_timeout_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    def get_absolute_url(self) -> str:
        return reverse("tool_page", args=[self.label])

    @property
    def label(self) -> str:
        return f"{self.source.name}/{self.name}"

    @property
    def now(self) -> Contract:
        """The contract in force."""
        if self.contract is None:
            raise ValueError(f"{self} has no contract yet")
        return self.contract.value

    def may_be_used_by(self, user: Person | None) -> bool:
        return active(user) and self.source_id not in closed_to(user)

    def why_not(self, user: Person | None) -> str:
        """Return why this person cannot start it now; empty when they can.

        The one check of every door, made again before a run is claimed.
        """
        if not self.may_be_used_by(user):
            return "You may not use this tool."
        if not self.source.enabled:
            return f"Its source {self.source.name} is switched off."
        if not self.enabled:
            return f"It is switched off: {_sentence(self.reason)}"
        if self.state != self.State.PRESENT:
            return f"{self.get_state_display()}: {_sentence(self.why)}"
        return ""


class ContractVersion(models.Model):
    """A contract as it once was; A, then B, then A again makes three."""

    tool = models.ForeignKey(Tool, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    fingerprint = models.CharField(max_length=64)
    contract = JSONText()
    # Outside the fingerprint: the newest listing's hash of the raw parameters
    # (compared at the claim), the raw declaration, notes and warnings.
    declared_hash = models.CharField(max_length=64, blank=True)
    raw = JSONText(null=True)
    notes = JSONText(default=list)
    warnings = JSONText(default=list)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["tool", "number"]
        constraints = [
            models.UniqueConstraint(fields=["tool", "number"], name="version_number")
        ]

    def __str__(self) -> str:
        return f"version {self.number}"

    @cached_property
    def value(self) -> Contract:
        return Contract.from_json(self.contract)


class Catalog(models.Model):
    """One row whose revision moves whenever the catalog changes."""

    revision = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="one_catalog")
        ]

    def __str__(self) -> str:
        return f"revision {self.revision}"


def touch() -> int:
    """Move the catalog's revision on, inside the transaction of a change.

    The row's lock puts such transactions in a line, so an index that read
    revision N has seen all changes up to N.
    """
    Catalog.objects.get_or_create(pk=1)
    Catalog.objects.filter(pk=1).update(revision=models.F("revision") + 1)
    return Catalog.objects.values_list("revision", flat=True).get(pk=1)


class Door(models.TextChoices):
    """By which way a request came in."""

    PAGE = "page", "page"
    ADMIN = "admin", "admin"
    API = "api", "API"
    COMMAND = "command", "command line"
    SYSTEM = "system", "Pegboard itself"


class AuditEntry(models.Model):
    """Who did what to what, when and why; never changed, never deleted."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    actor_name = models.CharField(max_length=150)
    verb = models.CharField(max_length=60)
    kind = models.CharField(max_length=60)
    object_id = models.BigIntegerField(null=True)
    label = models.CharField(max_length=400)
    before = JSONText(null=True)
    after = JSONText(null=True)
    reason = models.TextField(blank=True)
    door = models.CharField(max_length=10, choices=Door)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["kind", "object_id"], name="audit_object")]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.label}"


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """A hashed, named key for programs, with scopes and an expiry."""

    class Scope(models.TextChoices):
        READ = "read", "Read the catalog, runs and events"
        RUN = "run", "Start, cancel and confirm runs"
        ADMIN = "admin", "Switch tools, read the audit (staff only)"

    name = models.CharField(max_length=80)
    scopes = JSONText(default=list)
    last_used = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return self.name

    def allows(self, scope: str) -> bool:
        return scope in self.scopes

    def save(self, *args: Any, **kwargs: Any) -> None:
        unknown = set(self.scopes) - set(self.Scope.values)
        if unknown:
            raise ValueError(f"unknown scopes: {', '.join(sorted(unknown))}")
        super().save(*args, **kwargs)
