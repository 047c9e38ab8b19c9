"""Compaction keeps pages short: the newest stay, the rest moves whole to the archive, where it is still found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agent_memory.fabric.catalogue import CATEGORIES, Category
from agent_memory.jobs.summary import summed_up
from agent_memory.model.memory import KEEP_TAG, Batch, Memory, Move, PageRef
from agent_memory.vault.entry import NO_ID
from agent_memory.vault.foresee import foresee
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Limits:
    """When a page is long, how much of it stays, and how long the summary of the rest may be, in which language."""

    max_entries: int
    keep_entries: int
    summary_chars: int = 2000
    language: str = "en"


def plan_compaction(view: View, limits: Limits, *, now: datetime, clean: Callable[[str], str]) -> Batch:
    """Return what finishes interrupted moves, brings long pages back to their newest entries, and sums up the rest.

    A page is left alone if it or its archive cannot be read.

    Args:
        view: The vault.
        limits: What is long.
        now: The present.
        clean: Takes out of a text what may not be written again: secrets, and what was forgotten.
    """
    finishing = halfway_moves(view)
    halfway = {change.id for change in finishing.changes if isinstance(change, Move)}
    parts, pages = [finishing], list[PageRef]()
    for agent in view.agents:
        for category in (one for one in CATEGORIES if not view.refusal(agent, (one.name,))):
            pages.append(PageRef(agent, category.name))
            old = [memory for memory in _overflow(view, agent, category, limits) if memory.id not in halfway]
            # Oldest first, so that a run that is cut short leaves the page and the archive in order.
            parts.append(Batch(tuple(Move(memory.page, memory.id) for memory in reversed(old))))
    moves = Batch.joined(parts)
    after = foresee(view, moves, now=now) if moves else view
    for page in pages:
        archived = after.of(page.agent, page.category, archived=True)
        chars, language = limits.summary_chars, limits.language
        parts.append(summed_up(view, page, archived, chars=chars, language=language, now=now, clean=clean))
    return Batch.joined(parts)


def _overflow(view: View, agent: str, category: Category, limits: Limits) -> list[Memory]:
    """Return the entries over the limit, newest first."""
    page = [memory for memory in view.of(agent, category.name, archived=False) if not memory.is_summary]
    here = [memory for memory in page if category.compacts(memory)]
    if len(here) <= limits.max_entries:
        return []
    # Of the same minute what is kept counts as older, so that what an undo has put back pushes nothing out.
    newest_first = sorted(here, key=lambda one: (one.at, not is_kept(one), -one.position), reverse=True)
    once = Counter(memory.id for memory in page)
    return [memory for memory in newest_first[limits.keep_entries :] if not is_kept(memory) and once[memory.id] == 1]


def is_kept(memory: Memory) -> bool:
    """Tell whether a person, or an undo, has exempted the entry from every automatic move."""
    return KEEP_TAG in memory.tags or memory.meta.get("keep") == "1"


def halfway_moves(view: View) -> Batch:
    """Return the moves that finish what a crash left in page and archive both: the page's copy is the truth."""
    return Batch(tuple(Move(memory.page, memory.id) for memory in view.memories if _is_halfway(view, memory)))


def _is_halfway(view: View, memory: Memory) -> bool:
    """Tell of entries of a page that are in its archive too; two that merely share an id, as copies do, stay."""
    copies = view.by_id(memory.id)
    # A move gives an entry its id first, so one without is no trace of a move.
    if memory.page.archived or is_kept(memory) or len(copies) == 1 or memory.id.startswith(NO_ID):
        return False
    there = [copy for copy in copies if copy.page == memory.page.counterpart]
    return sum(copy.page == memory.page for copy in copies) == 1 and any(_is_same(copy, memory) for copy in there)


def _is_same(copy: Memory, memory: Memory) -> bool:
    return copy.body == memory.body or (copy.key is not None and copy.key == memory.key)
