"""What happens when a tool is used: runs, their events and files, the workers."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.urls import reverse

from catalog.fields import JSONText, stamp
from catalog.models import ContractVersion, Door, Person, active


class State(models.TextChoices):
    """Where a run stands; DESIGN's table of states."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    CANCELLING = "cancelling", "Cancelling"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    TIMED_OUT = "timed_out", "Timed out"
    CANCELLED = "cancelled", "Cancelled"
    CRASHED = "crashed", "Crashed"
    LOST = "lost", "Lost"
    REFUSED = "refused", "Refused"


LIVE = (State.QUEUED, State.RUNNING, State.CANCELLING)
ENDED = tuple(state for state in State if state not in LIVE)
CLAIMED = (State.RUNNING, State.CANCELLING)

# The legal moves: to each state, from which.
COMES_FROM: dict[State, tuple[State, ...]] = {
    State.RUNNING: (State.QUEUED,),
    State.CANCELLING: (State.RUNNING,),
    State.SUCCEEDED: CLAIMED,
    State.FAILED: CLAIMED,
    State.TIMED_OUT: CLAIMED,
    State.CANCELLED: LIVE,
    State.CRASHED: CLAIMED,
    State.LOST: CLAIMED,
    State.REFUSED: (State.QUEUED,),
}


class Worker(models.Model):
    """A worker process: what it serves and when it was last seen."""

    name = models.CharField(max_length=200, unique=True)
    machine = models.CharField(max_length=200)
    pid = models.PositiveIntegerField()
    queues = JSONText(default=list)
    hosts = JSONText(default=list)
    threads = models.PositiveIntegerField(default=1)
    stopping = models.BooleanField(default=False)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now(), db_index=True)
    # When the reaper first found it silent; a beat takes that back.
    doubted_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


TOOL_STATE = (
    "source_id", "name", "state", "why", "enabled", "reason", "max_concurrent",
    "timeout",
)  # fmt: skip


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: Person) -> Self:
        """Return the runs this person may see: their own, all for staff."""
        if not active(user):
            return self.none()
        return self if user.is_staff else self.filter(user=user)

    def with_version(self) -> Self:
        """Bring the contract's number along, without all that it says."""
        return self.select_related("contract").defer(
            "contract__contract",
            "contract__raw",
            "contract__notes",
            "contract__warnings",
        )

    def for_supervision(self) -> Self:
        """Bring along just what its supervisor asks of a run; it is every run's."""
        return self.select_related("contract__tool__source", "user").only(
            *("user__is_active", "user__is_staff", "contract__contract"),
            *("contract__declared_hash", "contract__tool__source__name"),
            *("contract__tool__source__enabled", "contract__tool__contract_id"),
            *(f"contract__tool__{name}" for name in TOOL_STATE),
            *("source_name", "tool_name", "queue", "arguments", "confirmed"),
            *("timezone", "secrets", "state", "last_seq"),
        )

    def live(self) -> Self:
        return self.filter(state__in=LIVE)


