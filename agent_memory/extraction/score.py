"""How sure we are that a sentence is worth remembering, and as what.

A sentence is described by named signals: the cues that stand in it and where it stands. Each category
adds up what the signals weigh for its speaker; the sum, squeezed into 0 to 1, is the confidence. The
weights are data. It refuses to know any conversation: the same signals always give the same answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from agent_memory.extraction.sentences import Sentence
from agent_memory.extraction.table import VETOED, Table, fold_sentence, load, weights
from agent_memory.model.transcript import Role

Category = Literal["decisions", "lessons", "tasks"]

CATEGORIES: Final[tuple[Category, ...]] = ("decisions", "lessons", "tasks")
MIN_WORDS: Final = 2
MIN_QUOTED_CHARS: Final = 27
_DIGIT: Final = re.compile(r"\d")
_CODE: Final = re.compile(
    r"`|\b\w+(?:[._/]\w+)+|\b\w+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\w\(\)|--\w|\b[A-Z]{2,}\b"
)
_QUOTED: Final = re.compile(r"[\"“«][^\"”»]{25,}[\"”»]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands, as far as it says something about the sentence.

    ``answer`` is the last record of a turn that has words; ``worked`` says that tools ran before it in
    this turn, ``busy`` that its own record calls some. ``asked`` says that the other side had just asked
    or offered something, ``mood`` what the user's turn before this one was.
    """

    role: Role
    first_turn: bool = False
    answer: bool = False
    worked: bool = False
    busy: bool = False
    asked: str = ""
    mood: str = ""
    opening: bool = False
    alone: bool = False
    after: frozenset[str] = frozenset()


def signals(sentence: Sentence, place: Place, table: Table) -> frozenset[str]:
    """Return every signal of one sentence; a sentence with a veto has only its vetoes."""
    text, words = sentence.text, sentence.text.count(" ") + 1
    found = set(table.find(text, place.role))
    if place.role == "assistant":
        if words < MIN_WORDS:
            found |= {VETOED, "veto:too-short"}
        if len(text) > MIN_QUOTED_CHARS and _QUOTED.search(text):
            found |= {VETOED, "veto:quotation"}
    if vetoed(found):
        return frozenset(found)
    found |= _of_label(sentence.label, sentence.under)
    found |= {f"kind:{sentence.kind}", f"words:{_bucket(words)}"}
    found |= {name for name, holds in _of_place(place) if holds}
    found |= {name for name, holds in _of_form(text) if holds}
    return frozenset(found)


def _of_place(place: Place) -> tuple[tuple[str, bool], ...]:
    return (
        ("first-turn", place.first_turn),
        ("answer", place.answer),
        ("worked", place.worked),
        ("busy", place.busy),
        (f"asked:{place.asked}", bool(place.asked)),
        ("textbook", place.role == "assistant" and place.mood == "asked" and not (place.worked or place.busy)),
        ("opening", place.opening),
        ("alone", place.alone),
        (f"mood:{place.mood}", bool(place.mood)),
        ("after:reveal", "reveal" in place.after),
        ("after:veto", vetoed(place.after)),
    )


def _of_form(text: str) -> tuple[tuple[str, bool], ...]:
    return (
        ("code", _CODE.search(text) is not None),
        ("number", _DIGIT.search(text) is not None),
        ("semicolon", ";" in text),
        ("colon-end", text.endswith(":")),
        ("exclaims", "!" in text[-2:]),
        ("arrow", "→" in text or " -> " in text),
    )


@lru_cache(maxsize=512)
def _of_label(label: str, under: str) -> frozenset[str]:
    """Return the labels that a sentence has, and under which it stands."""
    table = load()
    own = table.find_label(fold_sentence(label)) if label else frozenset()
    over = table.find_label(fold_sentence(under)) if under else frozenset()
    return own | {f"under:{name.partition(':')[2]}" for name in over}


def _bucket(words: int) -> str:
    for limit in (3, 6, 10, 16, 26):
        if words <= limit:
            return f"{limit}"
    return "more"


def vetoed(found: Set[str]) -> bool:
    """Tell whether one of the signals ends the matter."""
    return VETOED in found


def confidence(category: Category, role: Role, found: frozenset[str]) -> float:
    """Return how sure we are, 0 to 1, that a sentence with these signals belongs to ``category``."""
    row: Mapping[str, float] = weights().get(f"{category}.{role}", {})
    if not row:
        return 0.0
    total, weight_of = row["bias"], row.get
    for name in found:
        total += weight_of(name, 0.0)
    return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


def classify(role: Role, found: frozenset[str]) -> tuple[Category, float] | None:
    """Return the likeliest category and its confidence, None for a vetoed sentence."""
    if vetoed(found):
        return None
    sure, best = max((confidence(category, role, found), category) for category in CATEGORIES)
    return best, sure
