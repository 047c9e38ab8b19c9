"""When two texts say the same thing: a pure question, asked before a second entry is written.

Numbers and negations decide against likeness: "node 18" is not "node 20", "must" is not "must not".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agent_memory.model.text import NEGATIONS, words

ALIKE: Final = 0.85
# With fewer words than this, one word more or less is a different statement.
MIN_WORDS: Final = 6


@dataclass(frozen=True, slots=True)
class Gist:
    """What is compared of a text: its folded words, its numbers in order, how often it negates."""

    words: tuple[str, ...]
    vocabulary: frozenset[str]
    numbers: tuple[str, ...]
    negations: int


@lru_cache(maxsize=16_384)  # a backlog asks about the same entries once for every conversation
def gist(text: str) -> Gist:
    """Return what is compared of ``text``."""
    found = tuple(words(text))
    numbers = tuple(word for word in found if any(char.isdigit() for char in word))
    return Gist(found, frozenset(found), numbers, sum(word in NEGATIONS for word in found))


def say_the_same(one: str, other: str, *, threshold: float = ALIKE) -> bool:
    """Tell whether two bodies say the same, whatever their case, accents, punctuation and filler.

    ``threshold`` is the share of their words that both must have.
    """
    left, right = gist(one), gist(other)
    if left.words == right.words:
        return True
    if min(len(left.words), len(right.words)) < MIN_WORDS:
        return False
    if left.numbers != right.numbers or left.negations != right.negations:
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
