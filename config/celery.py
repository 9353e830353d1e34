"""The Celery application: doorbells only, the rows are the truth."""

import os
from contextlib import suppress
from typing import Any

from celery import Celery
from django.conf import settings
from kombu.transport.redis import Channel, Transport
from redis import exceptions

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class BrokerChannel(Channel):
    """Kombu's channel, with one client, which says so when it has been given up.

    Kombu 5.7 stumbles over a given up connection (AttributeError) when a message is
    put back later on, and Celery then ends the worker instead of connecting anew.
    It also makes a new client for each command, which takes longer than the command.
    """

    _kept: Any = None

    def _create_client(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise exceptions.ConnectionError(
                "this connection to the broker was given up"
            )
        if asynchronous:
            return super()._create_client(asynchronous=True)  # type: ignore[misc]
        if self._kept is None or self._kept.connection_pool is not self.pool:
            self._kept = super()._create_client()  # type: ignore[misc]
        return self._kept

    def _restore(self, message: Any, leftmost: bool = False) -> None:
        """Put back what was not taken up; without a broker the reaper will ring."""
        with suppress(exceptions.RedisError, OSError):
            super()._restore(message, leftmost)  # type: ignore[call-arg]


Transport.Channel = BrokerChannel

app = Celery("pegboard", task_cls="celery.contrib.django.task:DjangoTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner"])


@app.on_after_configure.connect
def keep_connections(source: Any, **_: Any) -> None:
    """Let the worker's threads keep connections where the web's threads do."""
    if settings.DATABASES["default"].get("CONN_MAX_AGE", 0) is None:
        source["CELERY_DB_REUSE_MAX"] = 10**9  # tasks; it knows no "always"
