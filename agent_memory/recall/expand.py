"""From what was found to what it is linked to: breadth first, a step or a few, never more than a dozen.

What no longer counts is never added: where something has taken its place, that is. Entries that contradict each
other are marked, so that whoever reads one knows of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from agent_memory.model.links import SUPERSEDED_BY
from agent_memory.model.recall import Edge, Hit, Named
from agent_memory.recall.engine import Index

MAX_STEPS: Final = 8
"""How many times something may have been replaced; longer chains, and circles, lead nowhere."""


def expand(index: Index, hits: Sequence[Hit], agent: str, *, depth: int = 1, most: int = 12) -> list[Hit]:
    """Return ``hits``, marked, and behind them what they are linked to.

    Args:
        index: Where the links are.
        hits: What was found.
        agent: Whose entries may be added.
        depth: How many steps away.
        most: How many may be added at most.
    """
    told = {hit.id: hit for hit in hits}
    frontier = list(told)
    for _ in range(depth):
        edges = index.edges(frontier) if frontier else []
        near = dict.fromkeys(name for one in frontier for name in _ends(edges, one) if name not in told)
        room = most + len(hits) - len(told)
        new = [hit for hit in _standing(index, near, agent) if hit.id not in told][: max(room, 0)]
        told |= {hit.id: hit for hit in new}
        frontier = [hit.id for hit in new]
    marks = _marks(index.edges(list(told)) if told else (), told)
    found = [*hits, *list(told.values())[len({hit.id for hit in hits}) :]]
    return [replace(hit, mark=marks[hit.id]) if hit.id in marks else hit for hit in found]


def _ends(edges: Iterable[Edge], name: str) -> list[str]:
    """Return what the edges of one entry lead to, and then what leads to it."""
    out = [edge.target for edge in edges if edge.source == name]
    return out + [edge.source for edge in edges if edge.target == name]


def _standing(index: Index, names: Iterable[str], agent: str) -> list[Hit]:
    """Return the entries with these ids or, where one no longer counts, what has taken its place; in their order."""
    places, known = list(names), dict[str, Named]()
    for _ in range(MAX_STEPS):
        known |= {one.hit.id: one for one in index.named(places, agent)} if places else {}
        past = [name for name in places if name in known and not known[name].active]
        if not past:
            break
        instead = {edge.source: edge.target for edge in index.edges(past) if edge.kind == SUPERSEDED_BY}
        places = [instead.get(name, "") if name in past else name for name in places]
    return [known[name].hit for name in dict.fromkeys(places) if name in known and known[name].active]


def _marks(edges: Iterable[Edge], told: Iterable[str]) -> dict[str, str]:
    """Return what contradicts, or claims to replace, each of those that are told."""
    here, marks = set(told), dict[str, str]()
    for edge in edges:
        if {edge.source, edge.target} <= here and edge.source != edge.target:
            if edge.kind == "contradicts":
                marks.setdefault(edge.source, f"contradicts {edge.target}")
                marks.setdefault(edge.target, f"contradicts {edge.source}")
            elif edge.kind == "supersedes":
                marks.setdefault(edge.target, f"superseded by {edge.source}")
    return marks
