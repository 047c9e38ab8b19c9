"""Links that nobody drew: what speaks of the same things, and what says that it replaces something.

Pure, and without a model. Two entries are alike by the telling words, file names and tags that both have; a word
counts for more the fewer entries have it, and words that more than ten, and a quarter of
them, have count for nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agent_memory.mirror import fts
from agent_memory.mirror.stems import stem
from agent_memory.model.ids import digest
from agent_memory.model.links import LINKS, Link
from agent_memory.model.memory import KEEP_TAG, OLD_SYSTEM_TAGS, SYSTEM_TAGS, Memory
from agent_memory.model.text import fold, language_of, words
from agent_memory.vault.view import View

ALIKE: Final = 0.2
"""What part of the weight of two entries' words must be common for a link."""
REPLACES: Final = 0.15
"""The same where one says in so many words that it replaces the other."""
SHARED: Final = 3
"""How many telling words both must have."""
COMMON_SHARE: Final = 4
COMMON: Final = 10
KEY_CHARS: Final = 6
DIGITS: Final = 6
BOOKKEEPING: Final = frozenset({*SYSTEM_TAGS, *OLD_SYSTEM_TAGS, KEEP_TAG, "reflection"})

_READ_CHARS: Final = 2_000
_OURS: Final = frozenset({"consolidation", "compaction"})
_MARKS: Final = frozenset("./_:@")  # of names; a hyphen is one of words
_LINKED: Final = frozenset({"decisions", "lessons", "notes", "procedures", "projects"})
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|in place of|rather than|no longer use|(?:replaces|replacing|replaced|drop|dropping|dropped)"
    r"|(?:switch|switching|move|moving|migrat\w+) (?:away )?from|em vez d[eoa]s?|ao inves d[eoa]s?|no lugar d[eoa]s?"
    r"|(?:substitui\w*|trocamos|troca|abandonamos|largamos)|nao (?:usamos|vamos usar) mais)\s+"
    r"((?:the |o |a |os |as )?\w[^,.;:!?()\n]{1,60})"
)
_NO_LONGER: Final = re.compile(
    r"\b(?:no longer (?!than\b|use\b)\w+|nao (?!usamos\b|vamos usar\b)(?:\w+ ){1,2}mais(?! (?:d[eo]|que)\b))\s+"
    r"(\w?[^,.;:!?()\n]{1,60})"
)
_SWITCHING: Final = frozenset("instead rather place longer anymore switch switched vez inves lugar".split())
"""Words that say that something changes, and not what."""
_ENDS: Final = re.compile(r"\b(?:for|with|to|by|because|so|since|para|por|pel[oa]|porque|pois|que|com|we|nos|and|e)\b")


@lru_cache(maxsize=8_192)
def spelt(text: str) -> Mapping[str, str]:
    """Return how a text spells its telling words, by what they are compared by.

    That is the beginning of a word's stem, since so much is the same in both languages: *calend*, *transa*, *config*.
    File names and other identifiers are compared whole as well.
    """
    text = text[:_READ_CHARS]
    language = language_of(text) or "en"
    names = (word.terms[0] for word in fts.words(text) if not _MARKS.isdisjoint(word.terms[0]))
    said = (word for word in words(text) if word not in _SWITCHING and len(word) > 1)
    telling = (word for word in said if word not in fts.STOP_WORDS)
    keys = {name: name for name in names}
    return keys | {stem(word, language)[:KEY_CHARS] if word.isalpha() else word: word for word in telling}


def words_of(text: str) -> frozenset[str]:
    """Return what the telling words of a text are compared by."""
    return frozenset(spelt(text))


def tags_of(memory: Memory) -> tuple[str, ...]:
    """Return the tags of an entry but those that say how it came here, each with its number sign."""
    return tuple(f"#{fold(tag)}" for tag in memory.tags if tag not in BOOKKEEPING and not tag.startswith("type"))


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


@dataclass(frozen=True, slots=True)
class Related:
    """What entries have to do with each other: the links that each gets, and what has taken the place of which."""

    links: Mapping[str, tuple[Link, ...]]
    gone: Mapping[str, str]


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
        if own and memory.page.category in _LINKED and memory.meta.get("by") not in _OURS:
            found[memory.page.agent].append(memory)
    return dict(found)


def key_of_linked(entry: str) -> str:
    """Return the ledger's key for an entry that got links: it gets no others, whatever becomes of these."""
    return digest("linked", entry)


def related(memories: Sequence[Memory], likeness: Likeness, fresh: Container[str], *, most: int) -> Related:
    """Return what an agent's active entries have to do with each other, nothing where that has been written.

    Args:
        memories: The entries.
        likeness: How alike they are.
        fresh: Which never got links.
        most: How many such an entry gets at most, to what is alike and was there before it; 0: nothing is related.
    """
    order = {memory.id: (memory.at, memory.id) for memory in memories}
    links = dict[str, tuple[Link, ...]]()
    for memory in memories if most else ():
        if memory.id in fresh and LINKS not in memory.meta:
            near = (name for _, name in likeness.nearest(memory.id) if name in order)
            older = [name for name in near if order[name] < order[memory.id]]
            if older:
                links[memory.id] = tuple(("relates-to", name) for name in older[:most])
    return Related(links, _replaced(memories, likeness) if most else {})


def _replaced(memories: Sequence[Memory], likeness: Likeness) -> dict[str, str]:
    """Return which entries another one says that it replaces, with the id of that one.

    It must name what it replaces ("instead of …", "em vez de …"); both must be decisions; the older one must have all
    these words outside of such a phrase of its own, and something else in common with it.
    """
    found = dict[str, str]()
    for memory in sorted(memories, key=lambda one: (one.at, one.id)):
        gone = [names for names in map(_names, _given_up(memory.body)) if names]
        for older in memories if gone else ():
            before = (older.at, older.id) < (memory.at, memory.id) and not older.edited
            decided = memory.page.category == older.page.category == "decisions"
            if before and decided and any(_replaces(memory, older, names, likeness) for names in gone):
                found.setdefault(older.id, memory.id)
    return found


def _given_up(body: str) -> list[str]:
    said = fold(body[:_READ_CHARS])
    named = [_ENDS.split(match[1])[0].strip() for match in _INSTEAD.finditer(said)]
    return named + [match[1] for match in _NO_LONGER.finditer(said)]  # "we no longer keep it for a month": all of that


def _affirmed(body: str) -> str:
    return _NO_LONGER.sub(" ", _INSTEAD.sub(" ", fold(body[:_READ_CHARS])))


def _names(text: str) -> set[str]:
    return set(words(text)) - fts.STOP_WORDS


def _replaces(memory: Memory, older: Memory, names: set[str], likeness: Likeness) -> bool:
    if not names <= _names(_affirmed(older.body)):
        return False
    context = (likeness.terms[memory.id] & likeness.terms[older.id]) - {key for name in names for key in words_of(name)}
    return likeness.weight(context) > 0 and likeness.between(memory.id, older.id) >= REPLACES
