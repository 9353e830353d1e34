"""The small forms of the catalog's own pages."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from .models import ApiToken


class SwitchForm(forms.Form):
    """Turn a tool off or on, and say why."""

    enabled = forms.TypedChoiceField(
        choices=[("true", "on"), ("false", "off")],
        coerce=lambda value: value == "true",
        widget=forms.HiddenInput,
    )
    reason = forms.CharField(
        max_length=1000,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Everybody who looks at the tool reads this.",
    )


class TokenForm(forms.Form):
    """A new token: what it is called, may do, and until when."""

    name = forms.CharField(
        max_length=80,
        help_text="Where you will use it, so that you know which to revoke.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ, ApiToken.Scope.RUN],
        widget=forms.CheckboxSelectMultiple,
        label="It may",
    )
    days = forms.TypedChoiceField(
        choices=[("7", "7 days"), ("90", "90 days"), ("365", "a year"), ("", "never")],
        initial="90",
        coerce=int,
        empty_value=None,
        required=False,
        label="Ends after",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_staff:
            self.fields["scopes"].choices = [  # type: ignore[attr-defined]
                choice
                for choice in ApiToken.Scope.choices
                if choice[0] != ApiToken.Scope.ADMIN
            ]
