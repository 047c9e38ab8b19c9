"""Text for a terminal: whoever wrote what is remembered, a chat or a model, must not steer the screen. Pure."""

from __future__ import annotations

import re
from typing import Final

_STEERING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def printable(text: str) -> str:
    """Return text with what would steer a terminal made visible."""
    return _STEERING.sub(
        lambda found: "\N{REPLACEMENT CHARACTER}" if found[0] > "\x7e" else chr(0x2400 + ord(found[0])), text
    )
