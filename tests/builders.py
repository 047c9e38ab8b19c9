"""Short builders for the values that tests speak of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from agent_memory.model.ids import fingerprint, key_of
from agent_memory.model.memory import Candidate, Memory, PageRef
from agent_memory.model.transcript import FileIdentity, Origin, Record, Role, ToolUse, Turn
from agent_memory.vault.view import PageState

A_DAY = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)
A_PAGE = PageRef("default", "decisions")
A_CONVERSATION = "3f2a9c1e-0000-4000-8000-000000000001"


def a_record(text: str = "", *, role: Role = "user", tools: tuple[ToolUse, ...] = (), start: int = 0) -> Record:
    return Record(role=role, text=text, end_bytes=start + len(text), tools=tools)


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


def a_memory(
    body: str = "Use SQLite for the mirror.",
    *,
    id: str | None = None,  # noqa: A002
    page: PageRef = A_PAGE,
    at: datetime = A_DAY,
    tags: tuple[str, ...] = (),
    meta: Mapping[str, str] | None = None,
    position: int = 0,
) -> Memory:
    """An entry; without an id it has one of its own."""
    number = id or str(1773679871839 + position)
    text = f"{at} {tags} {meta}\n\n{body}"
    return Memory(page, number, at, body, tags=tags, meta=meta or {}, position=position, raw=text)


def a_page_state(
    *memories: Memory,
    page: PageRef = A_PAGE,
    digest: str = "d1",
    mtime_ns: int = 1,
    load: Callable[[], Sequence[Memory]] | None = None,
) -> PageState:
    """A page with these entries, as the mirror is told of it."""
    return PageState(page, FileIdentity(1, 1, 100, mtime_ns), digest, load or (lambda: memories))


TURN_ENDED = b'{"type":"turn_ended","status":"success"}\n'


def user_line(text: str, *, at: str | None = None) -> bytes:
    """A line of a Cursor transcript: a person's words, ``at`` as ``Monday, Mar 16, 2026, 10:30 AM (UTC)``."""
    stamp = f"<timestamp>{at}</timestamp>\n" if at else ""
    return json_line("user", [{"type": "text", "text": f"{stamp}<user_query>\n{text}\n</user_query>"}])


def assistant_line(text: str = "", *tools: tuple[str, object]) -> bytes:
    """A line of a Cursor transcript: an agent's words and its tool calls, each a name and an input."""
    blocks: list[object] = [{"type": "text", "text": text}] if text else []
    return json_line(
        "assistant", blocks + [{"type": "tool_use", "name": name, "input": given} for name, given in tools]
    )


def json_line(role: str, content: object) -> bytes:
    return json.dumps({"role": role, "message": {"content": content}}, ensure_ascii=False).encode() + b"\n"
