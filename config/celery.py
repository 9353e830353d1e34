"""The Celery application: doorbells only, the rows are the truth."""

import os
from typing import Any

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("pegboard", task_cls="celery.contrib.django.task:DjangoTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner"])


@app.on_after_configure.connect
def keep_connections(source: Any, **_: Any) -> None:
    """Let the worker's threads keep connections where the web's threads do."""
    if settings.DATABASES["default"].get("CONN_MAX_AGE", 0) is None:
        source["CELERY_DB_REUSE_MAX"] = 10**9  # tasks; it knows no "always"
