"""The mirror as the rest of the product sees it: open it, sync it, search it.

It may be deleted, damaged or outdated at any moment, and none of that is an error to whoever asks: a
file that is no mirror is replaced, and filled from the pages of the last sync. What is returned is as
true as that sync; ``sync`` comes before every read that must see a hand edit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from agent_memory.errors import DatabaseBroken
from agent_memory.mirror import fts, queries, schema
from agent_memory.mirror.sync import Drift, Redact, SyncReport, drift, sync
from agent_memory.model.recall import Hit, Query
from agent_memory.system import files, locks
from agent_memory.system.database import Database
from agent_memory.vault.view import PageState

T = TypeVar("T")

REBUILD_TIMEOUT_S: Final = 10.0


class Mirror:
    """The rebuildable index of a vault, open."""

    def __init__(self, database: Database, redact: Redact) -> None:
        self._database = database
        self._redact = redact
        self._file = _same_file(database.path)
        self._pages: tuple[PageState, ...] = ()

    @classmethod
    def open(cls, path: Path, *, redact: Redact) -> Mirror:
        """Open the mirror at ``path``; one that is missing, damaged or of another version is made anew, empty.

        Args:
            path: Its file.
            redact: Takes the secrets out of a text; everything stored goes through it.

        Raises:
            DatabaseError: The file cannot be opened or written.
            LockTimeout: Another process has been replacing a damaged file for too long.
        """
        return cls(_open(path), redact)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._database.close()

    def sync(self, pages: Iterable[PageState]) -> SyncReport:
        """Make the rows those of ``pages``, all the pages there are; only what changed is loaded."""
        self._pages = tuple(pages)
        if _same_file(self._database.path) != self._file:
            self._reopen()
        return self._mended(lambda: sync(self._database, self._pages, self._redact))

    def rebuild(self, pages: Iterable[PageState]) -> SyncReport:
        """Throw every row away and make all of them anew."""
        self._mended(lambda: schema.reset(self._database))
        return self.sync(pages)

    def search(self, query: Query, *, active_only: bool = True) -> list[Hit]:
        """Return what ``query`` finds, best first, each with an excerpt and the parts of its score."""
        found = fts.terms(query.text)
        if not found:
            return self._tagged(query) if query.tags else []
        hits = self._mended(
            lambda: queries.matching(self._database, fts.match(query.text), query, active_only=active_only)
        )
        return [replace(hit, snippet=fts.excerpt(hit.body, found), parts={"bm25": hit.score}) for hit in hits]

    def _tagged(self, query: Query) -> list[Hit]:
        named = {"agent": query.agent or "", "category": query.category or ""}
        return self._mended(lambda: queries.latest(self._database, **named, limit=query.limit, tags=query.tags))

    def memories(self, agent: str, category: str, *, limit: int | None = None) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first."""
        return self._mended(lambda: queries.latest(self._database, agent=agent, category=category, limit=limit))

    def check(self, pages: Iterable[PageState]) -> Drift:
        """Compare the rows with those of a rebuild from ``pages``; nothing is changed."""
        current = tuple(pages)
        return self._mended(lambda: drift(self._database, current, self._redact))

    def repair(self, pages: Iterable[PageState]) -> bool:
        """Make every row anew if any of them, or the text index, is not what ``pages`` give; tell whether it was."""
        current = tuple(pages)
        drifted = bool(self.check(current))
        if drifted:
            self.rebuild(current)
        return drifted

    def optimise(self) -> None:
        """Make what is there quicker to search; nothing in it changes."""
        self._mended(self._database.optimise)

    def scrub(self, pages: Iterable[PageState]) -> None:
        """Make every row anew in a file that keeps no trace of the old ones."""
        self.rebuild(pages)
        self._mended(self._database.shrink)

    def count(self) -> int:
        """Return how many entries it holds, active or not."""
        return self._mended(lambda: queries.count(self._database))

    def _mended(self, work: Callable[[], T]) -> T:
        """Do ``work``; if the file turns out to be damaged, do it again on a new one."""
        try:
            return work()
        except DatabaseBroken:
            self._reopen(damaged=True)
            sync(self._database, self._pages, self._redact)
            return work()

    def _reopen(self, *, damaged: bool = False) -> None:
        path = self._database.path
        self._database.close()
        self._database = _replace(path) if damaged else _open(path)
        self._file = _same_file(path)


def _open(path: Path) -> Database:
    try:
        return _ready(path)
    except DatabaseBroken:
        return _replace(path)


def _replace(path: Path) -> Database:
    """Put a new mirror where a damaged one is; of several processes that find it damaged, one does."""
    with locks.locked(path.with_suffix(".lock"), timeout_s=REBUILD_TIMEOUT_S):
        with contextlib.suppress(DatabaseBroken):
            database = _ready(path)
            if queries.is_sound(database):
                return database
            database.close()
        for suffix in ("", "-wal", "-shm"):
            files.remove(path.with_name(path.name + suffix))
        return _ready(path)


def _ready(path: Path) -> Database:
    database = Database.open(path)
    try:
        schema.ensure(database)
    except BaseException:
        database.close()
        raise
    return database


def _same_file(path: Path) -> tuple[int, int] | None:
    found = files.identify(path)
    return None if found is None else (found.device, found.inode)
