"""When two texts say the same thing: a pure question, asked before a second entry is written.

Numbers, negations and what only one of them names decide against likeness: "node 18" is not "node 20", "must" is
not "must not", and the same sentence about SQLite and about Kafka is two decisions.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agent_memory.mirror.fts import STOP_WORDS
from agent_memory.mirror.stems import stems
from agent_memory.model.text import NEGATIONS, fold, words

ALIKE: Final = 0.85
# With fewer words than this, one word more or less is a different statement.
MIN_WORDS: Final = 6

# Small words that turn a statement round: one of a pair here and the other there is no rewording.
_OPPOSITES: Final = (
    "before after",
    "on off",
    "in out",
    "up down",
    "over under",
    "more less",
    "all some",
    "only also",
    "antes depois",
    "desde ate",
    "mais menos",
    "so tambem",
)
_TURNS: Final = {one: other for pair in _OPPOSITES for one, other in (pair.split(), pair.split()[::-1])}
# What tells C# from C++, "> 80" from "< 80", -5 from 5 and 10 s from 10 ms, none of which is a word.
_SIGN: Final = re.compile(r"(?<=[a-z0-9])[+#]+|[<>≤≥]=?(?=\s*\d)|[$€£¥]|(?<![\w.,])[-−](?=\d)|(?<=\d)\s+[a-z]\b")
_CAPITAL: Final = re.compile(r"(?P<inside>(?<=[\w,;)] ))?(?<![^\W_])(?P<word>[^\W\d_][^\W_]*)")
_PLURALS: Final = frozenset({"s", "es"})


@dataclass(frozen=True, slots=True)
class Gist:
    """What is compared of a text: its folded words, its numbers and signs in order, how often it negates.

    ``capitals`` are the words with a capital, ``names`` those that have it inside a sentence.
    """

    words: tuple[str, ...]
    vocabulary: frozenset[str]
    numbers: tuple[str, ...]
    negations: int
    capitals: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=16_384)  # a backlog asks about the same entries once for every conversation
def gist(text: str) -> Gist:
    """Return what is compared of ``text``; of one without words, itself."""
    found = tuple(words(text)) or (text.strip(),)
    numbers = [word for word in found if any(char.isdigit() for char in word)]
    capitals = [match for match in _CAPITAL.finditer(text) if match["word"][0].isupper()]
    return Gist(
        found,
        frozenset(found),
        (*numbers, *(sign.strip() for sign in _SIGN.findall(fold(text))), *_vowel_signs(text)),
        sum(word in NEGATIONS for word in found),
        frozenset(fold(match["word"]) for match in capitals),
        frozenset(fold(match["word"]) for match in capitals if match["inside"] is not None and match["word"] != "I"),
    )


def _vowel_signs(text: str) -> list[str]:
    """Return the marks that make other words of the same letters in Japanese, Hindi or Thai; folding drops them."""
    if text.isascii():
        return []
    marks = (char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char)[0] == "M")
    return [char for char in marks if not "\u0300" <= char <= "\u036f"]


def say_the_same(one: str, other: str) -> bool:
    """Tell whether two bodies say the same, whatever their case, accents, punctuation and filler.

    Where each has a telling word of its own, they do not; one may say more than the other.
    """
    return _same(gist(one), gist(other))


def alike(one: str, other: str, *, threshold: float = ALIKE) -> bool:
    """Tell whether two bodies share most of their words in one order, and all their numbers and negations.

    ``threshold`` is the share of their words that both must have.
    """
    return _alike(gist(one), gist(other), threshold)


def _same(left: Gist, right: Gist) -> bool:
    return _alike(left, right, ALIKE) and not _differ(left, right)


def _alike(left: Gist, right: Gist, threshold: float) -> bool:
    if left.numbers != right.numbers or left.negations != right.negations:
        return False
    if left.words == right.words:
        return True
    if min(len(left.words), len(right.words)) < MIN_WORDS:
        return False
    shared, either = left.vocabulary & right.vocabulary, left.vocabulary | right.vocabulary
    return len(shared) / len(either) >= threshold and _in_one_order(left.words, right.words, shared)


def adds_to(text: str, other: str) -> bool:
    """Tell whether ``text`` has all the words of ``other`` in their order, its numbers and negations, and more."""
    more, less = gist(text), gist(other)
    same = more.numbers == less.numbers and more.negations == less.negations
    shared = more.vocabulary & less.vocabulary
    enough = len(less.words) >= MIN_WORDS and shared == less.vocabulary
    return same and enough and _in_one_order(more.words, less.words, shared)


def _in_one_order(left: Sequence[str], right: Sequence[str], shared: frozenset[str]) -> bool:
    """Refuse "from A to B" as a twin of "from B to A"."""
    return [word for word in left if word in shared] == [word for word in right if word in shared]


def _differ(left: Gist, right: Gist) -> bool:
    mine, theirs = left.vocabulary - right.vocabulary, right.vocabulary - left.vocabulary
    turned = any(_TURNS.get(word) in theirs for word in mine)
    return turned or (_has_its_own(left, mine, right) and _has_its_own(right, theirs, left))


def _has_its_own(gist: Gist, only: Iterable[str], other: Gist) -> bool:
    """Tell whether one of the words that ``other`` lacks tells something, and inflects none of the other's."""
    telling = (word for word in only if word not in STOP_WORDS or word in gist.names)
    return any(not any(_inflects(word, gist, known, other) for known in other.vocabulary) for word in telling)


def _inflects(word: str, gist: Gist, known: str, other: Gist) -> bool:
    """Names have a plural at most: Mario is no form of Maria."""
    if word in gist.capitals and known in other.capitals:
        return word == known or (max(word, known, key=len).removeprefix(min(word, known, key=len)) in _PLURALS)
    return not set(stems(word, None)).isdisjoint(stems(known, None))


class Said:
    """Entries by what they say, so that the first that says the same is found without comparing with each.

    Two texts that share that much have one of any few words of either in common: only entries with the same numbers
    and one of its rarest words are compared.
    """

    def __init__(self) -> None:
        self._entries: list[tuple[str, Gist]] = []
        self._places: dict[tuple[object, ...], list[int]] = defaultdict(list)

    def add(self, entry: str, text: str) -> None:
        """Add an entry, behind those that are there."""
        said = gist(text)
        for word in said.vocabulary:
            self._places[word, said.numbers, said.negations].append(len(self._entries))
        self._entries.append((entry, said))

    def first_like(self, text: str) -> str | None:
        """Return the first entry that says the same as ``text``."""
        said = gist(text)
        having = (self._places.get((word, said.numbers, said.negations), []) for word in said.vocabulary)
        may_lack = int((1 - ALIKE) * len(said.vocabulary) + 1e-9)
        places = sorted({place for some in sorted(having, key=len)[: may_lack + 1] for place in some})
        found = (entry for entry, other in map(self._entries.__getitem__, places) if _same(other, said))
        return next(found, None)
