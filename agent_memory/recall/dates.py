"""Dates that a text names: in numbers, or with months in Portuguese or English. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent_memory.model.text import fold

_ENGLISH: Final = "january february march april may june july august september october november december".split()
_PORTUGUESE: Final = "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro".split()
_MONTHS: Final = {name: number for names in (_ENGLISH, _PORTUGUESE) for number, name in enumerate(names, 1)}
_NAMES: Final = "|".join(_MONTHS)

_NUMBERS: Final = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_NAMED: Final = (
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th|o)?(?: of| de)? )?({_NAMES})\b"
    r"(?:,? (\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,? (?:of |de )?((?:19|20)\d\d)\b)?"
)
_YEAR: Final = re.compile(r"\b((?:19|20)\d\d)\b")


@dataclass(frozen=True, slots=True)
class Named:
    """A date as far as it was named; what is None was not."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def includes(self, moment: datetime) -> bool:
        """Tell whether ``moment`` is in it."""
        return (
            self.year in (None, moment.year) and self.month in (None, moment.month) and self.day in (None, moment.day)
        )


def named_in(text: str) -> tuple[Named, ...]:
    """Return the dates that ``text`` names; years alone only where nothing closer is named."""
    found = (*_in_numbers(text), *_in_words(fold(text)))
    return found or tuple(Named(int(year)) for year in _YEAR.findall(text))


def _in_numbers(text: str) -> Iterator[Named]:
    for year, month, day in _NUMBERS.findall(text):
        yield Named(int(year), int(month), int(day) if day else None)


def _in_words(text: str) -> Iterator[Named]:
    if not any(month in text for month in _MONTHS):
        return  # which spares most processes the making of the expression
    for before, month, after, year in re.findall(_NAMED, text):
        day = before or after
        if month != "may" or day or year:  # the month's name alone is mostly the other word
            yield Named(int(year) if year else None, _MONTHS[month], int(day) if day else None)
