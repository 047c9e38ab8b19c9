"""Every statement the mirror runs, as named functions that take values and return values.

Refuses to decide anything: what to write and what to ask for is the business of ``sync`` and ``search``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent_memory.errors import DatabaseBroken
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Hit, Query
from agent_memory.model.text import clean
from agent_memory.system.database import Database, Row

BODY_WEIGHT: Final = 1.0
TAGS_WEIGHT: Final = 1.5
KEYS_WEIGHT: Final = 0.5
"""Chosen by hand for the first version: a tag is a word that somebody found telling, a key is half a word."""

MAX_ROWS: Final = 100_000
"""More than anybody reads; SQLite's own limits must not be reached by a number that somebody types."""


@dataclass(frozen=True, slots=True)
class PageStamp:
    """What the mirror knows of the file that a page's rows came from."""

    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as the mirror stores it: clean text without secrets, tags one blank apart, UTC as ISO 8601."""

    position: int
    entry: str
    at: str
    tags: str
    body: str
    keys: str
    active: bool


def stamps(database: Database) -> dict[PageRef, PageStamp]:
    """Return every mirrored page and the stamp it had."""
    rows = database.rows("select agent, category, archived, size, mtime_ns, digest from pages")
    return {_page(row): PageStamp(row["size"], row["mtime_ns"], row["digest"]) for row in rows}


def write_page(database: Database, page: PageRef, stamp: PageStamp, entries: Iterable[EntryRow]) -> None:
    """Replace everything the mirror has of one page."""
    drop_page(database, page)
    page_id = database.insert(
        "insert into pages (agent, category, archived, size, mtime_ns, digest) values (?, ?, ?, ?, ?, ?)",
        [page.agent, page.category, page.archived, stamp.size, stamp.mtime_ns, stamp.digest],
    )
    database.run_many(
        "insert into memories (page, position, entry, at, tags, body, keys, active) values (?, ?, ?, ?, ?, ?, ?, ?)",
        [[page_id, e.position, e.entry, e.at, e.tags, e.body, e.keys, e.active] for e in entries],
    )


def restamp(database: Database, page: PageRef, stamp: PageStamp) -> None:
    """Note that a file was touched without its bytes changing."""
    database.run(
        "update pages set size = ?, mtime_ns = ?, digest = ? where agent = ? and category = ? and archived = ?",
        [stamp.size, stamp.mtime_ns, stamp.digest, page.agent, page.category, page.archived],
    )


def drop_page(database: Database, page: PageRef) -> None:
    """Forget a page and its rows; one that is not there is fine."""
    where = "agent = ? and category = ? and archived = ?"
    place = [page.agent, page.category, page.archived]
    database.run(f"delete from memories where page = (select id from pages where {where})", place)  # noqa: S608
    database.run(f"delete from pages where {where}", place)  # noqa: S608


def entries(database: Database, page: PageRef) -> list[EntryRow]:
    """Return the rows of one page in its order."""
    rows = database.rows(
        "select position, entry, at, tags, body, keys, active from memories where page ="
        " (select id from pages where agent = ? and category = ? and archived = ?) order by position",
        [page.agent, page.category, page.archived],
    )
    return [
        EntryRow(r["position"], r["entry"], r["at"], r["tags"], r["body"], r["keys"], bool(r["active"])) for r in rows
    ]


def count(database: Database) -> int:
    """Return how many entries there are."""
    row = database.row("select count(*) from memories")
    return 0 if row is None else int(row[0])


def is_sound(database: Database) -> bool:
    """Tell whether the file is undamaged and its text index says the same as the rows it was made from."""
    try:
        verdict = database.row("pragma integrity_check(1)")
        database.run("insert into memories_fts (memories_fts, rank) values ('integrity-check', 1)")
    except DatabaseBroken:
        return False
    return verdict is not None and verdict[0] == "ok"


_TAGGED: Final = (
    " and not exists (select 1 from json_each(:tags) t where not instr(' ' || lower(s.tags) || ' ', t.value))"
)


def matching(database: Database, match: str, query: Query, *, active_only: bool) -> list[Hit]:
    """Return what an FTS5 expression finds, best first; among equals the latest said first."""
    rows = database.rows(
        "select s.*, -bm25(memories_fts, :body_weight, :tags_weight, :keys_weight) as score"  # noqa: S608
        " from memories_fts join standing s on s.id = memories_fts.rowid"
        " where memories_fts match :match and (:agent is null or s.agent = :agent)"
        " and (:category is null or s.category = :category) and (s.active or not :active_only)"
        + _TAGGED
        + " order by score desc, s.at desc, s.agent, s.category, s.archived, s.position limit :limit",
        {
            "match": match,
            "agent": query.agent and clean(query.agent),
            "category": query.category and clean(query.category),
            "tags": _tags(query.tags),
            "active_only": active_only,
            "limit": _limit(query.limit),
            "body_weight": BODY_WEIGHT,
            "tags_weight": TAGS_WEIGHT,
            "keys_weight": KEYS_WEIGHT,
        },
    )
    return [_hit(row, score=row["score"]) for row in rows]


def latest(database: Database, *, agent: str, category: str, limit: int | None, tags: Sequence[str] = ()) -> list[Hit]:
    """Return the active entries of an agent's category, archive included, the latest said first."""
    rows = database.rows(
        "select * from standing s where agent = :agent and category = :category and active"  # noqa: S608
        + _TAGGED
        + " order by at desc, archived, position limit :limit",
        {"agent": clean(agent), "category": clean(category), "limit": _limit(limit), "tags": _tags(tags)},
    )
    return [_hit(row, score=0.0) for row in rows]


def utc_text(moment: datetime) -> str:
    """Return a time in the form in which it is stored and sorts."""
    return moment.astimezone(UTC).isoformat()


def _tags(tags: Iterable[str]) -> str:
    return json.dumps([f" {clean(tag).lower()} " for tag in tags])


def _hit(row: Row, *, score: float) -> Hit:
    return Hit(
        page=_page(row),
        id=row["entry"],
        at=datetime.fromisoformat(row["at"]),
        tags=tuple(row["tags"].split()),
        body=row["body"],
        score=score,
    )


def _limit(wanted: int | None) -> int:
    return -1 if wanted is None else min(max(wanted, 0), MAX_ROWS)


def _page(row: Row) -> PageRef:
    return PageRef(row["agent"], row["category"], bool(row["archived"]))
