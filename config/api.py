"""The API's addresses, all under /api/v1/."""

from django.contrib.auth.decorators import login_not_required
from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from catalog import api as catalog
from runner import api as runner

from . import openapi  # noqa: F401 - the schema finds what it declares
from .docs import api_docs

urlpatterns = [
    path("tools", catalog.ToolList.as_view(), name="api_tools"),
    path(
        "tools/<text:label>/contract",
        catalog.ToolContract.as_view(),
        name="api_contract",
    ),
    path(
        "tools/<text:label>/runs",
        runner.StartRun.as_view(),
        name="api_start",
    ),
    path("tools/<text:label>", catalog.ToolDetail.as_view(), name="api_tool"),
    path("runs", runner.Runs.as_view(), name="api_runs"),
    path("runs/<int:run_id>", runner.RunDetail.as_view(), name="api_run"),
    path("runs/<int:run_id>/events", runner.RunEvents.as_view(), name="api_events"),
    path("runs/<int:run_id>/cancel", runner.CancelRun.as_view(), name="api_cancel"),
    path("runs/<int:run_id>/confirm", runner.ConfirmRun.as_view(), name="api_confirm"),
    path(
        "runs/<int:run_id>/artifacts/<text:name>",
        login_not_required(runner.artifact),
        name="api_artifact",
    ),
    path("uploads", runner.Uploads.as_view(), name="api_uploads"),
    path("audit", catalog.AuditList.as_view(), name="api_audit"),
    path("schema", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs", api_docs, name="api_docs"),
]
