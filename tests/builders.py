"""Short builders for the values that tests speak of."""

from __future__ import annotations

from datetime import UTC, datetime

from agent_memory.model.ids import fingerprint, key_of
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Origin, Record, Role, ToolUse, Turn

A_DAY = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)
A_CONVERSATION = "3f2a9c1e-0000-4000-8000-000000000001"


def a_record(text: str = "", *, role: Role = "user", tools: tuple[ToolUse, ...] = (), start: int = 0) -> Record:
    return Record(role=role, text=text, start_bytes=start, end_bytes=start + len(text), tools=tools)


def a_turn(
    *texts: str,
    role: Role = "user",
    ordinal: int = 0,
    at: datetime = A_DAY,
    conversation: str = A_CONVERSATION,
    tools: tuple[ToolUse, ...] = (),
    approximate: bool = False,
) -> Turn:
    """A turn with one record for each text; ``tools`` go to the first."""
    records = tuple(a_record(text, role=role, tools=tools if n == 0 else ()) for n, text in enumerate(texts))
    return Turn(conversation, "cursor", ordinal, role, records, at, approximate=approximate)


def a_candidate(
    body: str = "Use SQLite for the mirror, because it ships with Python.",
    *,
    category: str = "decisions",
    said: str | None = None,
    at: datetime = A_DAY,
    tags: tuple[str, ...] = (),
    conversation: str = A_CONVERSATION,
    turn: int = 0,
    digest: str = "77e0a1b2c3d4",
) -> Candidate:
    said = body if said is None else said
    return Candidate(
        category=category,
        body=body,
        key=key_of(conversation, "user", said),
        origin=Origin("cursor", conversation, turn, (0, len(said)), digest),
        said_at=at,
        words=fingerprint(said),
        tags=tags,
    )
