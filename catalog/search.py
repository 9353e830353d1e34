"""Find tools: one index in memory for either database.

An FTS5 table of the standard library's SQLite, held by each process and brought
up to date when the catalog's revision moves. Every word must match somewhere,
prefixes count, and a word of five letters or more may have one typo.
"""

import re
import sqlite3
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from .contract import Contract
from .fields import storable
from .models import Catalog, Person, Tool, active, closed_to

FIELDS = ("name", "title", "description", "parameters", "tags", "source")
# bm25 weights in the order of FIELDS: names before descriptions.
RANKED = (
    "SELECT rowid FROM text WHERE text MATCH ? "
    "ORDER BY bm25(text, 20.0, 10.0, 2.0, 1.0, 6.0, 4.0), rowid"
)
WORD = re.compile(r"[^\W_]+")
BEST = 200
SHOWN_STATES = ("on", "off", Tool.State.GONE.value, Tool.State.UNUSABLE.value)


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index keeps of a tool, beside its text."""

    pk: int
    source_id: int
    source: str
    name: str
    dialect: str
    tags: tuple[str, ...]
    state: str
    parameters: tuple[tuple[str, str], ...]
    rest: str
    contract: Contract  # without its parameters
    version: int

    @property
    def key(self) -> tuple[str, str]:
        return (self.source, self.name)


@dataclass(frozen=True)
class Hit:
    """A tool that was found, and where when it is not in its name or text."""

    tool: Tool
    contract: Contract  # without its parameters
    version: int
    where: str = ""


@dataclass(frozen=True)
class Results:
    rows: list[Hit]
    facets: dict[str, list[tuple[str, int]]]
    next: str | None
    total: int


@dataclass
class Index:
    """The catalog's text in memory; use it under its lock."""

    revision: int = -1
    entries: dict[int, Entry] = field(default_factory=dict)
    order: list[Entry] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    db: sqlite3.Connection = field(
        default_factory=lambda: sqlite3.connect(":memory:", check_same_thread=False)
    )

    def __post_init__(self) -> None:
        columns = ", ".join(FIELDS)
        self.db.execute(
            f"CREATE VIRTUAL TABLE text USING fts5({columns}, prefix='2 3', "
            "tokenize='unicode61 remove_diacritics 2')"
        )
        self.db.execute("CREATE VIRTUAL TABLE words USING fts5vocab(text, 'row')")
        self.vocabulary: list[str] = []

    def bring_up(self) -> None:
        """Load what changed since the revision that this index holds."""
        now = Catalog.objects.values_list("revision", flat=True).first() or 0
        if now == self.revision:
            return
        if now < self.revision:  # another database: start anew
            self.entries.clear()
            self.db.execute("DELETE FROM text")
            self.revision = -1
        changed = Tool.objects.with_contract().filter(
            revision__gt=self.revision, contract__isnull=False
        )
        for tool in changed.iterator(chunk_size=500):
            self._put(tool)
        self.order = sorted(self.entries.values(), key=lambda entry: entry.key)
        self.vocabulary = [row[0] for row in self.db.execute("SELECT term FROM words")]
        self.vocabulary.sort()
        self.revision = now

    def _put(self, tool: Tool) -> None:
        entry, text = read(tool)
        if tool.pk in self.entries:
            self.db.execute("DELETE FROM text WHERE rowid = ?", [tool.pk])
        self.entries[tool.pk] = entry
        marks = ", ".join("?" * (len(FIELDS) + 1))
        self.db.execute(
            f"INSERT INTO text (rowid, {', '.join(FIELDS)}) VALUES ({marks})",  # noqa: S608 - column names
            [tool.pk, *(storable(text[name]) for name in FIELDS)],
        )

    def find(self, q: str) -> list[Entry]:
        """Return the tools that match every word, best first."""
        terms = [self._term(word) for word in WORD.findall(q)]
        if not terms:
            return self.order
        found = self.db.execute(RANKED, [" AND ".join(terms)])
        return [self.entries[pk] for (pk,) in found]

    def _term(self, word: str) -> str:
        near = [word, *self.near(word)]
        return "(" + " OR ".join(f'"{one}"*' for one in near) + ")"

    def near(self, word: str) -> list[str]:
        """Return known words one typo away from one that is not known itself."""
        low = word.lower()
        at = bisect_left(self.vocabulary, low)
        if len(low) < 5 or "".join(self.vocabulary[at : at + 1]).startswith(low):
            return []
        found = process.extract(
            low, self.vocabulary, scorer=OSA.distance, score_cutoff=1, limit=5
        )
        return [known for known, _, _ in found]


