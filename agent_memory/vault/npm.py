"""What the npm package ``@inosx/agent-memory`` keeps beside its pages: how far it has read, and its index.

Pure. Files of another program are believed as far as they make sense; what does not is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

SESSIONS_FILE: Final = "processed-transcripts.json"
CHATS_FILE: Final = "processed-conversations.json"
INDEX_FILE: Final = "index.json"


@dataclass(frozen=True, slots=True)
class Session:
    """How far a conversation was taken: its lines, without the blank ones, and whether its handoff is written."""

    conversation: str
    lines: int
    handed_off: bool


def sessions(text: str) -> list[Session]:
    """Read ``processed-transcripts.json``: ``{"<session>": {"lastLine", "lastProcessedAt", "handoffGenerated"}}``."""
    found = _parsed(text)
    rows = found.items() if isinstance(found, dict) else ()
    return [
        Session(name, row["lastLine"], handed_off=row.get("handoffGenerated") is True)
        for name, row in rows
        if isinstance(row, dict) and _is_count(row.get("lastLine"))
    ]


def chats(text: str) -> dict[str, list[int]]:
    """Read ``processed-conversations.json``: ``["<agent>:<messages>"]``, several for an agent whose chat grew."""
    found = _parsed(text)
    rows = (row.rpartition(":") for row in found if isinstance(row, str)) if isinstance(found, list) else ()
    counts: dict[str, list[int]] = {}
    for agent, _, count in rows:
        if count.isascii() and count.isdigit():
            counts.setdefault(agent, []).append(int(count))
    return counts


def documents(text: str) -> list[tuple[str, str]] | None:
    """Return the ids and words of the entries that an index holds; None if it cannot be read."""
    found = _parsed(text)
    stored = found.get("storedFields") if isinstance(found, dict) else None
    rows = list(stored.values()) if isinstance(stored, dict) else None
    if rows is None or not all(isinstance(row, dict) and isinstance(row.get("content"), str) for row in rows):
        return None
    return [(str(row.get("id", "")), row["content"]) for row in rows]


def cut_chat(data: bytes, name: str, counts: Mapping[str, Iterable[int]]) -> bytes:
    """Return a chat's file as it was when its messages were last counted; without any if they never were.

    ``name`` is whose chat it is, unless it says so itself.
    """
    found = _parsed(data.decode("utf-8-sig", "replace"))
    messages = found.get("messages") if isinstance(found, dict) else None
    if not isinstance(messages, list):
        return data
    known = counts.get(str(found.get("agentId") or name), ())
    count = max((count for count in known if count <= len(messages)), default=0)
    return json.dumps({**found, "messages": messages[:count]}).encode("ascii")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _parsed(text: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
