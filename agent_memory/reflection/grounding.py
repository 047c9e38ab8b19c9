"""Whether an exchange bears out what a model says of it, and where.

Pure. It compares words: numbers, names and identifiers must stand in the exchange as they are, most of the
rest must at least stem from it, and one sentence must carry the line without saying the opposite. It
refuses in doubt: a true line that is lost can be said again, a false one is believed for months.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agent_memory.model.text import NEGATIONS, fold, language_of, words
from agent_memory.model.transcript import Turn
from agent_memory.reflection.exchange import shown
from agent_memory.reflection.table import table

STEM_CHARS: Final = 5
MIN_CHARS: Final = 4
LEAST_SHARE: Final = 0.6
"""This part of a line's telling words must be found in the exchange."""
FOREIGN_IN: Final = 6
"""Of so many telling words one may be the model's own; in fewer, one changes what is said."""
CARRIED_SHARE: Final = 0.3
"""One sentence must hold this part of them; of few, all that the exchange has."""
FEW: Final = 4
LEAD_CHARS: Final = 40
QUOTED_WORDS: Final = 4

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-._/:@#+]+[^\W_]+)*")
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?…]+(?=\s|$)|(?=\n)|\Z)")
_CLAUSE_END: Final = re.compile(r"[,;()–—]|\b(?:but|mas)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(
    r"[\"“«](?:[^\"”»\n]+)[\"”»]|(?<!\w)['‘][^'’\n]+(?:['’]\w[^'’\n]+)*['’](?!\w)|^[^\S\n]*>.*$", re.MULTILINE
)
# What was pasted: fences, and lines of a chat log.
_PASTED: Final = re.compile(
    r"^[^\S\n]*(`{3}|~{3}|\"{3})[\s\S]*?(?:^[^\S\n]*\1|\Z)|^[^\S\n]*\[\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\].*$",
    re.MULTILINE,
)
_AFTER_STOP: Final = re.compile(r"(?:^|[.!?:;…]\s)\W*$")


@dataclass(frozen=True, slots=True)
class Support:
    """The sentence that bears a line out, and how much of the line the exchange holds."""

    turn: Turn
    span: tuple[int, int]
    share: float


@dataclass(frozen=True)
class _Sentence:
    turn: Turn
    span: tuple[int, int]
    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return _stems(self.text)

    @cached_property
    def negates(self) -> bool:
        return _negates(self.text)

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    def agrees(self, text: str, wanted: set[str]) -> bool:
        """Tell whether it says of the wanted words what ``text`` does, and not the opposite."""
        if table().finds("directed", fold(text)) and not _in_order(text, self.text):
            return False
        if _negates(text) == self.negates:
            return True
        # "We use pnpm here, not npm": what is denied may be something else.
        affirmed = [_stems(clause) for clause in _CLAUSE_END.split(self.text) if not _negates(clause)]
        return not _negates(text) and wanted & self.stems <= frozenset().union(*affirmed)


