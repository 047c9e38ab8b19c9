"""Bring the mirror's rows in line with the pages as they are now.

Rows are a function of a page's bytes and nothing else, so a mirror that was synced after every change
equals one that was made from nothing. A page whose digest the mirror already has is not loaded. The
pages' own text is never written here as it stands: secrets come out of it first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent_memory.mirror import fts, queries
from agent_memory.mirror.queries import EntryRow, PageStamp
from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.text import clean
from agent_memory.system.database import Database
from agent_memory.vault.view import PageState

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: pages whose rows were written, pages left alone, pages that vanished."""

    loaded: int = 0
    unchanged: int = 0
    vanished: int = 0


@dataclass(frozen=True, slots=True)
class Drift:
    """How a mirror differs from one made anew: pages with other rows, and whether the file is sound."""

    pages: tuple[PageRef, ...] = ()
    sound: bool = True

    def __bool__(self) -> bool:
        return bool(self.pages) or not self.sound


def sync(database: Database, pages: Sequence[PageState], redact: Redact) -> SyncReport:
    """Write the rows of pages that changed and drop those of pages that vanished, in one transaction.

    Rows are made before the transaction begins, so that other processes wait for the writing only.
    """
    known = queries.stamps(database)
    current = {state.page: state for state in pages}
    gone = known.keys() - current.keys()
    changed = [state for state in current.values() if not _has_bytes(known, state)]
    touched = [state for state in current.values() if _has_bytes(known, state) and known[state.page] != _stamp(state)]
    if gone or changed or touched:
        fresh = [(state, rows_of(state.load(), redact)) for state in changed]
        with database.atomic():
            for page in gone:
                queries.drop_page(database, page)
            for state in touched:
                queries.restamp(database, state.page, _stamp(state))
            for state, rows in fresh:
                queries.write_page(database, state.page, _stamp(state), rows)
    return SyncReport(len(changed), len(current) - len(changed), len(gone))


def drift(database: Database, pages: Iterable[PageState], redact: Redact) -> Drift:
    """Compare every row with what the pages give now; nothing is changed."""
    current = {state.page: state for state in pages}
    known = queries.stamps(database)
    strayed = known.keys() - current.keys()
    differing = {
        page
        for page, state in current.items()
        if page not in known or queries.entries(database, page) != rows_of(state.load(), redact)
    }
    return Drift(tuple(sorted(strayed | differing, key=lambda page: page.path)), queries.is_sound(database))


def rows_of(memories: Iterable[Memory], redact: Redact) -> list[EntryRow]:
    """Return the rows of one page, in its order."""
    return sorted((_row(memory, redact) for memory in memories), key=lambda row: row.position)


def _row(memory: Memory, redact: Redact) -> EntryRow:
    body = redact(clean(memory.body))
    return EntryRow(
        position=memory.position,
        entry=clean(memory.id),
        at=queries.utc_text(memory.at),
        tags=redact(clean(" ".join(memory.tags))),
        body=body,
        keys=fts.keys(body),
        active=memory.active,
    )


def _stamp(state: PageState) -> PageStamp:
    return PageStamp(state.identity.size, state.identity.mtime_ns, state.digest)


def _has_bytes(known: dict[PageRef, PageStamp], state: PageState) -> bool:
    return state.page in known and known[state.page].digest == state.digest
