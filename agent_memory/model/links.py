"""Links between entries: the machine's stand in the comment, as ``kind>id`` with commas between.

A ``[[id]]`` that a person writes in a body counts as ``relates-to``. What is no link is passed over. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from agent_memory.model.memory import Memory

Kind = Literal["relates-to", "caused-by", "references", "contradicts", "duplicates", "supersedes", "parent"]
Link = tuple[Kind, str]

LINKS: Final = "links"
SUPERSEDED_BY: Final = "superseded-by"
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PARENT: Final[Kind] = "parent"
DRAWN: Final[tuple[Kind, ...]] = tuple(kind for kind in KINDS if kind != PARENT)
"""The kinds of link that somebody may draw."""

_NAME: Final = re.compile(r"[0-9]{1,18}")
_WRITTEN: Final = re.compile(rf"\[\[({_NAME.pattern})\]\]")


def drawn(name: str) -> Kind | None:
    """Return the kind of this name, None if nobody may draw one."""
    return next((kind for kind in DRAWN if kind == name), None)


def made_links(memory: Memory) -> tuple[Link, ...]:
    """Return the links that stand in an entry's comment."""
    pairs = (part.partition(">") for part in memory.meta.get(LINKS, "").split(","))
    return tuple((kind, entry) for kind, _, entry in pairs if kind in KINDS and _NAME.fullmatch(entry))


def links_of(memory: Memory) -> tuple[Link, ...]:
    """Return the links of an entry: those of its comment, then those of its body."""
    written: list[Link] = [("relates-to", entry) for entry in _WRITTEN.findall(memory.body)]
    return tuple(dict.fromkeys((*made_links(memory), *written)))


def edges_of(memory: Memory) -> tuple[tuple[str, str], ...]:
    """Return all that an entry leads to: its links, and what has taken its place; sorted."""
    if LINKS not in memory.meta and SUPERSEDED_BY not in memory.meta and "[[" not in memory.body:
        return ()
    successors = memory.meta.get(SUPERSEDED_BY, "").split(",")
    instead = ((SUPERSEDED_BY, entry) for entry in successors if _NAME.fullmatch(entry))
    return tuple(sorted({*links_of(memory), *instead}))


def text_of(links: Iterable[Link]) -> str:
    """Return links as the comment has them."""
    return ",".join(f"{kind}>{entry}" for kind, entry in dict.fromkeys(links))


def successors(memories: Iterable[Memory]) -> dict[str, set[str]]:
    """Return what stands in the place of each memory that was replaced, by its id."""
    found: dict[str, set[str]] = {}
    for memory in memories:
        for kind, other in edges_of(memory):
            if kind == SUPERSEDED_BY:
                found.setdefault(memory.id, set()).add(other)
            elif kind == "supersedes":
                found.setdefault(other, set()).add(memory.id)
    return found


def heirs(name: str, after: Mapping[str, Iterable[str]]) -> set[str]:
    """Return all that stand in a memory's place by ``successors``, over any number of steps; in a circle itself too."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(after.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
