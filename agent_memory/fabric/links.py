"""Links between entries: the machine's stand in the comment, as ``kind>id`` with commas between.

A ``[[id]]`` that a person writes in a body counts as ``relates-to``. What is no link is passed over. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, cast, get_args

from agent_memory.model.memory import Memory

Kind = Literal["relates-to", "caused-by", "references", "contradicts", "duplicates", "supersedes", "parent"]
Link = tuple[Kind, str]

LINKS: Final = "links"

_KINDS: Final = frozenset(get_args(Kind))
_WRITTEN: Final = re.compile(r"\[\[([0-9]{1,18})\]\]")


def links_of(memory: Memory) -> tuple[Link, ...]:
    """Return the links of an entry: those of its comment, then those of its body."""
    pairs = (part.partition(">") for part in memory.meta.get(LINKS, "").split(","))
    made = [(cast("Kind", kind), entry) for kind, _, entry in pairs if kind in _KINDS and entry]
    written: list[Link] = [("relates-to", entry) for entry in _WRITTEN.findall(memory.body)]
    return tuple(dict.fromkeys((*made, *written)))


def text_of(links: Iterable[Link]) -> str:
    """Return links as the comment has them."""
    return ",".join(f"{kind}>{entry}" for kind, entry in dict.fromkeys(links))
