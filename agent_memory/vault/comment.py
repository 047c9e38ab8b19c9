"""The comment above an entry: its id, and ``key:value`` words that the machine keeps there.

``<!-- id:1773679871839 by:heuristic key:9b1c… sum:4be1a90c -->``. Values are percent-encoded only
where a blank, a control character or ``->`` would break the line. Words that say nothing to us stay.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote

from agent_memory.model.text import clean

OPEN: Final = "<!-- id:"
CLOSE: Final = "-->"
MAX_ID_DIGITS: Final = 18

_START: Final = re.compile(f"{re.escape(OPEN)}([0-9]{{1,{MAX_ID_DIGITS}}})(?=[ \\t]|{CLOSE})")
_TO_ENCODE: Final = re.compile(r"[\s%\x00-\x1f\x7f]|(?<=-)>")


@dataclass(frozen=True, slots=True)
class Comment:
    """An id comment: the id, and the other words as they are written, one blank apart."""

    id: str
    words: str = ""

    @property
    def meta(self) -> dict[str, str]:
        """The values by key, decoded; of a key that stands twice, the last."""
        pairs = (word.split(":", 1) for word in self.words.split(" ") if ":" in word)
        return {sys.intern(key): unquote(value) for key, value in pairs if key}

    def changed(self, changes: Mapping[str, str | None]) -> Comment:
        """Return it with keys set, in place or at the end; a key whose value is None is gone."""
        known = self.meta
        comment = self
        for key, value in changes.items():
            if known.get(key) != value:
                comment = comment._with(key, value)
        return comment

    def render(self) -> str:
        """Return the line, without its end."""
        return " ".join(filter(None, (OPEN + self.id, self.words, CLOSE)))

    def _with(self, key: str, value: str | None) -> Comment:
        words = self.words.split(" ") if self.words else []
        is_key = [word.startswith(f"{key}:") for word in words]
        place = is_key.index(True) if any(is_key) else len(words)
        new = () if value is None else (f"{key}:{encode(value)}",)
        others = [word for word, mine in zip(words, is_key, strict=True) if not mine]
        return replace(self, words=" ".join((*others[:place], *new, *others[place:])))


def parse(line: str) -> Comment | None:
    """Read a line as an id comment; None if it is none, or has more than the comment on it."""
    found = _START.match(line)
    if found is None:
        return None
    text = line.rstrip(" \t\r\n")
    end = len(text) - len(CLOSE)
    if text.find(CLOSE, found.end()) != end:
        return None
    return Comment(found[1], " ".join(filter(None, text[found.end() : end].replace("\t", " ").split(" "))))


def encode(value: str) -> str:
    """Return ``value`` as it can stand in a comment."""
    return _TO_ENCODE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), clean(value))
