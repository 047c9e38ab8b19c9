"""Forgotten words: how they are recognised in any text without being kept.

A text is parted into runs of at most eight folded words, and of each the ledger keeps a fingerprint. A text
quotes what was forgotten if such a run stands in it, whatever its case, accents, punctuation and markup.
Pure. It refuses to look for single short words out of a longer text, which would be found everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

from agent_memory.model.ids import fingerprint
from agent_memory.model.memory import TakenLine
from agent_memory.model.text import normalise
from agent_memory.vault.view import View

RUN_WORDS: Final = 8
MIN_WORDS: Final = 3

Quotes = Callable[[str], bool]

_SENTENCE_ENDS: Final = re.compile(r"[\n.;:!?…]+(?:\s|$)|\n")
_TITLE: Final = re.compile(r"^\*\*[^*]+\*\*$")


def runs_of(text: str) -> tuple[str, ...]:
    """Return the runs of words by which ``text`` is known again: its sentences, long ones in parts."""
    sentences = [found.split() for part in _SENTENCE_ENDS.split(text) if (found := normalise(part))]
    long_enough = [words for words in sentences if len(words) >= MIN_WORDS] or [normalise(text).split()]
    runs = (words[start : start + RUN_WORDS] for words in long_enough for start in _starts(len(words)))
    return tuple(dict.fromkeys(" ".join(run) for run in runs if run))


def quotes_runs(runs: Iterable[str]) -> Quotes:
    """Return the question whether a text has any of ``runs`` in it."""
    wanted = tuple(f" {run} " for run in runs)

    def quotes(text: str) -> bool:
        here = f" {normalise(text)} "
        return any(run in here for run in wanted)

    return quotes


def forgotten_at(view: View, text: str) -> datetime | None:
    """Return when words that stand in ``text`` were last forgotten, None if none were."""
    known = view.taken.forgotten
    if not known:
        return None
    words = normalise(text).split()
    ends = ((start, end) for start in range(len(words)) for end in range(start + 1, start + RUN_WORDS + 1))
    runs = (" ".join(words[start:end]) for start, end in ends if end <= len(words))
    return max((moment for run in runs if (moment := known.get(fingerprint(run))) is not None), default=None)


def lines_for(runs: Iterable[str], pattern: TakenLine) -> tuple[TakenLine, ...]:
    """Return ledger lines that keep ``runs`` away, with the entry and the time of ``pattern``."""
    prints = (fingerprint(run) for run in runs)
    return tuple(TakenLine(print_, pattern.id, pattern.at, "forgotten", print_) for print_ in prints)


def without(body: str, quotes: Quotes) -> str:
    """Return ``body`` without the lines that quote, nor titles that have nothing left under them.

    Empty where nothing is left, or where what is quoted runs over several lines.
    """
    if not quotes(body):
        return body
    kept = [line for line in body.split("\n") if not (line.strip() and quotes(line))]
    left = "\n".join(_with_content(kept)).strip("\n")
    return "" if quotes(left) else re.sub(r"\n{3,}", "\n\n", left)


def _with_content(lines: list[str]) -> Iterator[str]:
    """Yield the lines, but no title that the next title, or nothing, follows."""
    for place, line in enumerate(lines):
        following = next((other for other in lines[place + 1 :] if other.strip()), None)
        if not _TITLE.match(line) or (following is not None and not _TITLE.match(following)):
            yield line


def _starts(length: int) -> Iterable[int]:
    return sorted({*range(0, max(length - RUN_WORDS, 0) + 1, RUN_WORDS), max(length - RUN_WORDS, 0)})
