"""The websocket addresses."""

from django.urls import path, re_path

from .consumers import LiveConsumer, NowhereConsumer, RunConsumer

websocket_urlpatterns = [
    path("ws/live/", LiveConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/runs/<int:run_id>/", RunConsumer.as_asgi()),  # type: ignore[arg-type]
    re_path("", NowhereConsumer.as_asgi()),  # type: ignore[arg-type]
]
