"""A block that is ours in a page that is its owner's: found by its markers, replaced, and not a byte beside it.

Pure. Where the markers are not one pair nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agent_memory.errors import FileError

ANY_BLOCK: Final = re.compile(
    r"<!-- agent-memory:([\w-]+) -->\r?\n.*?^<!-- /agent-memory:\1 -->", re.DOTALL | re.MULTILINE
)
_NEARLY: Final = re.compile(r"^[ \t]*<!--\s*/?\s*agent-memory:\s*([\w-]+)\s*-->", re.MULTILINE)


def spliced(text: str, name: str, lines: Sequence[str]) -> str:
    """Return ``text`` with ``lines`` as the block called ``name``; where there is none yet, it comes at the end.

    Markers that are not one pair are a ``FileError``.
    """
    opening, closing = f"<!-- agent-memory:{name} -->", f"<!-- /agent-memory:{name} -->"
    begins, ends = _lines_with(opening, text), _lines_with(closing, text)
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    inside = newline.join(("", *lines, ""))
    nearly = [found[1] for found in _NEARLY.finditer(text)].count(name)
    if not nearly:
        # So many line ends are missing before a blank line is above the block.
        missing = 2 - text[len(text.rstrip("\r\n")) :].count("\n") if text else 0
        return f"{text}{newline * missing}{opening}{inside}{closing}{newline}" if lines else text
    if (len(begins), len(ends), nearly) != (1, 1, 2) or begins[0] > ends[0]:
        raise FileError(
            f"The markers {opening} and {closing} do not stand there as one pair.", hint="Mend or delete them."
        )
    return text[: begins[0] + len(opening)] + inside + text[ends[0] :]


def _lines_with(marker: str, text: str) -> list[int]:
    return [found.start() for found in re.finditer(f"^{re.escape(marker)}", text, re.MULTILINE)]
