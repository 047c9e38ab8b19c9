"""Every statement that looks for entries: by words, by surroundings, by what must be true of them.

Each way of looking gives the best few hundred; nothing is weighed against anything else here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from agent_memory.mirror import fts
from agent_memory.mirror.queries import page_of, utc_text
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Edge, Hit, Lead, Named, Query
from agent_memory.model.text import clean, fold
from agent_memory.model.votes import Votes
from agent_memory.system.database import Database, Row

MOST_LEADS: Final = 100
"""How many entries each way of looking offers; twice as many find nothing more within the first ten."""
MAX_ROWS: Final = 100_000
"""More than anybody reads; SQLite's own limits must not be reached by a number that somebody types."""
_BATCH: Final = 500

_FILTER: Final = """
    (:agent is null or s.agent = :agent) and (:category is null or s.category = :category)
    and (s.active or :inactive) and (:after is null or s.at >= :after) and (:before is null or s.at < :before)
"""
# What FTS5 keeps of passages is read from its own table where nothing is matched: many times quicker, row by row.
_BODY: Final = "(select group_concat(c0, '') from passages_content where id between s.id * 1024 and s.id * 1024 + 1023)"
_EDGES: Final = """
    select s.entry as source, l.kind, l.target from standing s join links l on l.memory = s.id
    where s.entry in (select value from json_each(:ids))
    union
    select s.entry, l.kind, l.target from links l join standing s on s.id = l.memory
    where l.target in (select value from json_each(:ids))
    order by source, kind, target
"""
_TAGGED: Final = """
    and s.tags <> '' and instr((select c1 from passages_content where id = s.id * 1024), :{name})
"""
_HAVING: Final = "and s.id {verb} (select rowid / 1024 from passages where passages match :{name})\n"


class Filter:
    """What must be true of every entry that a query finds: SQL over ``standing s``, and its values."""

    def __init__(self, query: Query) -> None:
        self.sql = _FILTER
        self.values: dict[str, Any] = {
            "agent": query.agent and clean(query.agent),
            "category": query.category and clean(query.category),
            "inactive": query.inactive,
            "after": query.after and utc_text(query.after),
            "before": query.before and utc_text(query.before),
        }
        for tag in query.tags:
            self._add(_TAGGED, f" {fold(clean(tag))} ")
        for text in query.phrases:
            self._add(_HAVING.replace("{verb}", "in"), fts.phrase(text))
        for text in query.without:
            self._add(_HAVING.replace("{verb}", "not in"), fts.match(fts.words(text)) or fts.phrase(text))

    def _add(self, condition: str, value: str) -> None:
        if value.strip():
            name = f"v{len(self.values)}"
            self.sql += condition.replace("{name}", name)
            self.values[name] = value


def frequencies(database: Database, terms: Iterable[str]) -> dict[str, int]:
    """Return in how many passages each term stands, for those that stand in any."""
    wanted = list(terms)
    found: dict[str, int] = {}
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        places = ", ".join("?" * len(batch))
        rows = database.rows(f"select term, doc from vocabulary where term in ({places})", batch)  # noqa: S608
        found |= {row["term"]: row["doc"] for row in rows}
    return found


def beginning_with(database: Database, prefix: str, limit: int = -1) -> dict[str, int]:
    """Return in how many passages each term stands that begins like this."""
    last = prefix + "\U0010ffff"
    rows = database.rows("select term, doc from vocabulary where term > ? and term < ? limit ?", [prefix, last, limit])
    return {row["term"]: row["doc"] for row in rows}


def by_words(database: Database, match: str, wanted: Filter) -> dict[int, float]:
    """Return the entries whose chunks match best; an entry's score is that of its best chunk."""
    rows = database.rows(
        "select f.rowid / 1024 as id, -f.rank as score from passages f cross join standing s on s.id = f.rowid / 1024"  # noqa: S608
        f" where f.passages match :match and {wanted.sql} order by f.rank limit :limit",
        {**wanted.values, "match": match, "limit": MOST_LEADS},
    )
    return {row["id"]: row["score"] for row in reversed(rows)}


