"""One handoff for a conversation, updated while it goes on, and continued where a person has touched it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.fabric.take import draft_of
from agent_memory.model.ids import entry_id
from agent_memory.model.memory import Add, Amend, Batch, Candidate, Change, Memory, Move, PageRef, TakenLine
from agent_memory.vault.view import View


@dataclass(frozen=True, slots=True)
class Continue:
    """A person edited or removed the handoff: what comes next must cover the turns after ``turn``.

    None says that the entry is gone and does not tell; where nobody knows, it stands for all turns read so far.
    """

    turn: int | None


def place_handoff(view: View, candidate: Candidate, *, agent: str, now: datetime) -> Batch | Continue:
    """Decide whether ``candidate`` is added, updates its entry, or has to give way to a continuation.

    Lines with forgotten words are left out; a handoff that has no others is not written. What a host says of its
    session is as good as a person's words: no later reading of the conversation replaces it.
    """
    body = without(candidate.body, lambda text: forgotten_at(view, text) is not None)
    if not body:
        return Batch()
    candidate = replace(candidate, body=body)
    noted = view.taken.by_key(candidate.key) is not None
    standing = view.by_key(candidate.key)
    if standing and standing[0].edited:
        return Continue(standing[0].origin.turn if standing[0].origin else None)
    if noted and not standing:
        return Continue(None)
    entry = standing[0].id if standing else entry_id(candidate.said_at, candidate.key, now=now, in_use=view.id_in_use)
    changes = _update(standing[0], candidate) if standing else (_addition(candidate, agent, entry),)
    return Batch(changes, () if noted else (TakenLine(candidate.key, entry, now, "stored"),))


def _addition(candidate: Candidate, agent: str, entry: str) -> Add:
    draft = draft_of(candidate, entry)
    if candidate.by == "agent":
        draft = replace(draft, meta={**draft.meta, "edited": "1"})
    return Add(PageRef(agent, candidate.category), draft)


def _update(memory: Memory, candidate: Candidate) -> tuple[Change, ...]:
    same_time = memory.at == candidate.said_at.replace(second=0, microsecond=0)
    origin, said = {"origin": str(candidate.origin)}, candidate.by == "agent"
    if memory.body == candidate.body and same_time and memory.meta.get("origin") == origin["origin"]:
        return ()  # read again, not resumed: it stays where it is, in the archive too
    page = replace(memory.page, archived=False)
    amend = Amend(page, memory.id, candidate.body, candidate.tags, candidate.said_at, meta=origin, by_person=said)
    return (Move(memory.page, memory.id), amend) if memory.page.archived else (amend,)