class Ground:
    """What was said in some turns, prepared for the question whether it bears out a line."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        said = [(turn, _unquoted(shown(turn.text))) for turn in turns]
        self._words = frozenset(word for _, text in said for word in words(text))
        self._stems = frozenset(map(_stem, self._words))
        self._sentences = [
            _Sentence(turn, match.span(), match[0]) for turn, text in said for match in _SENTENCE.finditer(text)
        ]

    def holds(self, mark: str) -> bool:
        """Tell whether every word of a tag or keyword was said, or something of its stem."""
        return _stems(mark) <= self._stems

    def support(self, text: str, *, unlike: Sequence[str] = (), exact: bool = False) -> Support | str:
        """Return what bears ``text`` out, or the reason why it is not believed.

        Its sentence must have none of the expressions ``unlike``; in an ``exact`` value no word is the model's own.
        """
        if invented := self._invented(text, exact=exact):
            return invented
        telling = _telling(text) if not exact else _telling(text) or words(text)
        found = [word for word in telling if _stem(word) in self._stems]
        foreign = [word for word in telling if word not in found and (exact or word not in table().words["leads"])]
        if not telling or len(found) < LEAST_SHARE * len(telling) or len(foreign) > len(telling) // FOREIGN_IN:
            return "ungrounded"
        return self._carried(text, telling, len(found) / len(telling), unlike)

    def _invented(self, text: str, *, exact: bool) -> str | None:
        for match in _TOKEN.finditer(text):
            token = match[0]
            parts = words(token)
            if all(self._has(part) for part in parts):
                continue
            if any(char.isdigit() for char in token) or parts[0] in table().words["numbers"]:
                return "invented number"
            first = bool(_AFTER_STOP.search(text, 0, match.start())) and not exact
            if first and token[0].isupper() and (token[1:].islower() or len(token) == 1):
                known = table().words["leads"] | table().words["retold"]
                if parts[0] not in known and _stem(parts[0]) not in self._stems:
                    return "invented name"
            elif any(char.isupper() for char in token) or len(parts) > 1:
                return "invented name"
        return None

    def _has(self, word: str) -> bool:
        return word in self._words or word + "s" in self._words or word.removesuffix("s") in self._words

    def _carried(self, text: str, telling: list[str], share: float, unlike: Sequence[str]) -> Support | str:
        wanted = set(map(_stem, telling))
        least = len(wanted & self._stems) if len(wanted) <= FEW else CARRIED_SHARE * len(wanted)
        scores = [(len(wanted & sentence.stems), sentence) for sentence in self._sentences]
        least = max(least, 0.75 * max((score for score, _ in scores), default=0))
        near = [(score, sentence) for score, sentence in scores if score >= least]
        if not near:
            return "ungrounded"
        agreeing = [(score, sentence) for score, sentence in near if sentence.agrees(text, wanted)]
        if not agreeing:
            return "contradicted"
        settled = [one for one in agreeing if not any(table().finds(name, one[1].folded) for name in unlike)]
        if not settled:
            return "unsettled"
        carrier = max(settled, key=lambda one: one[0])[1]
        return Support(carrier.turn, carrier.span, share)


def introduced(name: str, user_text: str) -> bool:
    """Tell whether a person introduced themselves by ``name``; "I am late" and a quoted stranger introduce nobody."""
    said = " ".join(_unquoted(user_text).split())
    folded = fold(said)
    for match in re.finditer(rf"\b{re.escape(fold(name))}\b", folded) if words(name) else ():
        before = folded[max(match.start() - LEAD_CHARS, 0) : match.start()]
        # Where folding has moved the letters the capital is looked for in the wrong place, and the name refused.
        capital = said[match.start() : match.start() + 1].isupper()
        if table().finds("introduced", before) or (capital and table().finds("introduced-weakly", before)):
            return True
    return False


def _unquoted(text: str) -> str:
    """Blank out what is quoted at some length, which is somebody else's; every other character keeps its place."""
    text = _PASTED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return _QUOTED.sub(lambda match: " " * len(match[0]) if len(match[0].split()) >= QUOTED_WORDS else match[0], text)


def _telling(text: str) -> list[str]:
    found = dict.fromkeys(word for word in words(text) if len(word) >= MIN_CHARS or word[0].isdigit())
    return [word for word in found if word not in table().words["retold"]]


def _stem(word: str) -> str:
    return word[:STEM_CHARS] if len(word) > STEM_CHARS else word.removesuffix("s")


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, words(text)))


def _negates(text: str) -> bool:
    # "no" is Portuguese for "in the".
    negations = NEGATIONS - {"no"} if language_of(text) == "pt" else NEGATIONS
    return not negations.isdisjoint(words(text))


def _in_order(text: str, sentence: str) -> bool:
    theirs = list(map(_stem, words(sentence)))
    ours = [stem for stem in dict.fromkeys(map(_stem, _telling(text))) if stem in theirs]
    return ours == sorted(ours, key=theirs.index)
