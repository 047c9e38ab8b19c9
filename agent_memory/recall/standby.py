"""An index with another one in reserve, for a file that fails in the middle of a search.

Damage the mirror mends itself. A disk that gives errors, a lock that nobody lets go or a file that may not be
written cannot be mended: whoever asks gets the answer of the other one, then and from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from agent_memory.errors import DatabaseError, FileError, LockTimeout
from agent_memory.model.recall import Choose, Edge, Hit, Named, Query
from agent_memory.recall.engine import Index

T = TypeVar("T")
Failure = DatabaseError | FileError | LockTimeout
FAILURES: Final = (DatabaseError, FileError, LockTimeout)


class Standby:
    """What ``instead`` gives for the failure that made it necessary takes the place of ``first``."""

    def __init__(self, first: Callable[[], Index], instead: Callable[[Failure], Index]) -> None:
        self._instead = instead
        try:
            self._index = first()
        except FAILURES as error:
            self._index = instead(error)

    def find(self, query: Query, choose: Choose) -> list[Hit]:
        """Return what ``choose`` makes of the entries that ``query`` may mean, with their words, in its order."""
        return self._asked(lambda index: index.find(query, choose))

    def memories(self, agent: str, category: str, *, limit: int | None = None, open_only: bool = False) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first."""
        return self._asked(lambda index: index.memories(agent, category, limit=limit, open_only=open_only))

    def edges(self, ids: Sequence[str]) -> list[Edge]:
        """Return what leads from or to the entries with these ids."""
        return self._asked(lambda index: index.edges(ids))

    def named(self, ids: Sequence[str], agent: str | None) -> list[Named]:
        """Return an agent's entries with these ids, whatever has become of them."""
        return self._asked(lambda index: index.named(ids, agent))

    def _asked(self, work: Callable[[Index], T]) -> T:
        try:
            return work(self._index)
        except FAILURES as error:
            self._index = self._instead(error)
            return work(self._index)
