"""Links that nobody drew: what speaks of the same things, and what says that it replaces something.

Pure, and without a model. Two entries are alike by the telling words, file names and tags that both have; a word
counts for more the fewer entries have it, and words that more than ten, and a quarter of
them, have count for nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agent_memory.fabric.lessons import is_kept
from agent_memory.fabric.merge import gist
from agent_memory.mirror import fts
from agent_memory.mirror.stems import stem
from agent_memory.model.ids import digest
from agent_memory.model.links import LINKS, Link
from agent_memory.model.memory import KEEP_TAG, OLD_SYSTEM_TAGS, SYSTEM_TAGS, Memory
from agent_memory.model.text import fold, language_of, words
from agent_memory.vault.view import View

ALIKE: Final = 0.2
"""What part of the weight of two entries' words must be common for a link."""
SHARED: Final = 3
"""How many telling words both must have."""
COMMON_SHARE: Final = 4
COMMON: Final = 10
KEY_CHARS: Final = 6
DIGITS: Final = 6
DECISIONS: Final = "decisions"
BOOKKEEPING: Final = frozenset({*SYSTEM_TAGS, *OLD_SYSTEM_TAGS, KEEP_TAG, "reflection"})

_READ_CHARS: Final = 2_000
_OURS: Final = frozenset({"consolidation", "compaction"})
_MARKS: Final = frozenset("./_:@")  # of names; a hyphen is one of words
_LINKED: Final = frozenset({"decisions", "lessons", "notes", "procedures", "projects"})
_WITHIN: Final = r"(?:[^,.;:!?()\n]|\.(?=\w))"  # of a clause: a dot may be one of a name
_INSTEAD: Final = re.compile(
    r"\b(?:instead of|in place of|rather than|no longer use|(?:replaces|replacing|replaced|drop|dropping|dropped)"
    r"|(?:switch|switching|move|moving|migrat\w+) (?:away )?from|em vez d[eoa]s?|ao inves d[eoa]s?|no lugar d[eoa]s?"
    r"|(?:substitui\w*|trocamos|troca|abandonamos|largamos)|nao (?:usamos|vamos usar) mais)\s+"
    rf"(?:the |o |a |os |as )?(\w{_WITHIN}{{1,60}})"
)
_NO_LONGER: Final = re.compile(
    r"\b(?:no longer (?!than\b|use\b)\w+|nao (?!usamos\b|vamos usar\b)(?:\w+ ){1,2}mais(?! (?:d[eo]|que)\b))\s+"
    rf"(\w?{_WITHIN}{{1,60}})"
)
_SWITCHING: Final = frozenset("instead rather place longer anymore switch switched vez inves lugar".split())
"""Words that say that something changes, and not what."""
_ENDS: Final = re.compile(
    r"\b(?:for|with|to|by|so|para|por|pel[oa]|que|com|we|nos|and|e|the|is|are|uses?|vamos|usa|usamos|fica)\b"
)
_REASON: Final = re.compile(r"\b(?:because|since|so that|porque|pois|ja que|para que)\b[^.;!?\n]*")


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


_DECIDING: Final = words_of(
    "use keep kept decide decided decision choose adopt run live manter decidimos escolhemos roda"
)
"""What choices are said with, and what none is about."""


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

    def settled(self) -> Iterator[tuple[str, str]]:
        """Yield the ledger's keys for all of it, each with the entry that its line names."""
        yield from ((key_of_linked(name), name) for name in self.links)
        yield from ((key_of_replaced(old, new), new) for old, new in self.gone.items())


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


def key_of_replaced(older: str, newer: str) -> str:
    """Return the ledger's key for a rule's finding that one entry replaces another: it is acted on once."""
    return digest("replaced", older, newer)


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
    return Related(links, _replaced(memories, is_new) if most else {})


def _replaced(memories: Sequence[Memory], is_new: Callable[[str], bool]) -> dict[str, str]:
    """Return which decisions another one says that it replaces, with the id of that one."""
    found = dict[str, str]()
    decisions = sorted((one for one in memories if one.page.category == DECISIONS), key=lambda one: (one.at, one.id))
    for number, memory in enumerate(decisions):
        for older in decisions[:number] if gives_up(memory.body) else ():
            named = not is_kept(older) and replaces(memory.body, older.body)
            if named and is_new(key_of_replaced(older.id, memory.id)):
                found.setdefault(older.id, memory.id)
    return found


def gives_up(body: str) -> bool:
    """Tell whether a text names anything that it replaces ("instead of …", "em vez de …")."""
    said = fold(body[:_READ_CHARS])
    return any(phrase.search(said) for phrase in (_INSTEAD, _NO_LONGER))


def replaces(later: str, older: str) -> bool:
    """Tell whether a later choice names an older one as what it replaces.

    The older one must have all the words that are given up, outside of such a phrase of its own, and be about the same
    otherwise: most of what the one that says less is about. One that says nothing else replaces what says little
    else, and is replaced by nothing that holds for one place only. What the older one says already is nothing new.
    """
    new, old = _parted(later), _parted(older)
    return any(
        names <= old.words and _is_about_the_same(new, old, names, negated=negated) for names, negated in new.given_up
    )


def _is_about_the_same(new: _Parted, old: _Parted, names: Set[str], *, negated: bool) -> bool:
    named = words_of(" ".join(names))
    scope, rest = new.about - named, old.about - named
    chosen = new.words - fts.STOP_WORDS
    if gist(old.text).negations if negated else chosen and chosen <= old.words:  # the older one says so itself
        return False
    if not rest:
        return negated or len(scope) <= 1  # what is chosen instead
    if len(scope) <= 1:
        return len(rest) <= 2 * len(names)
    return 2 * len(rest & scope) >= min(len(rest), len(scope) - 1)


@dataclass(frozen=True, slots=True)
class _Parted:
    """A text without its reasons: what it gives up, whether by its own negation; all words of the rest; what tells."""

    text: str
    given_up: tuple[tuple[frozenset[str], bool], ...]
    words: frozenset[str]
    about: frozenset[str]


@lru_cache(maxsize=8_192)
def _parted(body: str) -> _Parted:
    given_up: list[tuple[frozenset[str], bool]] = []

    def take_out(match: re.Match[str]) -> str:
        negated = match.re is _NO_LONGER  # "we no longer keep it for a month": all of that
        phrase = match[1] if negated else _ENDS.split(match[1])[0]
        if gone := frozenset(words(phrase)) - fts.STOP_WORDS:
            given_up.append((gone, negated))
        return " " + match[1][len(phrase) :]

    said = _REASON.sub("", fold(body[:_READ_CHARS]))
    rest = _NO_LONGER.sub(take_out, _INSTEAD.sub(take_out, said))
    told = spelt(rest)
    names = [term for term in told if not _MARKS.isdisjoint(term)]
    about = frozenset(term for term, word in told.items() if all(word == name or word not in name for name in names))
    return _Parted(said, tuple(given_up), frozenset(words(rest)), about - _DECIDING)
