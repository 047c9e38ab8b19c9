"""What a person has marked as private, ``<private>…</private>``: gone before anything else looks at a text.

Pure. Letters of either case and blanks inside a tag make no difference. A tag that nothing closes is private to the end
of its text, and one inside another needs an end of its own: in doubt more is hidden, never less.
"""

from __future__ import annotations

import re
from typing import Final

SIGN: Final = "private"
PRIVATE: Final = "[REDACTED:private]"

# Possessive, so that a run of blanks behind a bracket costs its length and not its square.
_TAG: Final = re.compile(r"<\s*+(?P<end>/?)\s*+private\b[^<>]*+(?<!/)>", re.IGNORECASE)


def unmarked(text: str) -> str:
    """Return ``text`` without the tags alone, for who looks for secrets in what its owner may well keep private."""
    return _TAG.sub("", text)


def without_private(text: str) -> tuple[str, int]:
    """Return ``text`` with a mark in the place of each private part, and how many there were."""
    kept: list[str] = []
    depth = done = count = 0
    for tag in _TAG.finditer(text):
        if not tag["end"]:
            if not depth:
                kept += (text[done : tag.start()], PRIVATE)
                count += 1
            depth += 1
        elif depth:
            depth, done = depth - 1, tag.end()
    if not depth:
        kept.append(text[done:])
    return "".join(kept), count