class Run(models.Model):
    """One use of a tool: who, which contract, arguments, state, outcome."""

    contract = models.ForeignKey(
        ContractVersion, on_delete=models.PROTECT, related_name="runs"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="runs",
    )
    # Names as they were: history outlives everything it names.
    user_name = models.CharField(max_length=150)
    tool_name = models.CharField(max_length=300)
    source_name = models.CharField(max_length=60)
    token_name = models.CharField(max_length=80, blank=True)
    queue = models.CharField(max_length=60, default="default")
    door = models.CharField(max_length=10, choices=Door)

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    shade = models.CharField(max_length=10, blank=True)
    reason = models.TextField(blank=True)
    arguments = JSONText(default=dict)
    confirmed = models.BooleanField(default=False)
    timezone = models.CharField(max_length=60, blank=True)
    secrets = models.BinaryField(null=True)
    secret_pointers = JSONText(default=list)
    limit = models.FloatField(null=True)
    worker = models.ForeignKey(Worker, null=True, on_delete=models.SET_NULL)
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    rung_at = models.DateTimeField(auto_now_add=True)
    last_seq = models.PositiveBigIntegerField(default=0)
    label = models.TextField(blank=True)
    progress = JSONText(null=True)
    outcome = JSONText(null=True)
    origin = models.ForeignKey("self", null=True, on_delete=models.SET_NULL)
    pruned_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["user", "-id"], name="run_user"),
            models.Index(fields=["source_name", "tool_name", "-id"], name="run_tool"),
            models.Index(fields=["state", "-id"], name="run_state"),
            models.Index(fields=["-queued_at"], name="run_queued"),
            models.Index(fields=["finished_at"], name="run_finished"),
            models.Index(fields=["user", "finished_at"], name="run_user_finished"),
            models.Index(
                fields=["queue", "id"],
                condition=models.Q(state="queued"),
                name="run_waiting",
            ),
            models.Index(
                fields=["worker"],
                condition=models.Q(state__in=["running", "cancelling"]),
                name="run_claimed",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(started_at=None)
                | models.Q(finished_at=None)
                | models.Q(finished_at__gte=models.F("started_at")),
                name="run_ends_after_start",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=[state.value for state in State]),
                name="run_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.tool_label}"

    def get_absolute_url(self) -> str:
        return reverse("run_page", args=[self.pk])

    @property
    def tool_label(self) -> str:
        return f"{self.source_name}/{self.tool_name}"

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def seconds(self) -> float | None:
        """How long the tool's code ran, in seconds; None before its end."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()

    def can_be_cancelled_by(self, user: Person) -> bool:
        return active(user) and (user.is_staff or self.user_id == user.pk)

    def can_be_confirmed_by(self, user: Person) -> bool:
        """Whether this run is a preview that this very person may confirm."""
        return self.shade == "preview" and active(user) and self.user_id == user.pk


class Watch(models.Model):
    """A run of somebody else that this person wants in the dock."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="watches")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "watches"
        constraints = [
            models.UniqueConstraint(fields=["user", "run"], name="watched_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} watches run {self.run_id}"


class Event(models.Model):
    """A numbered fact of a run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=10)
    data = JSONText()

    class Meta:
        ordering = ["run", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["run", "seq"], name="event_number")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seq} of run {self.run_id}"

    def frame(self) -> dict[str, Any]:
        """Return what every reader gets: `{run, seq, at, kind, data}`."""
        return {
            "run": self.run_id,
            "seq": self.seq,
            "at": stamp(self.at),
            "kind": self.kind,
            "data": self.data,
        }


class Artifact(models.Model):
    """A file that a run produced."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="artifacts")
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=120, default="application/octet-stream")
    size = models.PositiveBigIntegerField()
    file = models.FileField(max_length=400)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "name"], name="artifact_name")
        ]

    def __str__(self) -> str:
        return self.name


class Upload(models.Model):
    """A file that a person brought for an argument."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    name = models.CharField(max_length=200)
    media_type = models.CharField(max_length=120, default="application/octet-stream")
    size = models.PositiveBigIntegerField()
    file = models.FileField(max_length=400)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class StartKey(models.Model):
    """A key that starts at most one run; gone after a day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    body_hash = models.CharField(max_length=64)
    run = models.ForeignKey(Run, null=True, on_delete=models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="start_key")
        ]

    def __str__(self) -> str:
        return self.key


class SavedArguments(models.Model):
    """A named set of arguments, own or shared with those who may use the tool."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    tool = models.ForeignKey("catalog.Tool", on_delete=models.CASCADE)
    name = models.CharField(max_length=80)
    shared = models.BooleanField(default=False)
    arguments = JSONText(default=dict)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "saved arguments"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "tool", "name"], name="saved_arguments_name"
            )
        ]

    def __str__(self) -> str:
        return self.name
