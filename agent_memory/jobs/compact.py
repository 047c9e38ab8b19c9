"""Compaction keeps pages short: the newest stay, the rest moves whole to the archive, where it is still found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from agent_memory.fabric.catalogue import CATEGORIES
from agent_memory.jobs.summary import summed_up
from agent_memory.model.memory import KEEP_TAG, Batch, Memory, Move, PageRef
from agent_memory.vault.entry import NO_ID
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
    halfway = {page: {memory.id: memory for memory in _halfway(view, page)} for page in view.pages if not page.archived}
    moves = [Move(page, entry) for page, entries in halfway.items() for entry in entries]
    summaries = []
    for page in (PageRef(agent, category.name) for agent in view.agents for category in CATEGORIES):
        if view.refusal(page.agent, (page.category,)):
            continue
        finishing = halfway.get(page, {})
        old = _overflow(view, page, limits, finishing)
        # Oldest first, so that a run that is cut short leaves the page and the archive in order.
        moves += [Move(page, entry) for entry in reversed(old)]
        archived = _archived(view, page, finishing, {*old, *finishing})
        chars, language = limits.summary_chars, limits.language
        summaries.append(summed_up(view, page, archived, chars=chars, language=language, now=now, clean=clean))
    return Batch.joined((Batch(tuple(moves)), *summaries))


def _overflow(view: View, page: PageRef, limits: Limits, halfway: Container[str]) -> list[str]:
    """Return the entries over the limit, newest first."""
    once, here = Counter[str](), list[tuple[datetime, bool, int, str]]()
    category = next(one for one in CATEGORIES if one.name == page.category)
    for memory in view.read(page):
        once[memory.id] += not memory.is_summary
        if category.compacts(memory) and not memory.is_summary:
            # Of the same minute what is kept counts as older, so that what an undo has put back pushes nothing out.
            here.append((memory.at, not is_kept(memory), -memory.position, memory.id))
    if len(here) <= limits.max_entries:
        return []
    over = sorted(here, reverse=True)[limits.keep_entries :]
    return [entry for _, moves, _, entry in over if moves and once[entry] == 1 and entry not in halfway]


def _archived(view: View, page: PageRef, finishing: Mapping[str, Memory], moving: Container[str]) -> Iterator[Memory]:
    """Yield what the archive will have."""
    yield from (memory for memory in view.read(page) if memory.id in moving)
    copied = dict(finishing)
    for memory in view.read(page.counterpart):
        original = copied.pop(memory.id, None)
        if original is None or not _is_same(memory, original):
            yield memory


def is_kept(memory: Memory) -> bool:
    """Tell whether a person, or an undo, has exempted the entry from every automatic move."""
    return KEEP_TAG in memory.tags or memory.meta.get("keep") == "1"


def halfway_moves(view: View) -> Batch:
    """Return the moves that finish what a crash left in page and archive both: the page's copy is the truth."""
    pages = (page for page in view.pages if not page.archived)
    return Batch(tuple(Move(page, memory.id) for page in pages for memory in _halfway(view, page)))


def _halfway(view: View, page: PageRef) -> list[Memory]:
    """Return the entries of a page that are in its archive too; two that merely share an id, as copies do, stay."""
    both = [stored.ids for ref in (page, page.counterpart) if (stored := view.pages.get(ref))]
    if len(both) < len((page, page.counterpart)) or both[0].isdisjoint(both[1]):
        return []
    here = Counter(memory.id for memory in view.read(page))
    there: dict[str, list[Memory]] = defaultdict(list)
    for copy in view.read(page.counterpart):
        # A move gives an entry its id first, so one without is no trace of a move.
        if here[copy.id] == 1 and not copy.id.startswith(NO_ID):
            there[copy.id].append(copy)
    copied = (memory for memory in view.read(page) if memory.id in there)
    return [one for one in copied if not is_kept(one) and any(_is_same(copy, one) for copy in there[one.id])]


def _is_same(copy: Memory, memory: Memory) -> bool:
    return copy.body == memory.body or (copy.key is not None and copy.key == memory.key)
