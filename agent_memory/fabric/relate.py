"""Links that nobody drew: what speaks of the same things, and what says that it replaces something.

Pure, and without a model. Two entries are alike by the telling words, file names and tags that both have; a word
counts for more the fewer entries have it, and words that more than ten, and a quarter of
them, have count for nothing.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agent_memory.fabric.choices import key_of_replaced, replaced
from agent_memory.fabric.telling import tags_of, words_of
from agent_memory.model.ids import digest
from agent_memory.model.links import LINKS, Link
from agent_memory.model.memory import Memory
from agent_memory.vault.view import View

ALIKE: Final = 0.2
"""What part of the weight of two entries' words must be common for a link."""
SHARED: Final = 3
"""How many telling words both must have."""
COMMON_SHARE: Final = 4
COMMON: Final = 10
DIGITS: Final = 6

_OURS: Final = frozenset({"consolidation", "compaction"})
LINKED: Final = frozenset({"decisions", "lessons", "notes", "procedures", "projects"})


class Likeness:
    """How much entries have in common, given all of them."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.terms = {memory.id: words_of(memory.body) | set(tags_of(memory)) for memory in memories}
        count = len(self.terms)
        self._having = defaultdict[str, list[str]](list)
        for name, terms in self.terms.items():
            for term in terms:
                self._having[term].append(name)
        most = max(count // COMMON_SHARE, COMMON)
        self.weights: Mapping[str, float] = {
            term: math.log(1 + count / len(names)) for term, names in self._having.items() if len(names) <= most
        }
        self._sizes = {name: self.weight(terms) for name, terms in self.terms.items()}

    def weight(self, terms: Iterable[str]) -> float:
        """Return how much terms tell, together; exactly, so that their order, which sets do not have, plays no part."""
        return math.fsum(self.weights.get(term, 0.0) for term in terms)

    def between(self, one: str, other: str) -> float:
        """Return how alike two entries are, from 0 to 1."""
        common = self.terms[one] & self.terms[other]
        return round(self.weight(common) / (math.sqrt(self._sizes[one] * self._sizes[other]) or 1.0), DIGITS)

    def nearest(self, name: str) -> list[tuple[float, str]]:
        """Return the entries alike enough for a link, the most alike first."""
        counts = Counter(
            other for term in self.terms[name] if term in self.weights for other in self._having[term] if other != name
        )
        found = ((self.between(name, other), other) for other, common in counts.items() if common >= SHARED)
        return sorted((pair for pair in found if pair[0] >= ALIKE), key=lambda pair: (-pair[0], pair[1]))


@dataclass(frozen=True)
class Related:
    """What entries have to do with each other: the links each gets, and what is replaced, older one and newer."""

    links: Mapping[str, tuple[Link, ...]]
    replaced: tuple[tuple[str, str], ...] = ()

    @cached_property
    def gone(self) -> Mapping[str, str]:
        """What has been replaced, by what first."""
        return dict(reversed(self.replaced))

    def settled(self) -> Iterator[tuple[str, str]]:
        """Yield the ledger's keys for all of it, each with the entry that its line names."""
        yield from ((key_of_linked(name), name) for name in self.links)
        yield from ((key_of_replaced(old, new), new) for old, new in self.replaced)


def linkable(view: View) -> dict[str, list[Memory]]:
    """Return, by agent, what may be compared, whatever has become of it: entries with an id that no other one has.

    Where a move to the archive was cut short the entry in the page is meant.
    What was distilled is left out: it is linked to what it was made of. What no longer counts is not, so that what is
    telling does not change with every lesson.
    """
    found = defaultdict[str, list[Memory]](list)
    for memory in view.memories:
        first, *others = view.by_id(memory.id)
        copies = all((one.page, one.body) == (memory.page.counterpart, memory.body) for one in others)
        own = memory.id.isdigit() and first is memory and copies
        if own and memory.page.category in LINKED and memory.meta.get("by") not in _OURS:
            found[memory.page.agent].append(memory)
    return dict(found)


def key_of_linked(entry: str) -> str:
    """Return the ledger's key for an entry that got links: it gets no others, whatever becomes of these."""
    return digest("linked", entry)


def related(memories: Sequence[Memory], likeness: Likeness, is_new: Callable[[str], bool], *, most: int) -> Related:
    """Return what an agent's active entries have to do with each other, nothing where that has been written.

    Args:
        memories: The entries.
        likeness: How alike they are.
        is_new: Tells of a key whether the ledger does not have it: what was written once is not again.
        most: How many links an entry gets at most, to what is alike and was there before it; 0: nothing is related.
    """
    order = {memory.id: (memory.at, memory.id) for memory in memories}
    links = dict[str, tuple[Link, ...]]()
    for memory in memories if most else ():
        if LINKS not in memory.meta and is_new(key_of_linked(memory.id)):
            near = (name for _, name in likeness.nearest(memory.id) if name in order)
            older = [name for name in near if order[name] < order[memory.id]]
            if older:
                links[memory.id] = tuple(("relates-to", name) for name in older[:most])
    return Related(links, tuple(replaced(memories, is_new)) if most else ())
