"""The mirror as the rest of the product sees it: open it, sync it, search it.

It may be deleted, damaged or outdated at any moment, and none of that is an error to whoever asks: a
file that is no mirror is replaced, and filled from the pages of the last sync. What is returned is as
true as that sync; ``sync`` comes before every read that must see a hand edit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from agent_memory.errors import DatabaseBroken
from agent_memory.mirror import fts, lookup, queries, schema
from agent_memory.mirror.fts import Word
from agent_memory.mirror.lookup import Filter
from agent_memory.mirror.sync import Drift, Redact, drift, sync
from agent_memory.model.recall import Choose, Edge, Hit, Lead, Named, Query
from agent_memory.system import files, locks
from agent_memory.system.database import Database
from agent_memory.vault.view import PageState

if TYPE_CHECKING:
    from agent_memory.mirror.vectors import Vectors
    from agent_memory.system.encoders import Encoder

T = TypeVar("T")
MakeEncoder = Callable[[], "Encoder | None"]

REBUILD_TIMEOUT_S: Final = 10.0
MOST_REPAIRS: Final = 3
"""A long paste has many words that stand nowhere; the longest ones are worth a second look."""
MOST_ROWS: Final = 1_000
MORE_ROWS: Final = 32
"""A query may make SQLite score 1,000 rows and a 32nd of all; its most frequent words are left out beyond."""


class Mirror:
    """The rebuildable index of a vault, open."""

    def __init__(self, database: Database, redact: Redact, encoder: MakeEncoder) -> None:
        self._database = database
        self._redact = redact
        self._encoder = encoder
        self._file = _same_file(database.path)
        self._known_vectors: Vectors | None = None
        self._pages: tuple[PageState, ...] = ()

    @classmethod
    def open(cls, path: Path, *, redact: Redact, encoder: MakeEncoder = lambda: None) -> Mirror:
        """Open the mirror at ``path``; one that is missing, damaged or of another version is made anew, empty.

        Args:
            path: Its file.
            redact: Takes the secrets out of a text; everything stored goes through it.
            encoder: Returns what makes vectors of texts, if anything does, so that what means the same is found too;
                it is asked once there are vectors.

        Raises:
            DatabaseError: The file cannot be opened or written.
            LockTimeout: Another process has been replacing a damaged file for too long.
        """
        return cls(_open(path), redact, encoder)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._database.close()

    def sync(self, pages: Iterable[PageState]) -> int:
        """Make the rows those of ``pages``, all there are; only changed ones are loaded. Return how many changed."""
        self._pages = tuple(pages)
        if _same_file(self._database.path) != self._file:
            self._reopen()
        return self._mended(lambda: sync(self._database, self._pages, self._redact))

    def rebuild(self, pages: Iterable[PageState]) -> None:
        """Throw every row away and make all of them anew."""
        self._mended(lambda: schema.reset(self._database))
        self.sync(pages)

    def find(self, query: Query, choose: Choose) -> list[Hit]:
        """Return what ``choose`` makes of the entries that ``query`` may mean, with their words, in its order.

        There are a few hundred of them at most, each with its scores by way of looking.
        """
        return self._mended(lambda: lookup.hits(self._database, choose(self._leads(query))))

    def edges(self, ids: Sequence[str]) -> list[Edge]:
        """Return what leads from or to the entries with these ids."""
        return self._mended(lambda: lookup.edges(self._database, ids))

    def named(self, ids: Sequence[str], agent: str | None) -> list[Named]:
        """Return an agent's entries with these ids, whatever has become of them; of two copies the page's."""
        return self._mended(lambda: lookup.named(self._database, ids, agent))

    def memories(self, agent: str, category: str, *, limit: int | None = None, open_only: bool = False) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first."""
        return self._mended(lambda: lookup.latest_of(self._database, agent, category, limit=limit, open_only=open_only))

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
        self._mended(lambda: queries.drop_unused_vectors(self._database))
        self._mended(self._database.shrink)

    def make_vectors(self, most: int | None = None) -> int:
        """Make the vectors that are missing, ``most`` at most, and return how many; none without an encoder.

        Raises:
            ModelError: The model cannot be had.
        """
        return self._mended(lambda: vectors.make(most) if (vectors := self._vectors) else 0)

    def count(self) -> int:
        """Return how many entries it holds, active or not."""
        return self._mended(lambda: queries.count(self._database))

    def _leads(self, query: Query) -> list[Lead]:
        wanted = Filter(query)
        asked = fts.words(" ".join((query.text, *query.phrases)))
        if not asked:
            found = lookup.latest(self._database, wanted) if query.chooses else []
            return lookup.leads(self._database, {entry: {} for entry in found}, {})
        asked, around = self._understood(asked)
        scores: dict[int, dict[str, float]] = {}
        for name, look, match in (
            ("words", lookup.by_words, fts.match(asked)),
            ("nearby", lookup.by_surroundings, fts.match_nearby(around)),
            ("pairs", lookup.by_words, fts.match_pairs(asked)),
        ):
            for entry, score in look(self._database, match, wanted).items() if match else ():
                scores.setdefault(entry, {})[name] = score
        return lookup.leads(self._database, scores, self._meanings(query.text, wanted, scores))

    def _meanings(self, text: str, wanted: Filter, found: Collection[int]) -> dict[int, float]:
        vectors = self._vectors if queries.has_vectors(self._database) else None
        return vectors.meanings(text, lookup.all_of(self._database, wanted), found) if vectors else {}

    @property
    def _vectors(self) -> Vectors | None:
        if self._known_vectors is None and (encoder := self._encoder()):
            from agent_memory.mirror.vectors import Vectors  # most vaults have none

            self._known_vectors = Vectors(self._database, encoder)
        return self._known_vectors

    def _understood(self, asked: Sequence[Word]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
        """Return the telling ones of the words, and instead of some that stand nowhere what they were meant as.

        First those to look for, then those to look for in the surroundings too, which are several times as many rows.
        """
        known = lookup.frequencies(self._database, {token for word in asked for token in fts.tokens(word)})
        strange = [word for word in asked if not fts.rows_of(word, known)]
        alone = len(strange) == len(asked)
        longest = sorted(strange, key=lambda word: -len(word.terms[0]))[:MOST_REPAIRS]
        meant = {word: self._repaired(word, known, prefix=alone) for word in longest}
        most_rows = MOST_ROWS + queries.count(self._database) // MORE_ROWS
        told = fts.telling([meant.get(word) or word for word in asked], known, most_rows=most_rows)
        return told, fts.telling(told, known, most_rows=most_rows // 2, fewest=1)

    def _repaired(self, word: Word, known: dict[str, int], *, prefix: bool) -> Word | None:
        """Return what stands somewhere and ``word`` may have been meant as; its rows are added to ``known``.

        Beside words that stand somewhere the beginning of a longer one is mostly another word.
        """
        spelt = word.terms[0]
        if prefix and len(spelt) >= fts.PREFIX_CHARS and lookup.beginning_with(self._database, spelt, 1):
            return Word((spelt,), is_prefix=True)
        if not fts.is_repairable(word):
            return None
        offers = fts.swaps(word)
        known |= lookup.frequencies(self._database, {term for offer in offers for term in offer.terms})
        if not any(fts.rows_of(offer, known) for offer in offers):
            alike = lookup.beginning_with(self._database, spelt[: max(2, len(spelt) // 3)])
            offers = [Word((term,)) for term in alike if fts.is_one_letter_off(spelt, term)]
            known |= {offer.terms[0]: alike[offer.terms[0]] for offer in offers}
        best = max(offers, key=lambda offer: fts.rows_of(offer, known), default=None)
        return best if best and fts.rows_of(best, known) else None

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
        self._database = _replace(path, opened=True) if damaged else _open(path)
        self._file = _same_file(path)
        self._known_vectors = None


def _open(path: Path) -> Database:
    try:
        return _ready(path)
    except DatabaseBroken:
        return _replace(path, opened=False)


def _replace(path: Path, *, opened: bool) -> Database:
    """Put a new mirror where a damaged one is.

    Where the damaged one could not be ``opened``, one that can is another process's new one. Should two processes
    replace it in turn, the first finds a strange file at its next sync.
    """
    with locks.locked(path.with_suffix(".lock"), timeout_s=REBUILD_TIMEOUT_S):
        if not opened:
            with contextlib.suppress(DatabaseBroken):
                return _ready(path)
        for suffix in ("", "-wal", "-shm"):
            files.remove(path.with_name(path.name + suffix))
        return _ready(path)


def _ready(path: Path) -> Database:
    with contextlib.ExitStack() as opened:
        database = Database.open(path)
        opened.callback(database.close)
        schema.ensure(database)
        opened.pop_all()
    return database


def _same_file(path: Path) -> tuple[int, int] | None:
    found = files.identify(path)
    return None if found is None else (found.device, found.inode)
