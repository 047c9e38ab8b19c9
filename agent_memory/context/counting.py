"""How long a text is, in tokens: the two ways of counting between which a setting chooses.

Pure. A count is a number of units, which adds up over the parts of a text, over the units in a token; so
what is packed line by line never comes to more than was counted.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Final, NamedTuple

from agent_memory.model.text import CHARS_PER_TOKEN, shorten

ELLIPSIS: Final = "…"

_CHEAP: Final = re.compile(r"[\x00-/:-\x7f]+")


class Counter(NamedTuple):
    """A way of counting. ``units`` must add up, and give every character at least one."""

    units: Callable[[str], int]
    units_per_token: int

    def tokens(self, text: str) -> int:
        """Return the size of a text, rounded up."""
        return math.ceil(self.units(text) / self.units_per_token)

    def size(self, lines: Iterable[str]) -> int:
        """Return the units of ``lines``, each with its newline."""
        return sum(self.units(line) + self.units("\n") for line in lines)

    def clip(self, text: str, room: int) -> str:
        """Cut ``text`` at a word's end so that it takes at most ``room`` units, with an ellipsis if cut."""
        if len(text) <= room and self.units(text) <= room:
            return text
        room -= self.units(ELLIPSIS)
        fitting = bisect_right(range(min(len(text), max(room, 0)) + 1), room, key=lambda n: self.units(text[:n])) - 1
        return shorten(text[:fitting] + 2 * ELLIPSIS, fitting + len(ELLIPSIS)) if fitting > 0 else ""


def _upper_units(text: str) -> int:
    return 2 * len(text.encode("utf-8", "replace")) - sum(map(len, _CHEAP.findall(text)))


COUNTERS: Final = MappingProxyType(
    {
        "estimate": Counter(len, CHARS_PER_TOKEN),
        # Half a token for a letter, blank or mark of ASCII, one for a digit, and one for each byte of anything
        # else, which is the most that a tokenizer over bytes can make of it.
        "conservative": Counter(_upper_units, 2),
    }
)