def by_surroundings(database: Database, match: str, wanted: Filter) -> dict[int, float]:
    """Return the entries that match best together with what was said around them."""
    rows = database.rows(
        "select f.rowid as id, -f.rank as score from nearby f cross join standing s on s.id = f.rowid"  # noqa: S608
        f" where f.nearby match :match and {wanted.sql} order by f.rank limit :limit",
        {**wanted.values, "match": match, "limit": MOST_LEADS},
    )
    return {row["id"]: row["score"] for row in rows}


def latest(database: Database, wanted: Filter) -> list[int]:
    """Return the entries of which everything wanted is true, the latest said first."""
    rows = database.rows(
        f"select s.id from standing s where {wanted.sql} order by s.at desc, s.archived, s.position limit :limit",  # noqa: S608
        {**wanted.values, "limit": MOST_LEADS},
    )
    return [row["id"] for row in rows]


def all_of(database: Database, wanted: Filter) -> set[int]:
    """Return the entries of which everything wanted is true."""
    return {row["id"] for row in database.rows(f"select s.id from standing s where {wanted.sql}", wanted.values)}  # noqa: S608


def leads(database: Database, scores: Mapping[int, Mapping[str, float]], meanings: Mapping[int, float]) -> list[Lead]:
    """Return what is known of entries that were found, the latest said first."""
    known = _of(database, "s.id, s.agent, s.category, s.archived, s.at, s.author, s.conversation, s.language, s.votes"
                ", s.voted, s.position", scores.keys() | meanings.keys())  # fmt: skip
    known.sort(key=lambda row: (row["agent"], row["category"], row["archived"], row["position"]))
    known.sort(key=lambda row: row["at"], reverse=True)
    return [
        Lead(
            row["id"],
            page_of(row),
            datetime.fromisoformat(row["at"]),
            row["author"],
            row["conversation"],
            row["language"],
            Votes(row["votes"], datetime.fromisoformat(row["voted"]) if row["voted"] else None),
            scores.get(row["id"], {}),
            meanings.get(row["id"]),
        )
        for row in known
    ]


def hits(database: Database, chosen: Sequence[Lead]) -> list[Hit]:
    """Return entries with their words, in the order of the leads to them, with their scores."""
    rows = {row["id"]: row for row in _of(database, f"s.*, {_BODY} as body", [lead.row for lead in chosen])}
    return [_hit(rows[lead.row], lead) for lead in chosen]


def latest_of(database: Database, agent: str, category: str, *, limit: int | None, open_only: bool) -> list[Hit]:
    """Return the active entries of an agent's category, archive included, the latest said first."""
    order = "order by s.at desc, s.archived, s.position"
    rows = database.rows(
        f"select s.*, {_BODY} as body from (select s.id from standing s where s.agent = ? and s.category = ?"  # noqa: S608
        f" and s.active and s.open >= ? {order} limit ?) w cross join standing s on s.id = w.id {order}",
        [clean(agent), clean(category), open_only, -1 if limit is None else min(max(limit, 0), MAX_ROWS)],
    )
    return [_hit(row) for row in rows]


def edges(database: Database, ids: Iterable[str]) -> list[Edge]:
    """Return what leads from or to the entries with these ids, in an order of their own."""
    return [Edge(*row) for row in database.rows(_EDGES, {"ids": json.dumps(list(ids))})]


def named(database: Database, ids: Iterable[str], agent: str | None) -> list[Named]:
    """Return an agent's entries, or everybody's, with these ids, whatever has become of them."""
    rows = database.rows(
        f"select s.*, {_BODY} as body from standing s where s.entry in (select value from json_each(:ids))"  # noqa: S608
        " and (:agent is null or s.agent = :agent) order by s.id",
        {"ids": json.dumps(list(ids)), "agent": agent},
    )
    return [Named(_hit(row), bool(row["active"])) for row in rows]


def _of(database: Database, columns: str, ids: Iterable[int]) -> list[Row]:
    wanted = list(ids)
    found: list[Row] = []
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        places = ", ".join("?" * len(batch))
        found += database.rows(f"select {columns} from standing s where s.id in ({places})", batch)  # noqa: S608
    return found


def _hit(row: Row, lead: Lead | None = None) -> Hit:
    return Hit(
        page=PageRef(row["agent"], row["category"], bool(row["archived"])),
        id=row["entry"],
        at=datetime.fromisoformat(row["at"]),
        tags=tuple(row["tags"].split()),
        body=row["body"],
        score=lead.score if lead else 0.0,
        parts=lead.parts if lead else {},
    )
