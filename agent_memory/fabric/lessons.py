"""Lessons and procedures that were distilled: what stands in their comments, and when they are let go. Pure.

A lesson's body is its principle; the comment says when it comes to mind (``activation``) and what it rests on
(``links:parent>id``). One that a person wrote needs none of that, and is never let go of by a machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agent_memory.fabric.notes import Use
from agent_memory.model.ids import digest
from agent_memory.model.links import LINKS, PARENT, links_of, text_of
from agent_memory.model.memory import ACTIVATION, KEEP_TAG, Amend, Draft, Memory
from agent_memory.model.votes import Fading

LESSONS: Final = "lessons"
PROCEDURES: Final = "procedures"
MAX_DEPRECATED: Final = 100
"""Of one run: nothing automatic lets go of everything at once."""


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a cluster comes to: when it comes to mind, what it says, its tags, and how sure that is."""

    activation: str
    principle: str
    tags: tuple[str, ...]
    confidence: float
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Keeping:
    """When distilled entries are let go: how many stay, and how long one that nobody uses."""

    most: int
    unused: timedelta


def key_of_parent(entry: str) -> str:
    """Return the ledger's key for an entry that a lesson rests on: no other one will, whatever becomes of it."""
    return digest("consolidation", entry)


def draft_of(what: Distilled, entry: str, parents: Sequence[str], at: datetime, body: str, key: str) -> Draft:
    """Return the entry for a lesson, or for its procedure, under the id ``entry``; ``key`` names what it is made of."""
    links = text_of((PARENT, parent) for parent in parents)
    meta = {LINKS: links, "confidence": f"{what.confidence:.2f}", ACTIVATION: what.activation}
    return Draft(body, at, "consolidation", what.tags, id=entry, key=key, meta=meta)


def steps_text(steps: Iterable[str]) -> str:
    """Return steps as the numbered list that a procedure's body is."""
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def parents_of(memory: Memory) -> tuple[str, ...]:
    """Return the ids of what an entry rests on."""
    return tuple(entry for kind, entry in links_of(memory) if kind == PARENT)


def let_go(
    memories: Iterable[Memory], uses: Mapping[str, Use], votes: Fading, keeping: Keeping
) -> list[tuple[Memory, str]]:
    """Return the distilled entries that no longer count, each with the reason; they stay where they stand.

    Those that votes speak against and nobody ever used, those that nobody used for too long, and the oldest of too
    many. To use one is to look it up by its id; to have been told it is none.
    """
    ours = [one for one in memories if one.active and one.meta.get("by") == "consolidation" and not is_kept(one)]
    gone = dict[str, tuple[Memory, str]]()
    for one in ours:
        score, used = votes.of(one.meta), one.id in uses
        if score < 0 and not used:
            gone[one.id] = one, "voted down"
        elif not used and score <= 0 and made_at(one) <= votes.now - keeping.unused:
            gone[one.id] = one, "never used"
    left = sorted((one for one in ours if one.id not in gone), key=lambda one: (votes.of(one.meta), one.at, one.id))
    gone |= {one.id: (one, "too many") for one in left[: max(len(left) - keeping.most, 0)]}
    return list(gone.values())[:MAX_DEPRECATED]


def deprecated(gone: Iterable[tuple[Memory, str]]) -> list[Amend]:
    """Return the changes that let entries go."""
    return [Amend(memory.page, memory.id, meta={"status": "deprecated"}) for memory, _ in gone]


def made_at(memory: Memory) -> datetime:
    """Return when a distilled entry was made, which is its id."""
    try:
        return datetime.fromtimestamp(int(memory.id) / 1000, memory.at.tzinfo)
    except (ValueError, OverflowError, OSError):  # renumbered by hand
        return memory.at


def is_kept(memory: Memory) -> bool:
    """Tell whether a person wrote the words, or a person or an undo has exempted it from every automatic move."""
    return memory.edited or KEEP_TAG in memory.tags or memory.meta.get("keep") == "1"
