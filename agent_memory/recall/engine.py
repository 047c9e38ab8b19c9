"""Find the memories that a query speaks of, the most relevant first.

Only what counts today is found: superseded, proposed, consolidated and evicted entries are not, unless the
query asks for them. What upkeep moved to the archive for size alone keeps counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from agent_memory.mirror import fts
from agent_memory.model.recall import Choose, Edge, Hit, Lead, Named, Query
from agent_memory.recall.rank import rank


class Index(Protocol):
    """Where memories are looked for: the mirror or, where there is none, the pages themselves."""

    def find(self, query: Query, choose: Choose) -> list[Hit]:
        """Return what ``choose`` makes of the entries that ``query`` may mean, with their words, in its order."""
        ...

    def memories(self, agent: str, category: str, *, limit: int | None = None, open_only: bool = False) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first.

        ``open_only`` leaves out those without a box that is not ticked.
        """
        ...

    def edges(self, ids: Sequence[str]) -> list[Edge]:
        """Return what leads from or to the entries with these ids."""
        ...

    def named(self, ids: Sequence[str], agent: str | None) -> list[Named]:
        """Return an agent's entries with these ids, whatever has become of them."""
        ...


def recall(index: Index, query: Query) -> list[Hit]:
    """Return the hits of ``query``, best first; none for a query without a telling word or condition.

    Raises:
        DatabaseError: The mirror cannot be read.
    """
    query = replace(query, text=fts.ends_of(query.text))

    def choose(leads: Sequence[Lead]) -> list[Lead]:
        board = rank(leads, query)
        best = sorted(range(len(leads)), key=lambda at: -board.totals[at])[: max(query.limit, 0)]
        return [replace(leads[at], parts=board.parts[at]) for at in best]

    return index.find(query, choose)


def excerpted(hits: Iterable[Hit], query: Query) -> list[Hit]:
    """Give each hit one line of its words, around what ``query`` asks for."""
    asked = fts.words(" ".join((query.text, *query.phrases)))
    return [replace(hit, snippet=fts.excerpt(hit.body, asked)) for hit in hits]
