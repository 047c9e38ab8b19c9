"""Every statement that writes the mirror or reads it back whole, as functions that take and return values.

Refuses to decide anything: what to write is the business of ``sync``, what to look for that of ``lookup``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Final, NamedTuple

from agent_memory.errors import DatabaseBroken
from agent_memory.mirror.fts import MAX_CHUNKS, Chunk
from agent_memory.model.memory import PageRef
from agent_memory.model.text import Language
from agent_memory.model.votes import Votes
from agent_memory.system.database import Database, Row

_OF_PAGE: Final = "select id from pages where agent = ? and category = ? and archived = ?"


class PageStamp(NamedTuple):
    """What the mirror knows of the file that a page's rows came from."""

    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as the mirror stores it: clean text without secrets, tags one blank apart, UTC as ISO 8601.

    ``digest`` is that of the entry as the page has it: who has the same has the same row. ``place`` orders
    the entries of one conversation. ``votes`` is the score when last voted, at ``voted``; ``links`` is a JSON list of
    pairs, a kind and an id; empty for none. ``open`` says whether a box in it is not ticked, ``meaning`` is the
    digest of its words, ``found_tags`` the folded tags.
    """

    digest: str
    entry: str
    at: str
    tags: str
    author: str
    conversation: str | None
    place: str
    language: Language | None
    votes: float
    voted: str
    links: str
    active: bool
    open: bool
    meaning: str
    found_tags: str
    chunks: tuple[Chunk, ...]

    @property
    def cast(self) -> Votes:
        """Its votes."""
        return Votes(self.votes, datetime.fromisoformat(self.voted) if self.voted else None)

    @property
    def said_at(self) -> datetime:
        """When it was said."""
        return datetime.fromisoformat(self.at)


def stamps(database: Database) -> dict[PageRef, PageStamp]:
    """Return every mirrored page and the stamp it had."""
    rows = database.rows("select agent, category, archived, size, mtime_ns, digest from pages")
    return {page_of(row): PageStamp(*row[3:]) for row in rows}


def digests(database: Database, page: PageRef) -> set[str]:
    """Return the digests of the entries that a page has here."""
    rows = database.rows(f"select digest from memories where page = ({_OF_PAGE})", _place(page))  # noqa: S608
    return {row["digest"] for row in rows}


def write_page(
    database: Database, page: PageRef, stamp: PageStamp, wanted: Sequence[str], make: Callable[[int], EntryRow]
) -> None:
    """Make a page's rows those of the entries whose digests are ``wanted``, in that order.

    Rows that are there already are kept; ``make`` gives the row of an entry by its position.
    """
    page_id = stamp_page(database, page, stamp)
    rows = database.rows("select id, digest, position, conversation from memories where page = ?", [page_id])
    spare: dict[str, list[Row]] = {}
    for row in rows:
        spare.setdefault(row["digest"], []).append(row)
    kept = [spare[digest].pop() if spare.get(digest) else None for digest in wanted]
    new = [(position, make(position)) for position, row in enumerate(kept) if row is None]
    gone = [row for left in spare.values() for row in left]
    talks = {row["conversation"] for row in gone} | {row.conversation for _, row in new}
    _index_surroundings(database, page_id, talks, remove=True)
    _drop(database, [row["id"] for row in gone])
    moved = [(at, row["id"]) for at, row in enumerate(kept) if row is not None and row["position"] != at]
    database.run_many("update memories set position = ? where id = ?", moved)
    _insert(database, page_id, new)
    _index_surroundings(database, page_id, talks, remove=False)


def add_rows(database: Database, page: PageRef, rows: Sequence[tuple[int, EntryRow]]) -> None:
    """Add rows to a page, each with its position, until ``write_page`` does the rest; till then it has changed."""
    page_id = stamp_page(database, page, PageStamp(0, 0, ""))
    talks = {row.conversation for _, row in rows}
    _index_surroundings(database, page_id, talks, remove=True)
    _insert(database, page_id, rows)
    _index_surroundings(database, page_id, talks, remove=False)


def stamp_page(database: Database, page: PageRef, stamp: PageStamp) -> int:
    """Note what file a page's rows are from, and return the page's number. No upsert: it opens a savepoint, too."""
    row = database.row(_OF_PAGE, _place(page))
    if row is None:
        return database.insert(
            "insert into pages (agent, category, archived, size, mtime_ns, digest) values (?, ?, ?, ?, ?, ?)",
            [*_place(page), *stamp],
        )
    database.run("update pages set size = ?, mtime_ns = ?, digest = ? where id = ?", [*stamp, row["id"]])
    return int(row["id"])


def drop_page(database: Database, page: PageRef) -> None:
    """Forget a page and its rows; one that is not there is fine."""
    write_page(database, page, PageStamp(0, 0, ""), (), _nothing)
    database.run("delete from pages where agent = ? and category = ? and archived = ?", _place(page))


def has_vectors(database: Database) -> bool:
    """Tell whether there are vectors at all, of whatever encoder."""
    return database.row("select 1 from vectors limit 1") is not None


def drop_unused_vectors(database: Database) -> None:
    """Forget the vectors of words that stand nowhere any more."""
    database.run("delete from vectors where not exists (select 1 from memories m where m.meaning = vectors.meaning)")


def entries(database: Database, page: PageRef) -> Iterator[EntryRow]:
    """Yield the rows of one page in its order."""
    ids = database.rows(f"select id from memories where page = ({_OF_PAGE}) order by position", _place(page))  # noqa: S608
    for (entry,) in ids:
        for row in database.rows("select * from memories where id = ?", [entry]):
            yield _entry(row, database.rows(_CHUNKS, [entry, entry]))


def count(database: Database) -> int:
    """Return how many entries there are."""
    row = database.row("select count(*) from memories")
    return 0 if row is None else int(row[0])


def is_sound(database: Database) -> bool:
    """Tell whether the file is undamaged and its text indexes say the same as the rows they were made from."""
    try:
        verdict = database.row("pragma integrity_check(1)")
        database.run("insert into passages (passages, rank) values ('integrity-check', 1)")
        database.run("insert into nearby (nearby, rank) values ('integrity-check', 1)")
    except DatabaseBroken:
        return False
    return verdict is not None and verdict[0] == "ok"


def utc_text(moment: datetime) -> str:
    """Return a time in the form in which it is stored and sorts."""
    return moment.astimezone(UTC).isoformat()


def page_of(row: Row) -> PageRef:
    """Return the page that a row names."""
    return PageRef(row["agent"], row["category"], bool(row["archived"]))


_CHUNKS: Final = "select body, tags, stems from passages where rowid between ? * 1024 and ? * 1024 + 1023"
_COLUMNS: Final = ", ".join(("page", "position", *EntryRow.__slots__[:-2]))
_values: Final = attrgetter(*EntryRow.__slots__[:-2])
_PLACES: Final = ", ".join("?" * (len(EntryRow.__slots__) + 1))


def _insert(database: Database, page_id: int, rows: Sequence[tuple[int, EntryRow]]) -> None:
    last = database.row("select max(id) from memories")
    first = 1 + (last[0] or 0 if last else 0)
    numbered = [(first + at, position, row) for at, (position, row) in enumerate(rows)]
    database.run_many(
        f"insert into memories (id, {_COLUMNS}) values ({_PLACES})",  # noqa: S608
        [(entry, page_id, position, *_values(row)) for entry, position, row in numbered],
    )
    edges = [(entry, *edge) for entry, _, row in numbered if row.links for edge in json.loads(row.links)]
    database.run_many("insert into links (memory, kind, target) values (?, ?, ?)", edges)
    database.run_many(
        "insert into passages (rowid, body, tags, stems) values (?, ?, ?, ?)",
        [
            (entry * MAX_CHUNKS + n, chunk.body, row.found_tags, chunk.stems)
            for entry, _, row in numbered
            for n, chunk in enumerate(row.chunks)
        ],
    )


def _drop(database: Database, ids: Sequence[int]) -> None:
    ranges = [(entry, entry) for entry in ids]
    database.run_many("delete from passages where rowid between ? * 1024 and ? * 1024 + 1023", ranges)
    for table, column in (("links", "memory"), ("memories", "id")):
        database.run_many(f"delete from {table} where {column} = ?", [(entry,) for entry in ids])  # noqa: S608


def _index_surroundings(database: Database, page_id: int, talks: Iterable[str | None], *, remove: bool) -> None:
    """Take the entries of some conversations of a page out of the index of surroundings, or put them in.

    In the order of their ids, because FTS5 writes out what it has gathered whenever one goes back; and not by one
    insert from a select, around which SQLite opens a savepoint, at which it writes out too: five times the time.
    """
    rows = database.rows(
        "select s.id, s.stems from memories m cross join surroundings s on s.id = m.id"
        " where m.page = ? and m.conversation in (select value from json_each(?)) order by m.id",
        [page_id, json.dumps([talk for talk in talks if talk is not None])],
    )
    what = "(nearby, rowid, stems) values ('delete', ?, ?)" if remove else "(rowid, stems) values (?, ?)"
    database.run_many(f"insert into nearby {what}", rows)


def _entry(row: Row, chunks: Sequence[Row]) -> EntryRow:
    values = {name: row[name] for name in EntryRow.__slots__[:-2]}
    return EntryRow(
        **values | {name: bool(row[name]) for name in ("active", "open")},
        found_tags=chunks[0]["tags"] if chunks else "",
        chunks=tuple(Chunk(chunk["body"], chunk["stems"]) for chunk in chunks),
    )


def _place(page: PageRef) -> list[object]:
    return [page.agent, page.category, page.archived]


def _nothing(position: int) -> EntryRow:
    raise LookupError(position)
