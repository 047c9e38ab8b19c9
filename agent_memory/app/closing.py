"""The handoff of a conversation: where it goes on, and writing it once the conversation is quiet."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cache

from agent_memory.app.container import App
from agent_memory.app.fold import Clean, Pass
from agent_memory.extraction import Memo, pick_up, restart_handoff
from agent_memory.extraction.handoff import CLOSE_TAG
from agent_memory.extraction.memo import OpenTask
from agent_memory.fabric.forgotten import forgotten_at
from agent_memory.fabric.handoffs import place_handoff
from agent_memory.fabric.take import OPEN
from agent_memory.model.memory import Batch, Memory
from agent_memory.model.origin import Origin
from agent_memory.tailing.reader import Reading
from agent_memory.vault.journal import origins
from agent_memory.vault.store import View

HANDOFFS = "handoffs"


def start_of(app: App, reading: Reading) -> Memo:
    """Return what extraction knows before a reading; where state and beginning are lost, from the vault."""
    if reading.resumed:
        return Memo.from_json(reading.resumed.memo)
    if not reading.first_turn:
        return Memo.empty()
    view = app.vault.view(partial=True)
    known = [(one, one.origin) for one in view.memories if one.origin and one.origin.conversation == reading.chat]
    ours = sorted(known, key=lambda pair: (pair[1].turn, pair[1].span))
    tasks = tuple(OpenTask(one.key, one.body.removeprefix(OPEN)) for one, _ in ours if one.key and _is_open(one))
    standing = {origin.turn: one for one, origin in ours if one.page.category == HANDOFFS}
    written = {origin.turn for _, origin in _written(app) if origin.conversation == reading.chat} | set(standing)
    last = max(written, default=-1)
    if last in standing and not standing[last].edited:
        return pick_up(standing[last], tasks)
    return restart_handoff(Memo(tasks=tasks), after=last)


def close(app: App, view: View, one: Pass, summary: str, *, now: datetime, ended: bool) -> Batch:
    """Write a conversation's handoff, continued behind whatever a person has made their own.

    One that its host has ``ended`` says so in its tags.
    """
    tried: set[str] = set()
    while (candidate := one.handoff(summary)) is not None and candidate.key not in tried:
        tried.add(candidate.key)
        if ended:
            candidate = replace(candidate, tags=tuple(dict.fromkeys((*candidate.tags, CLOSE_TAG))))
        placed = place_handoff(view, candidate, agent=one.agent, now=now)
        if isinstance(placed, Batch):
            one.closed = bool(placed.changes)
            return placed
        turn, line = placed.turn, view.taken.by_key(candidate.key)
        if turn is None and line:  # a person removed it
            turn = next((origin.turn for entry, origin in reversed(_written(app)) if entry == line.id), None)
        one.cover_after(turn)
    return Batch()


def cleaner(view: View) -> Clean:
    """Return what takes out of a memo the texts that were forgotten."""
    if not view.taken.forgotten:
        return lambda memo: memo
    holds = cache(lambda text: forgotten_at(view, text) is not None)
    return lambda memo: memo.without(holds)


def _written(app: App) -> list[tuple[str, Origin]]:
    return list(origins(app.vault.journal_runs(HANDOFFS), HANDOFFS))


def _is_open(memory: Memory) -> bool:
    return memory.page.category == "tasks" and memory.active and memory.body.startswith(OPEN)
