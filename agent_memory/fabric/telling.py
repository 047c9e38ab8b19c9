"""The telling words of a text, and what they are compared by across both languages. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from agent_memory.mirror import fts
from agent_memory.mirror.stems import stem
from agent_memory.model.memory import KEEP_TAG, OLD_SYSTEM_TAGS, SYSTEM_TAGS, Memory
from agent_memory.model.text import fold, language_of, words

KEY_CHARS: Final = 6
READ_CHARS: Final = 2_000
MARKS: Final = frozenset("./_:@")  # of names; a hyphen is one of words
BOOKKEEPING: Final = frozenset({*SYSTEM_TAGS, *OLD_SYSTEM_TAGS, KEEP_TAG, "reflection"})

_SWITCHING: Final = frozenset("instead rather place longer anymore switch switched vez inves lugar".split())
"""Words that say that something changes, and not what."""


@lru_cache(maxsize=8_192)
def spelt(text: str) -> Mapping[str, str]:
    """Return how a text spells its telling words, by what they are compared by.

    That is the beginning of a word's stem, since so much is the same in both languages: *calend*, *transa*, *config*.
    File names and other identifiers are compared whole as well.
    """
    text = text[:READ_CHARS]
    language = language_of(text) or "en"
    names = (word.terms[0] for word in fts.words(text) if not MARKS.isdisjoint(word.terms[0]))
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
