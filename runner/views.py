"""Using a tool, watching a run, the history: guard, form, action, redirect."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.cache import add_never_cache_headers, patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from catalog.errors import PegboardError
from catalog.models import Door, Source, Tool
from catalog.requests import AuthenticatedRequest, page, posted_from, whole

from . import actions, downloads, remembered, showing, starting
from .filters import history
from .models import Run, SavedArguments

PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
def tool_page(request: AuthenticatedRequest, label: str) -> HttpResponse:
    """Show a tool's contract and form; a post starts a run."""
    tool = visible_tool(request, label)
    if request.method != "POST":
        return _tool_page(request, tool, starting.opened(request, tool))
    start = starting.posted(request, tool)
    return (
        _tool_page(request, tool, start) if start.run is None else redirect(start.run)
    )


def visible_tool(request: AuthenticatedRequest, label: str) -> Tool:
    tools = Tool.objects.visible_to(request.user).select_related("source", "contract")
    return get_object_or_404(tools.labelled(label).exclude(contract=None))


def _tool_page(
    request: AuthenticatedRequest, tool: Tool, start: starting.Start
) -> HttpResponse:
    context = showing.tool(request, tool) | {"start": start, "form": start.form}
    response = page(request, "runner/tool_page.html", context, part="start")
    if request.method == "POST":  # kept, so that a browser can go back to it
        patch_cache_control(response, private=True, no_cache=True)
    else:
        add_never_cache_headers(response)
    return response


@posted_from("tool_page")
def tool_save(request: AuthenticatedRequest, label: str) -> HttpResponse:
    """Keep the values of a form under a name, or say what is wrong with them."""
    tool = visible_tool(request, label)
    start = starting.looked_at(request, tool)
    name = request.POST.get("save_as", "").strip()[:80]
    start.save_as = name
    if not start.form.is_valid and not start.error:
        start.error = "Nothing was saved: look at the marked values first."
    if not name and not start.error:
        start.error = "Nothing was saved: give the values a name."
    if start.error:
        return _tool_page(request, tool, start)
    saved = remembered.save(
        by=request.user,
        tool=tool,
        name=name,
        arguments=start.form.arguments,
        shared=request.POST.get("save_shared") == "yes",
    )
    return redirect(f"{tool.get_absolute_url()}?saved={saved.pk}")


@require_POST
def saved_forget(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Remove a set of values of one's own."""
    saved = get_object_or_404(SavedArguments, user=request.user, pk=pk)
    tool = saved.tool
    remembered.forget(saved=saved, by=request.user)
    messages.success(request, f"The saved values “{saved.name}” are removed.")
    return redirect(tool)


@never_cache
@require_safe
def run_page(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show one run: its strip, output, value, files; htmx gets what changes."""
    run = get_object_or_404(visible_runs(request), pk=pk)
    return page(request, "runner/run_page.html", showing.run(request, run), part="live")


def visible_runs(request: AuthenticatedRequest) -> Any:
    return Run.objects.visible_to(request.user).select_related(
        "contract__tool__source", "origin", "worker"
    )


@posted_from("run_page")
def run_cancel(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Ask for the end of a run; a second time changes nothing."""
    run = get_object_or_404(Run.objects.visible_to(request.user), pk=pk)
    actions.cancel_run(run=run, by=request.user, door=Door.PAGE)
    return redirect(_back(request) or run)


@posted_from("run_page")
def run_watch(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Put somebody else's run into one's own dock, or take it out."""
    run = get_object_or_404(Run.objects.visible_to(request.user), pk=pk)
    wanted = request.POST.get("wanted") == "yes"
    actions.watch_run(run=run, by=request.user, wanted=wanted)
    return redirect(run)


@posted_from("run_page")
def run_confirm(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Do what a preview showed."""
    run = get_object_or_404(visible_runs(request), pk=pk)
    try:
        return redirect(actions.confirm_run(run=run, by=request.user, door=Door.PAGE))
    except PegboardError as fault:
        messages.error(request, str(fault))
        return redirect(run)


def _back(request: AuthenticatedRequest) -> str:
    """Return the page of ours from which was posted, if the browser told it."""
    back = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    return back if ours else ""


@require_safe
def run_list(request: AuthenticatedRequest) -> HttpResponse:
    """Show the history: filtered, newest first, page by page."""
    form, runs = history(request.user, request.GET)
    if (before := whole(request.GET.get("before", ""))) is not None:
        runs = runs.filter(pk__lt=before)
    rows = list(runs[: PER_PAGE + 1])
    query = request.GET.copy()
    if rows[PER_PAGE:]:
        query["before"] = str(rows[PER_PAGE - 1].pk)
    context = {
        "form": form,
        "runs": rows[:PER_PAGE],
        "next_url": rows[PER_PAGE:] and f"{request.path}?{query.urlencode()}",
        "filtered": any(v for name, v in request.GET.items() if name != "before"),
    }
    return page(request, "runner/run_list.html", context, part="rows")


@never_cache
@require_safe
def run_dock(request: AuthenticatedRequest) -> HttpResponse:
    """Answer with the dock alone, for a page that is already open."""
    here = whole(request.GET.get("but", ""))
    run = None if here is None else Run(pk=here)
    return page(request, "runner/dock.html", {"run": run})


@never_cache
@require_safe
def wall(request: AuthenticatedRequest) -> HttpResponse:
    """Show every live run on one page, for those who look after the board."""
    if not request.user.is_staff:
        raise PermissionDenied
    runs = Run.objects.visible_to(request.user).live().order_by("pk")[:200]
    return page(request, "runner/wall.html", {"runs": runs}, part="strips")


@require_safe
def sources(request: AuthenticatedRequest) -> HttpResponse:
    """Show where tools come from, what was found and failed, and who serves."""
    visible = Tool.objects.visible_to(request.user).values("source")
    rows = Source.objects.all()
    if not request.user.is_staff:
        rows = rows.filter(pk__in=visible)
    found = showing.sources(rows)
    workers = showing.workers({source.name for source in found})
    context = {"sources": found, "workers": workers}
    return page(request, "runner/sources.html", context, part="rows")


@require_safe
def patterns(request: AuthenticatedRequest) -> HttpResponse:
    """Show every piece of the interface on one page, for those who build it."""
    if not settings.DEBUG:
        raise Http404
    return page(request, "runner/patterns.html", showing.patterns())


async def run_artifact(
    request: AuthenticatedRequest, pk: int, name: str
) -> HttpResponseBase:
    """Send a file that a run produced."""
    return await downloads.artifact(request, await request.auser(), pk, name)


async def run_output(request: AuthenticatedRequest, pk: int) -> HttpResponseBase:
    """Send the complete stored output of a run, as text."""
    return await downloads.output(request, await request.auser(), pk)
