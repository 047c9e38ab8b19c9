"""One handoff for a conversation, updated while it goes on, and continued where a person has touched it.

Pure, like everything in the fabric: the candidate and the vault as it is go in, a step comes out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.fabric.take import draft_of
from agent_memory.model.ids import entry_id
from agent_memory.model.memory import Add, Amend, Batch, Candidate, Change, Memory, Move, PageRef, TakenLine
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Written:
    """What the vault should do; an empty batch if the handoff already stands as it should."""

    batch: Batch


@dataclass(frozen=True, slots=True)
class Continue:
    """A person edited or removed the handoff: what comes next must cover the turns after ``turn``.

    None says that the entry is gone and does not tell; where nobody knows, it stands for all turns read so far.
    """

    turn: int | None


def place_handoff(view: View, candidate: Candidate, *, agent: str, now: datetime) -> Written | Continue:
    """Decide whether ``candidate`` is added, updates its entry, or has to give way to a continuation.

    Lines with forgotten words are left out; a handoff that has no others is not written. What a host says of its
    session is as good as a person's words: no later reading of the conversation replaces it.
    """
    body = without(candidate.body, lambda text: forgotten_at(view, text) is not None)
    if not body:
        return Written(Batch())
    candidate = replace(candidate, body=body)
    standing = view.by_key(candidate.key)
    if not standing:
        if view.taken.by_key(candidate.key) is not None:
            return Continue(None)
        return Written(_addition(view, candidate, agent, now))
    memory = standing[0]
    if memory.edited:
        return Continue(memory.origin.turn if memory.origin else None)
    return Written(Batch(_update(memory, candidate), _missing_line(view, memory, candidate, now)))


def _addition(view: View, candidate: Candidate, agent: str, now: datetime) -> Batch:
    entry = entry_id(candidate.said_at, candidate.key, now=now, in_use=view.id_in_use)
    draft = draft_of(candidate, entry)
    if candidate.by == "agent":
        draft = replace(draft, meta={**draft.meta, "edited": "1"})
    add = Add(PageRef(agent, candidate.category), draft)
    return Batch((add,), (TakenLine(candidate.key, entry, now, "stored"),))


def _update(memory: Memory, candidate: Candidate) -> tuple[Change, ...]:
    page = memory.page
    changes: list[Change] = []
    if page.archived:
        changes.append(Move(page, memory.id))
        page = page.counterpart
    same_time = memory.at == candidate.said_at.replace(second=0, microsecond=0)
    if memory.body != candidate.body or not same_time or memory.meta.get("origin") != str(candidate.origin):
        meta = {"origin": str(candidate.origin)}
        said = candidate.by == "agent"
        changes.append(
            Amend(page, memory.id, candidate.body, candidate.tags, candidate.said_at, meta=meta, by_person=said)
        )
    elif page is memory.page:
        return ()
    return tuple(changes)


def _missing_line(view: View, memory: Memory, candidate: Candidate, now: datetime) -> tuple[TakenLine, ...]:
    if view.taken.by_key(candidate.key) is not None:
        return ()
    return (TakenLine(candidate.key, memory.id, now, "stored"),)
