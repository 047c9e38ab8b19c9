"""Compaction keeps pages short: the newest stay, the rest moves whole to the archive, where it is still found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from agent_memory.fabric.catalogue import CATEGORIES, Category
from agent_memory.model.memory import KEEP_TAG, Batch, Memory, Move
from agent_memory.system import files
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Limits:
    """When a page is long, how much of it stays, and how long a checkpoint lives."""

    max_entries: int
    keep_entries: int
    checkpoint_days: int


def plan_compaction(view: View, limits: Limits) -> Batch:
    """Return the moves that bring every long page back to its newest entries."""
    moves: list[Move] = []
    for agent in view.agents:
        for category in CATEGORIES:
            moves += _overflow(view, agent, category, limits)
    return Batch(tuple(moves))


def _overflow(view: View, agent: str, category: Category, limits: Limits) -> list[Move]:
    here = [memory for memory in view.of(agent, category.name, archived=False) if category.compacts(memory)]
    if len(here) <= limits.max_entries:
        return []
    newest_first = sorted(here, key=lambda memory: (memory.at, -memory.position), reverse=True)
    once = Counter(memory.id for memory in view.of(agent, category.name, archived=False))
    old = [memory for memory in newest_first[limits.keep_entries :] if not is_kept(memory) and once[memory.id] == 1]
    # Oldest first, so that a run that is cut short leaves the page and the archive in order.
    return [Move(memory.page, memory.id) for memory in reversed(old)]


def is_kept(memory: Memory) -> bool:
    """Tell whether a person, or an undo, has exempted the entry from every automatic move."""
    return KEEP_TAG in memory.tags or memory.meta.get("keep") == "1"


def halfway_moves(view: View) -> Batch:
    """Return the moves that finish what a crash left in page and archive both: the page's copy is the truth.

    Two entries that merely share an id, as copies by hand do, are no such thing and stay.
    """
    moves = [
        Move(memory.page, memory.id)
        for memory in view.memories
        if not memory.page.archived and not is_kept(memory) and _is_halfway(view.by_id(memory.id), memory)
    ]
    return Batch(tuple(moves))


def _is_halfway(copies: Sequence[Memory], memory: Memory) -> bool:
    here = [copy for copy in copies if copy.page == memory.page]
    there = [copy for copy in copies if copy.page == memory.page.counterpart]
    return len(here) == 1 and any(_is_same(copy, memory) for copy in there)


def _is_same(copy: Memory, memory: Memory) -> bool:
    return copy.body == memory.body or (copy.key is not None and copy.key == memory.key)


def expired_checkpoints(folder: Path, *, now: datetime, days: int) -> list[Path]:
    """Return the checkpoints that are older than ``days`` or that cannot be read as one."""
    oldest = (now - timedelta(days=days)).timestamp() * 1000
    return [
        path
        for path in files.list_folder(folder)
        if path.suffix == ".json" and _saved_at(files.read_text(path) or "") < oldest
    ]


def _saved_at(text: str) -> float:
    """Return when a checkpoint was saved in milliseconds since 1970, 0 if the text is no checkpoint."""
    try:
        saved = json.loads(text)["savedAt"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0.0
    return float(saved) if isinstance(saved, int | float) and not isinstance(saved, bool) else 0.0
