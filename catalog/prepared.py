"""Querysets whose SQL is written once, for the few that every run asks.

Django writes a queryset's SQL anew at each use. With five tables joined, that takes
ten times as long as the database takes to answer.
"""

import threading
from functools import cached_property
from typing import Any

from django.db import connection, models
from django.db.models.query import get_related_populators


class Prepared[M: models.Model]:
    """A queryset that is used again and again with other values in its filters.

    What the filters were given when it was made is only an example. Each value has a
    `filter()` of its own, as Django sorts those of one call; None and lists would make
    other SQL, so they cannot be values.
    """

    def __init__(self, queryset: models.QuerySet[M]) -> None:
        self.queryset = queryset
        self.writing = threading.Lock()

    def first(self, *values: Any) -> M | None:
        """Return the first row, with these values in the filters' order."""
        compiler, sql, names, joined = self._written
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            found = cursor.fetchmany(1)
        for row in compiler.results_iter([found]):
            made = self.queryset.model.from_db(
                connection.alias, names, row[: len(names)]
            )
            for one in joined:
                one.populate(row, made)
            return made
        return None

    @cached_property
    def _written(self) -> tuple[Any, str, list[str], list[Any]]:
        """Compiler, SQL, columns and joined models, as ModelIterable finds them.

        One thread at a time, on a copy: writing counts the use of tables in the query.
        """
        with self.writing:
            compiler = self.queryset.all().query.get_compiler(connection.alias)
            sql, _ = compiler.as_sql()
        select, info = compiler.select, compiler.klass_info
        names = [select[at][0].target.attname for at in info["select_fields"]]
        joined = get_related_populators(
            info, select, connection.alias, models.FETCH_ONE
        )
        return compiler, sql, names, joined
