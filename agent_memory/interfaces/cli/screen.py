"""What a terminal gets and nothing else does: rows cut to its width, and colours. Pure, but for the two questions.

A pipe gets every word and no colour; ``NO_COLOR``, and a terminal that says it is dumb, get none either.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Mapping
from typing import Final, TextIO

RED: Final = "\x1b[31m"
CYAN: Final = "\x1b[36m"
DIM: Final = "\x1b[2m"
PLAIN: Final = "\x1b[0m"
MORE: Final = "…"

_PARTS: Final = re.compile(
    r"(?<![\w-])(?:(?P<id>1[0-9]{12}|h-[0-9a-f]{8}(?:-[0-9]+)?|[0-9]{8}-[0-9]{6}-[0-9a-f]{6})"
    r"|(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2})?))(?![\w-])"
)
_COLOURS: Final = {"id": CYAN, "date": DIM}


def has_colours(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:  # noqa: TID251
    """Tell whether whoever reads ``stream`` sees colours, and wants to."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def columns(stream: TextIO) -> int | None:
    """Return how wide the terminal is; None where there is none."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def fitted(text: str, width: int | None) -> str:
    """Return rows, each on one line of the screen."""
    return text if width is None else "\n".join(_cut(line, width) for line in text.split("\n"))


def coloured(text: str) -> str:
    """Return rows with ids and dates in colour."""
    return _PARTS.sub(lambda found: f"{_COLOURS[found.lastgroup or 'id']}{found[0]}{PLAIN}", text)


def _cut(line: str, width: int) -> str:
    if len(line) <= width // 2 or sum(map(_width, line)) <= width:
        return line
    taken = 0
    for place, char in enumerate(line):
        taken += _width(char)
        if taken > width - 1:
            return line[:place] + MORE
    return line


def _width(char: str) -> int:
    """Return how many columns a character takes."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
