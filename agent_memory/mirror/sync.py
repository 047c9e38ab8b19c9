"""Bring the mirror's rows in line with the pages as they are now.

Rows are a function of a page's bytes and nothing else, so a mirror that was synced after every change
equals one that was made from nothing. A page whose digest the mirror already has is not loaded, and of a
page that changed only the entries that changed are made anew. The pages' own text is never written here
as it stands: secrets come out of it first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Final

from agent_memory.mirror import fts, queries
from agent_memory.mirror.queries import EntryRow, PageStamp
from agent_memory.model import votes
from agent_memory.model.ids import digest
from agent_memory.model.links import edges_of
from agent_memory.model.memory import ACTIVATION, Memory, PageRef
from agent_memory.model.text import clean, fold, language_of, open_boxes
from agent_memory.system.database import Database
from agent_memory.system.garbage import uncollected
from agent_memory.vault.view import PageState

Redact = Callable[[str], str]

MOST_ROWS: Final = 512


@dataclass(frozen=True, slots=True)
class Drift:
    """How a mirror differs from one made anew: pages with other rows, and whether the file is sound."""

    pages: tuple[PageRef, ...] = ()
    sound: bool = True

    def __bool__(self) -> bool:
        return bool(self.pages) or not self.sound


@uncollected()
def sync(database: Database, pages: Sequence[PageState], redact: Redact) -> int:
    """Write the rows of pages that changed and drop those of pages that vanished, in one transaction.

    Return how many pages have changed or vanished.

    Rows are made before the transaction begins, so that other processes wait for the writing only. Where very many
    are new most are added first, some at a time, so that memory does not grow with a page.
    """
    known = queries.stamps(database)
    current = {state.page: state for state in pages}
    gone = known.keys() - current.keys()
    other = [state for page, state in current.items() if known.get(page) != _stamp(state)]
    changed = [state for state in other if not _has_bytes(known, state)]
    touched = [state for state in other if _has_bytes(known, state)]
    if gone or changed or touched:
        fresh = [(state, _Rows(database, state, redact)) for state in changed]
        with database.atomic():
            for page in gone:
                queries.drop_page(database, page)
            for state in touched:
                queries.stamp_page(database, state.page, _stamp(state))
            for state, rows in fresh:
                queries.write_page(database, state.page, _stamp(state), rows.digests, rows.row)
    return len(changed) + len(gone)


def drift(database: Database, pages: Iterable[PageState], redact: Redact) -> Drift:
    """Compare every row with what the pages give now; nothing is changed."""
    current = {state.page: state for state in pages}
    known = queries.stamps(database)
    strayed = known.keys() - current.keys()
    differing = {
        page
        for page, state in current.items()
        if page not in known or not _are_the_same(queries.entries(database, page), rows_of(state.load(), redact))
    }
    return Drift(tuple(sorted(strayed | differing, key=lambda page: page.path)), queries.is_sound(database))


def rows_of(memories: Iterable[Memory], redact: Redact) -> Iterator[EntryRow]:
    """Yield the rows of one page, in its order."""
    stored = _storing(redact)
    return (_row(memory, _digest(memory), stored) for memory in memories)


def _are_the_same(some: Iterator[EntryRow], others: Iterator[EntryRow]) -> bool:
    return all(one == other for one, other in zip_longest(some, others))


class _Rows:
    """The rows that a page should have; those that are there are made only if somebody asks after all."""

    def __init__(self, database: Database, state: PageState, redact: Redact) -> None:
        self.digests: list[str] = []
        self._load = state.load
        self._stored = _storing(redact)
        self._made: dict[int, EntryRow] = {}
        known = queries.digests(database, state.page)
        for position, memory in enumerate(state.load()):
            self.digests.append(_digest(memory))
            if self.digests[-1] not in known:
                self._made[position] = _row(memory, self.digests[-1], self._stored)
            if len(self._made) == MOST_ROWS:
                with database.atomic():
                    queries.add_rows(database, state.page, list(self._made.items()))
                self._made = {}

    def row(self, position: int) -> EntryRow:
        if position in self._made:
            return self._made[position]
        return _row(next(islice(self._load(), position, None)), self.digests[position], self._stored)


def _digest(memory: Memory) -> str:
    return digest(memory.id, memory.raw)


def _storing(redact: Redact) -> Redact:
    """Return what makes a text fit to be stored; on one page the same names come again and again."""
    return lru_cache(maxsize=MOST_ROWS)(lambda text: redact(clean(text)) if text else "")


def _row(memory: Memory, own_digest: str, stored: Redact) -> EntryRow:
    body, tags, origin = stored(memory.body), stored(" ".join(memory.tags)), memory.origin
    language, cast = language_of(body), votes.read(memory.meta)
    return EntryRow(
        digest=own_digest,
        entry=clean(memory.id),
        at=queries.utc_text(memory.at),
        tags=tags,
        author=stored(memory.meta.get("author", "")),
        conversation=stored(origin.conversation) if origin else None,
        place=f"{origin.turn if origin else 0:09}/{clean(memory.id)}/{own_digest}",
        language=language,
        votes=cast.score,
        voted=queries.utc_text(cast.at) if cast.at else "",
        links=json.dumps(edges) if (edges := edges_of(memory)) else "",
        active=memory.active,
        open=bool(open_boxes(body)),
        meaning=digest(body),
        found_tags=fold(f" {tags} ") if tags else "",
        chunks=fts.chunks(body, language, also=stored(memory.meta.get(ACTIVATION, ""))),
    )


def _stamp(state: PageState) -> PageStamp:
    return PageStamp(state.identity.size, state.identity.mtime_ns, state.digest)


def _has_bytes(known: dict[PageRef, PageStamp], state: PageState) -> bool:
    return state.page in known and known[state.page].digest == state.digest
