"""How sure we are that a sentence is worth remembering, and as what.

A sentence is described by named signals: the cues that stand in it and where it stands. Each category
adds up what the signals weigh for its speaker; the sum, squeezed into 0 to 1, is the confidence. The
weights are data. It refuses to know any conversation: the same signals always give the same answer.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Final, Literal

from agent_memory.extraction.sentences import Sentence
from agent_memory.extraction.table import VETOED, Table, fold_sentence, load, weights
from agent_memory.model.transcript import Role

Category = Literal["decisions", "lessons", "tasks"]

CATEGORIES: Final[tuple[Category, ...]] = ("decisions", "lessons", "tasks")
MIN_WORDS: Final = 2
TERSE_WORDS: Final = 10
# Nobody says a sentence of this length; what is longer was pasted.
MAX_CHARS: Final = 1000
MIN_QUOTED_CHARS: Final = 27
LIMITS: Final = (3, 6, 10, 16, 26)
LENGTHS: Final = (*(f"words:{limit}" for limit in LIMITS), "words:more")
# What says that it was found out comes from no book, though nobody saw any work.
FOUND_OUT: Final = frozenset({"reveal", "label:cause", "under:cause", "label:lesson", "under:lesson"})
BOOKISH: Final = frozenset({"textbook", "explained"})
_DIGIT: Final = re.compile(r"[0-9]")
_QUOTED: Final = re.compile(r"[\"“«][^\"”»]{25,300}[\"”»]")


def signals(sentence: Sentence, role: Role, around: frozenset[str], table: Table) -> frozenset[str]:
    """Return every signal of one sentence; a sentence with a veto has only its vetoes.

    Args:
        sentence: What was said.
        role: Who said it.
        around: The signals of the place it stands in.
        table: The cues to look for.
    """
    text = sentence.text
    words = text.count(" ") + 1
    found = table.find(text[:MAX_CHARS], role)
    if len(text) > MAX_CHARS or (words < MIN_WORDS and role == "assistant"):
        found |= {VETOED, "veto:length"}
    if ('"' in text or "“" in text or "«" in text) and len(text) > MIN_QUOTED_CHARS and _QUOTED.search(text):
        found |= {VETOED, "veto:quotation"}
    if VETOED in found:
        return found
    shape = _shape(text, words)
    if role == "user" and words <= TERSE_WORDS and "asked:choice" in around and "report" not in found:
        shape.append("terse-choice")
    if sentence.label or sentence.under:
        around |= _of_label(sentence.label, sentence.under)
    found = found.union(around, shape)
    return found if found.isdisjoint(FOUND_OUT) else found - BOOKISH


def _shape(text: str, words: int) -> list[str]:
    """Return what can be said of a sentence without reading it."""
    shape = [LENGTHS[bisect_left(LIMITS, words)]]
    if _DIGIT.search(text):
        shape.append("number")
    if ";" in text:
        shape.append("semicolon")
    return shape


@lru_cache(maxsize=512)
def _of_label(label: str, under: str) -> frozenset[str]:
    """Return the labels that a sentence has, and under which it stands."""
    table = load()
    own = table.find_label(fold_sentence(label)) if label else frozenset()
    over = table.find_label(fold_sentence(under)) if under else frozenset()
    return own | {f"under:{name.partition(':')[2]}" for name in over}


def vetoed(found: Set[str]) -> bool:
    """Tell whether one of the signals ends the matter."""
    return VETOED in found


def confidence(category: Category, role: Role, found: Iterable[str]) -> float:
    """Return how sure we are, 0 to 1, that a sentence with these signals belongs to ``category``."""
    row: Mapping[str, float] = weights().get(f"{category}.{role}", {})
    if not row:
        return 0.0
    total = math.fsum([row["bias"], *(row.get(name, 0.0) for name in found)])  # whatever the order of a set
    return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


@lru_cache(maxsize=4096)  # most sentences are described by the same few signals
def classify(role: Role, found: frozenset[str]) -> tuple[Category, float] | None:
    """Return the likeliest category and its confidence, None for a vetoed sentence."""
    if vetoed(found):
        return None
    sure, best = max((confidence(category, role, found), category) for category in CATEGORIES)
    return best, sure
