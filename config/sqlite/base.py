"""Django's SQLite backend, with the writers of a process in a line.

SQLite has one writer. Who waits for it sleeps and looks again, at growing
intervals, so of many threads that write some wait for seconds. Here they wait for
a lock of ours first, and SQLite's own wait is left for other processes.
"""

import threading
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

_writer = threading.Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose transactions hold the process's lock."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._writes = False

    def _start_transaction_under_autocommit(self) -> None:
        if not self._writes:
            if not _writer.acquire(timeout=self.settings_dict["OPTIONS"]["timeout"]):
                raise OperationalError("database is locked")
            self._writes = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        if self._writes:
            self._writes = False
            _writer.release()

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._leave()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave()
