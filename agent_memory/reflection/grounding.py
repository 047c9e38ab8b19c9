"""Whether an exchange bears out what a model says of it, and where.

Pure. It compares words: numbers, names and identifiers must stand in the exchange as they are, most of the
rest must at least stem from it, and one sentence must carry the line without saying the opposite. It
refuses in doubt: a true line that is lost can be said again, a false one is believed for months.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agent_memory.model.text import NEGATIONS, fold, language_of, without_briefings, words
from agent_memory.model.transcript import Turn
from agent_memory.reflection.table import table

STEM_CHARS: Final = 5
MIN_CHARS: Final = 4
LEAST_SHARE: Final = 0.6
"""This part of a line's telling words must be found in the exchange."""
CARRIED_SHARE: Final = 0.3
"""One sentence must hold this part of them, and two of them at least."""
LEAD_CHARS: Final = 40

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-._/:@#+'’]+[^\W_]+)*")
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?…]+(?=\s|$)|(?=\n)|\Z)")
_AFTER_STOP: Final = re.compile(r"(?:^|[.!?:;…]\s)\W*$")


@dataclass(frozen=True, slots=True)
class Support:
    """The sentence that bears a line out, and how much of the line the exchange holds."""

    turn: Turn
    span: tuple[int, int]
    share: float


class Ground:
    """What was said in some turns, prepared for the question whether it bears out a line."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        said = [(turn, without_briefings(turn.text)) for turn in turns]
        self._words = frozenset(word for _, text in said for word in words(text))
        self._stems = frozenset(word[:STEM_CHARS] for word in self._words)
        self._sentences = [(turn, match.span(), match[0]) for turn, text in said for match in _SENTENCE.finditer(text)]

    def holds(self, mark: str) -> bool:
        """Tell whether every word of a tag or keyword was said, or something of its stem."""
        return all(word[:STEM_CHARS] in self._stems for word in words(mark))

    def support(self, text: str, *, settled: bool, exact: bool = False) -> Support | str:
        """Return what bears ``text`` out, or the reason why it is not believed.

        Args:
            text: A line's text.
            settled: It claims that something holds, which a question does not bear out.
            exact: It is a value: no word in it is the model's own.
        """
        if invented := self._invented(text, exact=exact):
            return invented
        telling = _telling(text) if not exact else _telling(text) or words(text)
        found = [word for word in telling if word[:STEM_CHARS] in self._stems]
        if not telling or len(found) < LEAST_SHARE * len(telling):
            return "ungrounded"
        return self._carried(text, telling, len(found) / len(telling), settled)

    def _invented(self, text: str, *, exact: bool) -> str | None:
        for match in _TOKEN.finditer(text):
            token = match[0]
            parts = words(token)
            if all(self._has(part) for part in parts):
                continue
            if any(char.isdigit() for char in token):
                return "invented number"
            first = bool(_AFTER_STOP.search(text, 0, match.start())) and not exact
            if first and token[0].isupper() and (token[1:].islower() or len(token) == 1):
                if (
                    parts[0] not in table().words["leads"] | table().words["retold"]
                    and parts[0][:STEM_CHARS] not in self._stems
                ):
                    return "invented name"
            elif any(char.isupper() for char in token) or len(parts) > 1:
                return "invented name"
        return None

    def _has(self, word: str) -> bool:
        return word in self._words or word + "s" in self._words or word.removesuffix("s") in self._words

    def _carried(self, text: str, telling: list[str], share: float, settled: bool) -> Support | str:
        wanted = {word[:STEM_CHARS] for word in telling}
        least = max(min(2, len(wanted)), CARRIED_SHARE * len(wanted))
        scored = [(len(wanted & _stems(sentence)), turn, span, sentence) for turn, span, sentence in self._sentences]
        best = max((score for score, *_ in scored), default=0)
        near = [one for one in scored if one[0] >= max(least, 0.75 * best)]
        if not near:
            return "ungrounded"
        agreeing = [one for one in near if _negates(one[3]) == _negates(text)]
        if not agreeing:
            return "contradicted"
        if settled and not (agreeing := [one for one in agreeing if not one[3].rstrip().endswith("?")]):
            return "asked"
        if table().finds("directed", fold(text)) and not (
            agreeing := [one for one in agreeing if _in_order(text, one[3])]
        ):
            return "contradicted"
        _, turn, span, _ = max(agreeing, key=lambda one: one[0])
        return Support(turn, span, share)


def introduced(name: str, user_text: str) -> bool:
    """Tell whether a person introduced themselves by ``name``; "I am late" introduces nobody."""
    said = " ".join(user_text.split())
    folded = fold(said)
    for match in re.finditer(rf"\b{re.escape(fold(name))}\b", folded) if words(name) else ():
        before = folded[max(match.start() - LEAD_CHARS, 0) : match.start()]
        # Where folding has moved the letters the capital is looked for in the wrong place, and the name refused.
        capital = said[match.start() : match.start() + 1].isupper()
        if table().finds("introduced", before) or (capital and table().finds("introduced-weakly", before)):
            return True
    return False


def _telling(text: str) -> list[str]:
    found = dict.fromkeys(word for word in words(text) if len(word) >= MIN_CHARS or word[0].isdigit())
    return [word for word in found if word not in table().words["retold"]]


def _stems(text: str) -> set[str]:
    return {word[:STEM_CHARS] for word in words(text)}


def _negates(text: str) -> bool:
    # "no" is Portuguese for "in the".
    negations = NEGATIONS - {"no"} if language_of(text) == "pt" else NEGATIONS
    return not negations.isdisjoint(words(text))


def _in_order(text: str, sentence: str) -> bool:
    """Tell whether the words that two texts share come in one order."""
    theirs = [word[:STEM_CHARS] for word in words(sentence)]
    ours = [stem for stem in dict.fromkeys(word[:STEM_CHARS] for word in _telling(text)) if stem in theirs]
    return ours == sorted(ours, key=theirs.index)
