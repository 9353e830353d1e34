"""Catalog, switches, audit, account: guard, form, action, redirect."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from . import account as tokens
from .actions import switch_tool
from .contract import Contract
from .errors import PegboardError
from .forms import SwitchForm, TokenForm
from .models import ApiToken, AuditEntry, Door, Tool
from .requests import AuthenticatedRequest, page, posted_from, whole
from .search import Hit, search, shown_state

FACETS = {
    "source": "Source",
    "dialect": "Dialect",
    "tag": "Tag",
    "state": "State",
}
STATE_WORDS = {"on": "On", "off": "Off", "gone": "Gone", "unusable": "Cannot be called"}
PER_PAGE = 60
NEW_TOKEN = "new_token"  # noqa: S105 - a cookie's name


@dataclass(frozen=True)
class Card:
    """A tool as it hangs in the catalog."""

    tool: Tool
    contract: Contract
    where: str

    @property
    def off(self) -> str:
        """Why it hangs there as an outline only; empty when it can be used."""
        state = shown_state(self.tool)
        if state == "on" and not self.tool.source.enabled:
            return "off"
        return "" if state == "on" else state

    @property
    def off_words(self) -> str:
        return STATE_WORDS[self.off]

    @property
    def limit(self) -> float | None:
        own = self.tool.timeout
        return self.contract.timeout if own is None else own

    @classmethod
    def of(cls, hit: Hit) -> "Card":
        return cls(hit.tool, hit.contract, hit.where)


@require_safe
def tool_list(request: AuthenticatedRequest) -> HttpResponse:
    """Show the catalog: searched, filtered, page by page."""
    q = request.GET.get("q", "").strip()[:200]
    chosen = {name: request.GET.get(name, "") for name in FACETS}
    found = search(
        q,
        user=request.user,
        after=request.GET.get("after"),
        limit=PER_PAGE,
        **chosen,
    )
    context = {
        "q": q,
        "chosen": chosen,
        "filtered": any(chosen.values()),
        "rows": [Card.of(hit) for hit in found.rows],
        "total": found.total,
        "facets": list(_facets(request, found.facets, chosen)),
        "next_url": found.next and _with(request, after=found.next),
    }
    return page(request, "catalog/tool_list.html", context, part="results")


def _with(request: HttpRequest, **changes: str) -> str:
    """Return the address of this page with some of its parameters changed."""
    query = request.GET.copy()
    query.pop("after", None)
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _facets(
    request: HttpRequest,
    found: dict[str, list[tuple[str, int]]],
    chosen: dict[str, str],
) -> Any:
    """Yield the filters that leave a choice, each value a link that toggles it."""
    for name, title in FACETS.items():
        counts = dict(found.get(name, []))
        if chosen[name]:
            counts.setdefault(chosen[name], 0)
        choices = [
            {
                "label": STATE_WORDS.get(value, value) if name == "state" else value,
                "count": count,
                "on": value == chosen[name],
                "url": _with(request, **{name: "" if value == chosen[name] else value}),
            }
            for value, count in sorted(counts.items())
            if value
        ]
        if len(choices) > 1 or chosen[name]:
            yield {"title": title, "choices": choices}


@posted_from("tool_page")
def tool_switch(request: AuthenticatedRequest, label: str) -> HttpResponse:
    """Turn a tool off or on, with a reason."""
    tool = get_object_or_404(Tool.objects.visible_to(request.user).labelled(label))
    form = SwitchForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was switched: say why, others will read it.")
        return redirect(tool)
    try:
        changed = switch_tool(
            tool=tool,
            by=request.user,
            enabled=form.cleaned_data["enabled"],
            reason=form.cleaned_data["reason"],
            door=Door.PAGE,
        )
    except PegboardError as fault:
        messages.error(request, str(fault))
        return redirect(tool)
    now = "on" if form.cleaned_data["enabled"] else "off"
    words = f"{tool.label} is switched {now}." if changed else f"It was {now} already."
    messages.success(request, words)
    return redirect(tool)


@require_safe
def audit(request: AuthenticatedRequest) -> HttpResponse:
    """Show who did what to what, when and why."""
    if not request.user.is_staff:
        raise PermissionDenied
    q = request.GET.get("q", "").strip()[:200]
    entries = AuditEntry.objects.all()
    for word in q.split():
        entries = entries.filter(
            Q(actor_name__icontains=word)
            | Q(verb__icontains=word)
            | Q(label__icontains=word)
            | Q(reason__icontains=word)
        )
    if before := request.GET.get("before", ""):
        entries = entries.filter(pk__lt=whole(before) or 0)
    rows = list(entries[: PER_PAGE + 1])
    more = rows[PER_PAGE:] and _with(request, before=str(rows[PER_PAGE - 1].pk))
    context = {"q": q, "entries": rows[:PER_PAGE], "next_url": more}
    return page(request, "catalog/audit.html", context, part="rows")


@never_cache
@require_http_methods(["GET", "POST"])
def account(request: AuthenticatedRequest) -> HttpResponse:
    """Show this person's tokens; make a new one, shown this once."""
    form = TokenForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        secret = tokens.create_token(
            by=request.user, door=Door.PAGE, **form.cleaned_data
        )
        return _with_new_token(redirect("account"), secret)
    secret = request.COOKIES.get(NEW_TOKEN, "") if request.method == "GET" else ""
    mine = ApiToken.objects.filter(user=request.user)
    context = {"form": form, "secret": secret, "tokens": mine}
    response = page(request, "catalog/account.html", context)
    if secret:
        response.delete_cookie(NEW_TOKEN, path=reverse("account"), samesite="Strict")
    return response


def _with_new_token(response: HttpResponse, secret: str) -> HttpResponse:
    """Send a new token along to the next page, so that reloading makes no second.

    In a cookie that lives for one look: nothing of it is ever stored on our side.
    """
    response.set_cookie(
        NEW_TOKEN,
        secret,
        max_age=60,
        path=reverse("account"),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Strict",
    )
    return response


@require_POST
def token_revoke(request: AuthenticatedRequest, key: str) -> HttpResponse:
    """End one of this person's tokens."""
    token = get_object_or_404(ApiToken, user=request.user, token_key=key)
    tokens.revoke_token(token=token, by=request.user, door=Door.PAGE)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("account")


@require_POST
@login_not_required
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or as the system, in a cookie of this browser."""
    value = request.POST.get("theme", "")
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        back = "/"
    response = redirect(back)
    if value in {"light", "dark"}:
        response.set_cookie("theme", value, max_age=365 * 24 * 3600, samesite="Lax")
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@require_safe
@login_not_required
def favicon(request: HttpRequest) -> HttpResponse:
    """Send those who ask at the usual place to our sign."""
    return redirect(static("img/logo.svg"))
