"""Vectors of what entries mean: kept by the digest of the words, made in the background, compared by brute force.

A vector is made once for the same words, wherever they stand. A read encodes the query and no more; where
that fails, or there are no vectors yet, nothing is said about meaning, and words alone decide.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_memory.errors import ModelError
from agent_memory.mirror import queries
from agent_memory.mirror.lookup import MOST_LEADS
from agent_memory.system.database import Database

if TYPE_CHECKING:
    import numpy as np

    from agent_memory.system.encoders import Encoder, Vector

    Matrix = np.ndarray[Any, np.dtype[np.float32]]

BATCH: Final = 64
MOST_CHARS: Final = 2_000
"""What of a long entry is encoded: its beginning."""
FEWEST_OF_A_LANGUAGE: Final = 8
PAUSE_S: Final = 5.0
"""Whoever did not answer is not asked the same thing again for so long."""
BESIDE: Final = 1.0
"""How much what was said just before or after counts beside what was said."""


@dataclass(frozen=True, slots=True)
class _Held:
    """Entries with their vectors, those of one conversation in its order."""

    ids: Sequence[int]
    languages: Sequence[str | None]
    talks: Sequence[tuple[int, str | None]]
    matrix: Matrix


class Vectors:
    """The vectors of one encoder in a mirror."""

    def __init__(self, database: Database, encoder: Encoder) -> None:
        self._database = database
        self._encoder = encoder
        self._loaded: tuple[object, _Held] | None = None
        self._asked: tuple[str, Vector | None, float] = "", None, 0.0

    def make(self, most: int | None = None) -> int:
        """Make the vectors that are missing, ``most`` at most, and drop those of words that stand nowhere.

        Raises:
            ModelError: The model cannot be had.
        """
        queries.drop_unused_vectors(self._database)
        made = 0
        while texts := self._missing(BATCH if most is None else min(BATCH, most - made)):
            vectors = [_packed(vector) for vector in self._encoder.encode(list(texts.values()), patient=True)]
            rows = [(name, self._encoder.name, vector) for name, vector in zip(texts, vectors, strict=True)]
            self._database.run_many("insert or replace into vectors (meaning, encoder, vector) values (?, ?, ?)", rows)
            made += len(rows)
        return made

    def meanings(self, text: str, among: Set[int], also: Iterable[int]) -> dict[int, float]:
        """Return how near entries are to ``text`` in meaning, from 0 to 1: the nearest, and those of ``also``.

        How near counts among the entries of the same language, because a text is nearer to all of its own.

        Args:
            text: What is asked.
            among: The entries that may be found.
            also: Further entries to tell of.
        """
        held = self._held()
        if not held.ids:
            return {}
        asked = self._encoded(text[:MOST_CHARS])
        if asked is None or len(asked) != held.matrix.shape[1]:
            return {}
        near = _standardised(_with_neighbours(held.matrix @ _unit(asked), held.talks), held.languages)
        known = {entry: float(value) for entry, value in zip(held.ids, near, strict=True)}
        nearest = sorted(known.keys() & among, key=lambda entry: -known[entry])[:MOST_LEADS]
        least, most = min(known.values()), known[nearest[0]] if nearest else 0.0
        chosen = {*nearest, *(entry for entry in also if entry in known)}
        return {entry: min((known[entry] - least) / ((most - least) or 1.0), 1.0) for entry in chosen}

    def _encoded(self, text: str) -> Vector | None:
        """Return the vector of a query, None where it cannot be had; a briefing asks for the same one several times."""
        known, vector, until = self._asked
        if known == text and (vector is not None or time.monotonic() < until):
            return vector
        try:
            (vector,) = self._encoder.encode([text])
        except ModelError:
            vector = None
        self._asked = text, vector, time.monotonic() + PAUSE_S
        return vector

    def _missing(self, most: int) -> dict[str, str]:
        """Return the words that have no vector yet, by their digest."""
        rows = self._database.rows(
            "select m.meaning, (select group_concat(body, '') from passages where rowid between m.id * 1024"
            " and m.id * 1024 + 1023) as body from memories m where m.active and not exists"
            " (select 1 from vectors v where v.meaning = m.meaning and v.encoder = ?) group by m.meaning limit ?",
            [self._encoder.name, max(most, 0)],
        )
        return {row["meaning"]: row["body"][:MOST_CHARS] for row in rows}

    def _held(self) -> _Held:
        """Return every entry that has a vector; from memory if nothing has changed."""
        import numpy as np

        stamp = self._database.stamp()
        if self._loaded is None or self._loaded[0] != stamp:
            rows = self._database.rows(
                "select m.id, m.language, m.page, m.conversation, v.vector from memories m join vectors v"
                " on v.meaning = m.meaning and v.encoder = ? where m.active order by m.page, m.conversation, m.place",
                [self._encoder.name],
            )
            data = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f2").astype(np.float32)
            held = _Held(
                [row["id"] for row in rows],
                [row["language"] for row in rows],
                [(row["page"], row["conversation"]) for row in rows],
                data.reshape(len(rows), -1) if rows else data,
            )
            self._loaded = stamp, held
        return self._loaded[1]


def _with_neighbours(cosines: Matrix, talks: Sequence[tuple[int, str | None]]) -> Matrix:
    """Add to each cosine a share of the larger one beside it in the same conversation; by itself, of its own."""
    import numpy as np

    joined = np.array([one == other and one[1] is not None for one, other in itertools.pairwise(talks)], dtype=bool)
    before, after = np.full_like(cosines, -np.inf), np.full_like(cosines, -np.inf)
    before[1:][joined], after[:-1][joined] = cosines[:-1][joined], cosines[1:][joined]
    beside = np.maximum(before, after)
    return np.add(cosines, np.float32(BESIDE) * np.where(np.isinf(beside), cosines, beside), dtype=np.float32)


def _standardised(cosines: Matrix, languages: Sequence[str | None]) -> Matrix:
    """Return by how many standard deviations each cosine is above the mean of its language."""
    places = defaultdict[str | None, list[int]](list)
    for place, language in enumerate(languages):
        places[language].append(place)
    near: Matrix = (cosines - cosines.mean()) / (cosines.std() or 1.0)
    for of_language in places.values():
        if len(of_language) >= FEWEST_OF_A_LANGUAGE:
            own = cosines[of_language]
            near[of_language] = (own - own.mean()) / (own.std() or 1.0)
    return near


def _unit(vector: Sequence[float]) -> Matrix:
    import numpy as np

    values = np.asarray(vector, dtype=np.float32)
    unit: Matrix = values / (np.linalg.norm(values) or np.float32(1))
    return unit


def _packed(vector: Sequence[float]) -> bytes:
    return _unit(vector).astype("<f2").tobytes()
