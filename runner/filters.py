"""Which runs of the history to show; page and API take the same words."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from .models import LIVE, Run, RunQuerySet, State


class Moment(forms.CharField):
    """A day (its start, in the reader's zone) or an instant with its time."""

    def clean(self, value: Any) -> datetime | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            found = parse_datetime(text) if len(text) > 10 else None
            day = parse_date(text) if found is None else None
        except ValueError as fault:
            raise ValidationError("This day does not exist.") from fault
        if day is not None:
            found = datetime(day.year, day.month, day.day)
        if found is None:
            raise ValidationError("Write a day as 2026-12-31.")
        if not 1900 <= found.year <= 9000:  # zones and ends of days need some room
            raise ValidationError("Write a year from 1900 to 9000.")
        return timezone.make_aware(found) if timezone.is_naive(found) else found


class RunFilter(forms.Form):
    """The filters of the history; all may be left out."""

    tool = forms.CharField(required=False, max_length=400)
    user = forms.CharField(required=False, max_length=150, label="Who")
    state = forms.ChoiceField(
        required=False, choices=[("", "any"), ("live", "Live"), *State.choices]
    )
    since = Moment(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    until = Moment(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )
    q = forms.CharField(required=False, max_length=200, label="Words")

    def rows(self, runs: RunQuerySet) -> RunQuerySet:
        """Return those of `runs` that match; the form must be valid."""
        given = {name: value for name, value in self.cleaned_data.items() if value}
        for name, value in given.items():
            runs = getattr(self, f"_by_{name}")(runs, value)
        return runs

    def _by_tool(self, runs: RunQuerySet, label: str) -> RunQuerySet:
        source, slash, name = label.partition("/")
        if slash:
            return runs.filter(source_name=source, tool_name=name)
        return runs.filter(Q(tool_name__icontains=label) | Q(source_name=label))

    def _by_user(self, runs: RunQuerySet, name: str) -> RunQuerySet:
        return runs.filter(user_name=name)

    def _by_state(self, runs: RunQuerySet, state: str) -> RunQuerySet:
        return runs.filter(state__in=LIVE if state == "live" else [state])

    def _by_since(self, runs: RunQuerySet, at: datetime) -> RunQuerySet:
        return runs.filter(queued_at__gte=at)

    def _by_until(self, runs: RunQuerySet, at: datetime) -> RunQuerySet:
        return runs.filter(queued_at__lt=self._end(at))

    def _end(self, at: datetime) -> datetime:
        """A day given as the end counts whole."""
        whole_day = len(str(self.data.get("until", ""))) <= 10
        return at + timedelta(days=1) if whole_day else at.astimezone(UTC)

    def _by_q(self, runs: RunQuerySet, words: str) -> RunQuerySet:
        runs = runs.annotate(said=Cast("arguments", TextField()))
        for word in words.split():
            in_json = json.dumps(word)[1:-1]  # as arguments are stored
            runs = runs.filter(
                Q(tool_name__icontains=word)
                | Q(label__icontains=word)
                | Q(user_name__icontains=word)
                | Q(reason__icontains=word)
                | Q(said__icontains=in_json)
            )
        return runs


def history(user: Any, query: Any) -> tuple[RunFilter, RunQuerySet]:
    """Return the filter and the runs that this person may see and asked for."""
    found = RunFilter(query)
    runs = Run.objects.visible_to(user)
    return found, (found.rows(runs) if found.is_valid() else runs.none())
