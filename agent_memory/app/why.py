"""Why a memory is told, or is not: where it came from, what a query makes of it, and its place in the briefings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_memory.app.brief import brief
from agent_memory.app.container import App
from agent_memory.app.reasons import reason_for
from agent_memory.app.vault import entry_named
from agent_memory.app.verify import Finding, verify
from agent_memory.model.briefing import KINDS, Briefing, Fate, Kind
from agent_memory.model.memory import Memory
from agent_memory.model.recall import Hit, Query
from agent_memory.recall.engine import recall

MAX_RANK: Final = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of a memory in one section of one kind of briefing; ``section`` is empty where none considered it."""

    kind: Kind
    section: str
    fate: Fate
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Why:
    """Everything that explains one memory.

    ``finding`` is what checking its origin gave, None if there is none to check. ``hit`` and ``rank``, from 1, are
    what the query's search has of it, None if it is not among the first hundred or nothing was asked; ``reason`` is why
    it was written.
    """

    memory: Memory
    finding: Finding | None
    hit: Hit | None
    rank: int | None
    standings: tuple[Standing, ...]
    reason: str


def why(app: App, entry_id: str, query: str = "") -> Why:
    """Explain the entry with this id, as things are for ``query`` and its own agent.

    Raises:
        UnknownEntry: There is none.
    """
    memory = entry_named(app, entry_id)
    found = recall(app.index, Query(query, agent=memory.page.agent, limit=MAX_RANK))
    ranks = [rank for rank, hit in enumerate(found, 1) if _is_of(hit, memory)]
    rank = ranks[0] if ranks else None
    return Why(
        memory,
        next((checked.finding for checked in verify(app, [memory])), None),
        found[rank - 1] if rank else None,
        rank,
        tuple(each for kind in KINDS for each in _standings(brief(app, memory.page.agent, query, kind), memory)),
        reason_for(memory),
    )


def _standings(briefing: Briefing, memory: Memory) -> Sequence[Standing]:
    """Return where a briefing has a memory, a line for each section that considered it."""
    by_section: dict[str, Standing] = {}
    for item in briefing.items:
        if item.hit and _is_of(item.hit, memory):
            before = by_section.get(item.section)
            tokens = item.tokens + (before.tokens if before else 0)
            fate = item.fate if before is None or before.fate == item.fate else "shortened"
            by_section[item.section] = Standing(briefing.kind, item.section, fate, tokens, item.reason)
    if by_section:
        return list(by_section.values())
    reason = "no section chose it" if memory.active else f"it is {memory.status}"
    return [Standing(briefing.kind, "", "cut", 0, reason)]


def _is_of(hit: Hit, memory: Memory) -> bool:
    return (hit.page.agent, hit.page.category, hit.id) == (memory.page.agent, memory.page.category, memory.id)
