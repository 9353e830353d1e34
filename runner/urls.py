from django.urls import path

from . import views

urlpatterns = [
    path("saved/<int:pk>/remove/", views.saved_forget, name="saved_forget"),
    path("tools/<text:label>/save/", views.tool_save, name="tool_save"),
    path("tools/<text:label>/", views.tool_page, name="tool_page"),
    path("runs/", views.run_list, name="run_list"),
    path("runs/dock/", views.run_dock, name="run_dock"),
    path("runs/wall/", views.wall, name="wall"),
    path("runs/<int:pk>/", views.run_page, name="run_page"),
    path("runs/<int:pk>/cancel/", views.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/watch/", views.run_watch, name="run_watch"),
    path("runs/<int:pk>/confirm/", views.run_confirm, name="run_confirm"),
    path("runs/<int:pk>/output/", views.run_output, name="run_output"),
    path(
        "runs/<int:pk>/artifacts/<text:name>",
        views.run_artifact,
        name="run_artifact",
    ),
    path("sources/", views.sources, name="sources"),
    path("patterns/", views.patterns, name="patterns"),
]
