"""Find the memories that a query speaks of, the most relevant first.

Only what counts today is found: superseded, proposed, consolidated and evicted entries are not. What
upkeep moved to the archive for size alone keeps counting. Refuses to bend relevance by age or use.
"""

from __future__ import annotations

from agent_memory.mirror.search import Mirror
from agent_memory.model.recall import Hit, Query


def recall(mirror: Mirror, query: Query) -> list[Hit]:
    """Return the hits of ``query``, best first; none for a query without a telling word.

    Raises:
        DatabaseError: The mirror cannot be read.
    """
    return mirror.search(query, active_only=True)


def recall_or_latest(mirror: Mirror, query: Query) -> list[Hit]:
    """Return what ``recall`` finds, or the latest said of the query's agent and category if that is nothing."""
    found = recall(mirror, query)
    if found or query.agent is None or query.category is None:
        return found
    return mirror.memories(query.agent, query.category, limit=query.limit)
