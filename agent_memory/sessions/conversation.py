"""A dashboard's conversation file, cut to its newest messages.

Pure. It refuses to cut into the last turn, which may still grow, and to drop what nobody can read yet. The rest of
the file stays: whatever else a host keeps beside the messages is its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agent_memory.sessions.checkpoint import as_json, is_message
from agent_memory.sources.dashboard import ROLES


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A conversation file as it should be, and how many messages went out of it."""

    data: bytes
    removed: int


def trimmed(data: bytes, keep: int) -> Trimmed | None:
    """Return the file with its ``keep`` newest messages, more if its last turn is longer; None if it has no more."""
    try:
        return _trimmed(json.loads(data.decode("utf-8-sig")), keep)
    except (ValueError, RecursionError):
        return None


def _trimmed(value: Any, keep: int) -> Trimmed | None:
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return None
    readable = [place for place, message in enumerate(messages) if is_message(message)]
    if len(readable) <= keep:
        return None
    cut = min(readable[-keep], _last_turn(messages, readable))
    kept = [*(message for message in messages[:cut] if not is_message(message)), *messages[cut:]]
    removed = len(messages) - len(kept)
    return Trimmed(as_json({**value, "messages": kept}), removed) if removed else None


def _last_turn(messages: list[Any], readable: list[int]) -> int:
    """Return where the last turn begins: with its user's message, or behind the last one of the user."""
    said = [
        place for place in readable if messages[place].get("internal") is not True and messages[place]["text"].strip()
    ]
    begin = said[-1] if said else 0
    for place in reversed(said):
        if ROLES[messages[place]["role"]] == "user":
            return place if place == said[-1] else begin
        begin = place
    return begin
