"""The doorways of Celery: ids in, one call, nothing returned."""

import logging
import threading
from typing import Any

from celery import shared_task
from celery.signals import (
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from . import reaper, supervisor, worker

log = logging.getLogger(__name__)

POOLS = ("concurrent.futures", "threads", "thread", "solo", "prefork", "processes")


@shared_task
def execute_run(run_id: int) -> None:
    supervisor.supervise(run_id)


@shared_task
def reap_runs() -> None:
    reaper.reap()


@shared_task
def tidy() -> None:
    reaper.tidy()


@worker_ready.connect
def open_workplace(sender: Any, **_: Any) -> None:
    """Start the hosts where this process itself supervises (threads, solo)."""
    pool = str(getattr(sender, "pool_cls", "") or sender.controller.pool_cls)
    if "eventlet" in pool or "gevent" in pool:
        raise SystemExit("Pegboard needs real threads: start Celery with -P threads.")
    if "prefork" in pool:
        log.warning("each prefork process keeps hosts of its own; prefer -P threads")
        return
    worker.start(_queues(sender.app), sender.controller.concurrency or 1)


@worker_process_init.connect
def open_process_workplace(**_: Any) -> None:
    """In a prefork pool each process supervises one run at a time."""
    from celery import current_app

    threading.Thread(
        target=worker.start, args=[_queues(current_app), 1], daemon=True
    ).start()


def _queues(app: Any) -> list[str]:
    return sorted(app.amqp.queues.consume_from)


@worker_shutting_down.connect
def wind_down(**_: Any) -> None:
    if worker._workplace is not None:
        threading.Thread(target=worker._workplace.wind_down, daemon=True).start()


@worker_shutdown.connect
def close_workplace(**_: Any) -> None:
    if worker._workplace is not None:
        worker._workplace.close()
