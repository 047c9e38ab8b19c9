"""Find the memories that a query speaks of, the most relevant first.

Only what counts today is found: superseded, proposed, consolidated and evicted entries are not, unless the
query asks for them. What upkeep moved to the archive for size alone keeps counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from agent_memory.mirror import fts
from agent_memory.model.recall import Hit, Lead, Query
from agent_memory.recall.rank import rank


class Index(Protocol):
    """Where memories are looked for: the mirror or, where there is none, the pages themselves."""

    def leads(self, query: Query) -> list[Lead]:
        """Return the entries that ``query`` may mean, each with its scores by way of looking."""
        ...

    def hits(self, leads: Sequence[Lead]) -> list[Hit]:
        """Return the entries of ``leads`` with their words, in the same order."""
        ...

    def memories(self, agent: str, category: str, *, limit: int | None = None) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first."""
        ...


def recall(index: Index, query: Query) -> list[Hit]:
    """Return the hits of ``query``, best first; none for a query without a telling word or condition.

    Raises:
        DatabaseError: The mirror cannot be read.
    """
    leads = index.leads(query)
    board = rank(leads, query)
    chosen = sorted(range(len(leads)), key=lambda at: -board.totals[at])[: max(query.limit, 0)]
    asked = fts.words(" ".join((query.text, *query.phrases)))
    return [
        replace(hit, score=board.totals[at], parts=board.parts[at], snippet=fts.excerpt(hit.body, asked))
        for hit, at in zip(index.hits([leads[at] for at in chosen]), chosen, strict=True)
    ]
