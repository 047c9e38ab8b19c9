"""Which entries speak of one thing: connected by links, with a tag or a telling word in common, and alike. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_memory.fabric.relate import DIGITS, Likeness
from agent_memory.fabric.telling import tags_of
from agent_memory.model.ids import digest
from agent_memory.model.links import Link, links_of
from agent_memory.model.memory import Memory

AGREES: Final = 0.15
"""How alike each member must be to the others, on average."""
MAX_MEMBERS: Final = 12
MOST_TRIED: Final = 8

_JOINING: Final = frozenset({"relates-to", "caused-by", "references", "duplicates"})


@dataclass(frozen=True, slots=True)
class Cluster:
    """Entries of one agent about one thing, the oldest first; what all of them share, and how alike they are."""

    members: tuple[Memory, ...]
    shared: str
    likeness: float

    @property
    def name(self) -> str:
        """What tells it from any other cluster."""
        return digest(*(memory.id for memory in self.members))


def clusters(
    candidates: Sequence[Memory],
    likeness: Likeness,
    links: Mapping[str, Sequence[Link]],
    *,
    fewest: int,
    sharing: bool = True,
) -> Iterator[Cluster]:
    """Yield the clusters among an agent's ``candidates``, the largest first.

    Args:
        candidates: What may be in one.
        likeness: How alike entries are.
        links: Links that are only about to be written, by entry.
        fewest: How many members one has at least.
        sharing: Whether they must have a tag or a telling word in common; if not, being alike will do.
    """
    by_id = {memory.id: memory for memory in candidates}
    graph = _graph(by_id, links)
    left = set(by_id)
    while component := max(_components(left, graph), key=lambda one: (len(one), sorted(one)), default=set()):
        if len(component) < fewest:
            return
        members, shared = _about_one_thing(component, by_id, likeness, fewest, sharing=sharing)
        if len(members) < fewest:
            left -= component
            continue
        left -= members
        ordered = sorted((by_id[name] for name in members), key=lambda memory: (memory.at, memory.id))
        yield Cluster(tuple(ordered), shared, _average(members, likeness))


def _graph(by_id: Mapping[str, Memory], links: Mapping[str, Sequence[Link]]) -> dict[str, set[str]]:
    graph = defaultdict[str, set[str]](set)
    for name, memory in by_id.items():
        for kind, other in (*links_of(memory), *links.get(name, ())):
            if kind in _JOINING and other in by_id and other != name:
                graph[name].add(other)
                graph[other].add(name)
    return graph


def _components(names: set[str], graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    waiting = set(names)
    while waiting:
        found, edge = set[str](), {min(waiting)}
        while edge:
            found |= edge
            edge = {other for name in edge for other in graph.get(name, ()) if other in names} - found
        waiting -= found
        yield found


def _about_one_thing(
    component: set[str], by_id: Mapping[str, Memory], likeness: Likeness, fewest: int, *, sharing: bool
) -> tuple[set[str], str]:
    """Trim a component to the members that share what most of them have, and are alike; perhaps to none."""
    for shared in _telling(component, by_id, likeness, fewest)[:MOST_TRIED] if sharing else [""]:
        members = {name for name in component if not shared or shared in likeness.terms[name]}
        if len(kept := _alike(members, likeness)) >= fewest:
            return kept, shared
    return set(), ""


def _alike(names: Iterable[str], likeness: Likeness) -> set[str]:
    """Leave out what is least like the rest until all are alike, and not too many."""
    members = sorted(names)
    sums = {name: sum(likeness.between(name, other) for other in members if other != name) for name in members}
    while len(sums) > 1:
        worst = min(sums, key=lambda name: (sums[name], name))
        if sums[worst] >= AGREES * (len(sums) - 1) and len(sums) <= MAX_MEMBERS:
            break
        del sums[worst]
        for name in sums:
            sums[name] = round(sums[name] - likeness.between(name, worst), DIGITS)
    return set(sums)


def _telling(component: set[str], by_id: Mapping[str, Memory], likeness: Likeness, fewest: int) -> list[str]:
    """Return what may be shared: tags first, then telling words, each with the most members and the most weight."""
    counts = Counter(term for name in component for term in likeness.terms[name] if term in likeness.weights)
    tags = {tag for name in component for tag in tags_of(by_id[name])}
    found = [term for term, count in counts.items() if count >= fewest]
    return sorted(found, key=lambda term: (term not in tags, -counts[term] * likeness.weights[term], term))


def _average(members: set[str], likeness: Likeness) -> float:
    pairs = [likeness.between(one, other) for one in members for other in members if one < other]
    return sum(pairs) / max(len(pairs), 1)
