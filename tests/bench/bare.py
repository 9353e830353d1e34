"""The baseline: bare Celery with an empty task, on the broker of the board."""

import os

from celery import Celery

app = Celery(
    "bare",
    broker=os.environ["REDIS_URL"],
    backend=os.environ["REDIS_URL"],
)
app.conf.task_default_queue = "bare"
app.conf.worker_prefetch_multiplier = 1


@app.task(name="bare.nothing")
def nothing() -> int:
    return 1