index = Index()


def read(tool: Tool) -> tuple[Entry, dict[str, str]]:
    """Return a tool's entry and its text, field by field."""
    contract = tool.now
    parameters = tuple(_parameters(contract.parameters))
    entry = Entry(
        pk=tool.pk,
        source_id=tool.source_id,
        source=tool.source.name,
        name=tool.name,
        dialect=contract.dialect,
        tags=tuple(contract.tags),
        state=shown_state(tool),
        parameters=parameters,
        contract=replace(contract, parameters={}, returns=None),
        version=tool.contract.number if tool.contract else 0,
        rest=" ".join(
            [
                tool.label,
                contract.title or "",
                contract.label,
                contract.description,
                *contract.tags,
            ]
        ).lower(),
    )
    return entry, {
        "name": tool.name,
        "title": f"{contract.title or ''} {contract.display_label or ''}",
        "description": contract.description,
        "parameters": " ".join(f"{name} {text}" for name, text in parameters),
        "tags": " ".join(contract.tags),
        "source": tool.source.name,
    }


def shown_state(tool: Tool) -> str:
    """Return the state a person filters by, one of SHOWN_STATES."""
    if tool.state != Tool.State.PRESENT:
        return tool.state
    return "on" if tool.enabled else "off"


def _parameters(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, one in (schema.get("properties") or {}).items():
        known = one if isinstance(one, dict) else {}
        yield name, f"{known.get('title', '')} {known.get('description', '')}".strip()


def search(
    q: str = "",
    *,
    user: Person,
    source: str = "",
    dialect: str = "",
    tag: str = "",
    state: str = "",
    after: str | None = None,
    limit: int = 50,
) -> Results:
    """Find tools; browse them by keyset where there is no `q`.

    `q` answers the best 200 in order of rank; `after` is the label of the last
    row of the page before.
    """
    with index.lock:
        index.bring_up()
        found = index.find(q)
    closed = closed_to(user) if active(user) else {entry.source_id for entry in found}
    wanted = {"source": source, "dialect": dialect, "tag": tag, "state": state}
    visible = [e for e in found if e.source_id not in closed] if closed else found
    chosen = _chosen(visible, wanted)
    page = chosen[:BEST] if q else _page(chosen, after, limit)
    more = not q and bool(page) and page[-1] is not chosen[-1]
    return Results(
        rows=_hits(page, q),
        facets=_facets(visible, wanted),
        next=f"{page[-1].source}/{page[-1].name}" if more else None,
        total=len(chosen),
    )


def _chosen(entries: list[Entry], wanted: dict[str, str], but: str = "") -> list[Entry]:
    """Return the entries that fit the filters, one of which may be left aside."""
    asked = [(n, value) for n, value in wanted.items() if value and n != but]
    if not asked:
        return entries
    return [e for e in entries if all(_has(e, n, value) for n, value in asked)]


def _has(entry: Entry, name: str, value: str) -> bool:
    return value in entry.tags if name == "tag" else getattr(entry, name) == value


def _facets(
    entries: list[Entry], wanted: dict[str, str]
) -> dict[str, list[tuple[str, int]]]:
    """Count the values of each filter among what the other filters leave."""
    return {
        name: sorted(_count(_chosen(entries, wanted, but=name), name).items())
        for name in wanted
    }


def _count(entries: list[Entry], name: str) -> Counter[str]:
    if name == "tag":
        return Counter(chain.from_iterable(entry.tags for entry in entries))
    return Counter(map(attrgetter(name), entries))


def _page(entries: list[Entry], after: str | None, limit: int) -> list[Entry]:
    if not after:
        return entries[:limit]
    source, _, name = after.partition("/")
    return [e for e in entries if e.key > (source, name)][:limit]


def _hits(entries: list[Entry], q: str) -> list[Hit]:
    rows = (
        Tool.objects.filter(pk__in=[entry.pk for entry in entries])
        .select_related("source")
        .defer("source__problems", "source__report")
        .in_bulk()
    )
    words = [word.lower() for word in WORD.findall(q)]
    return [
        Hit(rows[e.pk], e.contract, e.version, _where(e, words))
        for e in entries
        if e.pk in rows
    ]


def _where(entry: Entry, words: Iterable[str]) -> str:
    """Name the parameter that a word was found in, when the rest has it not."""
    for word in words:
        if word in entry.rest:
            continue
        for name, text in entry.parameters:
            if word in name.lower() or word in text.lower():
                return f"matches parameter {name}"
    return ""
