"""Near-equality of two statements, by the words that carry meaning.

Numbers, negations and what stands in another's place are never near: "node 18" is not "node 20", "must" is not
"must not", and the same sentence about SQLite and about Kafka is two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agent_memory.extraction.table import fold_sentence

MIN_CHARS: Final = 4
# Of so many words one may be another for the same sentence about something else.
WORDS_PER_SWAP: Final = 7
_WORD: Final = re.compile(r"[a-z0-9]+")
_NEGATIONS: Final = frozenset(
    "not no never without nao sem nunca nem nada cannot dont doesnt isnt arent wont cant don doesn isn aren".split()
)


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case without accents."""
    return _WORD.findall(fold_sentence(text))


@lru_cache(maxsize=256)
def content(text: str) -> frozenset[str]:
    """Return the words of ``text`` that carry meaning: those of four letters and more, and numbers."""
    return frozenset(word for word in words(text) if len(word) >= MIN_CHARS or word[0].isdigit())


def shared(first: str, second: str) -> tuple[int, float]:
    """Return how many meaningful words two texts share, and which part of the shorter one's that is."""
    left, right = content(first), content(second)
    common = len(left & right)
    return common, common / max(min(len(left), len(right)), 1)


def near(first: str, second: str, *, words_at_least: int = 3, part: float = 0.5) -> bool:
    """Tell whether two statements say the same."""
    common, share = shared(first, second)
    return common >= words_at_least and share >= part and not _contradict(first, second)


def _contradict(first: str, second: str) -> bool:
    left, right = words(first), words(second)
    numbers = [{word for word in side if word[0].isdigit()} for side in (left, right)]
    negated = [not _NEGATIONS.isdisjoint(side) for side in (left, right)]
    apart = bool(numbers[0] and numbers[1]) and numbers[0].isdisjoint(numbers[1])
    return apart or _swapped(left, right) or (negated[0] != negated[1] and set(left) ^ set(right) <= _NEGATIONS)


def _swapped(left: list[str], right: list[str]) -> bool:
    """Tell whether two are one sentence about two things: word for word but for a few that are no other forms."""
    if len(left) != len(right):
        return False
    pairs = [(one, other) for one, other in zip(left, right, strict=True) if one != other]
    others = [pair for pair in pairs if min(map(len, pair)) > 2 and pair[0][:MIN_CHARS] != pair[1][:MIN_CHARS]]
    return bool(others) and len(pairs) * WORDS_PER_SWAP <= len(left)
