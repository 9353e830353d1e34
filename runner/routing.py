"""The websocket addresses."""

from django.urls import path

from .consumers import LiveConsumer, RunConsumer

websocket_urlpatterns = [
    path("ws/live/", LiveConsumer.as_asgi()),  # type: ignore[arg-type]
    path("ws/runs/<int:run_id>/", RunConsumer.as_asgi()),  # type: ignore[arg-type]
]
