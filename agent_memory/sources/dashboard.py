"""Chats that a dashboard of agents saves as ``conversations/<agent>.json`` in the memory folder.

``{"agentId"?, "savedAt"?, "chatId"?, "messages": [{"role": "user"|"agent", "text", "internal"?}]}``,
written anew every half minute and cut at the front. Messages have no times of their own, and what a host
says to its agents internally is not part of the chat.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from agent_memory.model.text import clean, one_line
from agent_memory.model.transcript import Record, Role, SkippedLine
from agent_memory.sources.base import Chat, Source, kind_of
from agent_memory.sources.cursor_text import parse_iso

MAX_ID_CHARS: Final = 200
ROLES: Final[dict[str, Role]] = {"user": "user", "agent": "assistant", "assistant": "assistant"}


def conversation_of(parts: tuple[str, ...]) -> tuple[str, str | None] | None:
    """Recognise ``<agent>.json``; the file's name stands for whatever chat is in it now."""
    name = parts[-1]
    return (name, None) if len(parts) == 1 and name.endswith(".json") and name[0] not in "._" else None


def chat_of(data: bytes) -> Chat:
    """Return the chat that a file holds."""
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return Chat(events=(SkippedLine(1, "not JSON"),), whole=False)
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return Chat(events=(SkippedLine(1, "no list of messages", kind="file without messages"),))
    return Chat(
        chat_id=name_of(value.get("chatId")),
        agent=name_of(value.get("agentId")),
        saved_at=moment(value.get("savedAt")),
        events=tuple(_events(value["messages"])),
    )


def _events(messages: list[Any]) -> Iterator[Record | SkippedLine]:
    for number, message in enumerate(messages, 1):
        role = message.get("role") if isinstance(message, dict) else None
        text = message.get("text") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in ROLES:
            yield SkippedLine(number, f"message {number} has an unknown role", kind_of("role", role))
        elif not isinstance(text, str):
            yield SkippedLine(number, f"message {number} has no text", kind="message without text")
        elif message.get("internal") is not True and text.strip():
            yield Record(ROLES[role], clean(text).strip())


def name_of(given: object) -> str:
    """Return the name that a host gives a chat or an agent, fit to be stored; empty if it gives none."""
    usable = isinstance(given, (str, int)) and not isinstance(given, bool)
    return one_line(clean(str(given)))[:MAX_ID_CHARS] if usable else ""


def moment(given: object) -> datetime | None:
    """Read a time that is ISO text or milliseconds; None for anything else."""
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        try:
            return parse_iso(datetime.fromtimestamp(given / 1000, UTC).isoformat())
        except (OverflowError, ValueError, OSError):
            return None
    return parse_iso(given)


DASHBOARD: Final = Source(name="dashboard", conversation_of=conversation_of, depth=1, chat_of=chat_of)
