"""Checkpoints: the last messages of a chat, so that it can be taken up after a crash.

Pure. The format is that of the npm package, ``{"agentId","savedAt" (ms),"messages","chatId"?,"modelId"?}``, since
hosts read the files too. A file that is none of this is no checkpoint, and no error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from agent_memory.errors import UsageError
from agent_memory.model.memory import Memory
from agent_memory.model.session import Checkpoint, Message
from agent_memory.model.transcript import Record, Turn
from agent_memory.sources.dashboard import ROLES, moment, name_of

MESSAGES_KEPT: Final = 50
MESSAGES_RECOVERED: Final = 3

_ANY_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


def is_message(value: Any) -> bool:
    """Tell whether a host's value is a message that we can read."""
    return isinstance(value, dict) and value.get("role") in tuple(ROLES) and isinstance(value.get("text"), str)


def bare(checkpoint: Checkpoint, clean: Callable[[str], str], keep: int = MESSAGES_KEPT) -> Checkpoint:
    """Return what may be kept of a checkpoint: its newest ``keep`` messages, every text in them ``clean``.

    A message that has no text left is dropped.

    Raises:
        UsageError: Something in them is nested too deeply to be looked through.
    """
    try:
        newest = [_bare(message, clean) for message in checkpoint.messages[-keep:]]
    except RecursionError as error:
        raise UsageError("A message is nested too deeply.", hint="Leave out what is not its text.") from error
    return replace(checkpoint, messages=tuple(message for message in newest if message["text"].strip()))


def to_json(checkpoint: Checkpoint) -> bytes:
    """Return the bytes of a checkpoint's file."""
    value = {
        "agentId": checkpoint.agent,
        "savedAt": milliseconds(checkpoint),
        "messages": list(checkpoint.messages),
        "chatId": checkpoint.chat_id,
        "modelId": checkpoint.model_id,
    }
    return as_json({name: held for name, held in value.items() if held is not None})


def milliseconds(checkpoint: Checkpoint) -> int:
    """Return when it was saved, as its file has it."""
    return round(checkpoint.saved_at.timestamp() * 1000)


def as_json(value: Any) -> bytes:
    """Return JSON as hosts write it; half a character of UTF-16 stays the escape that it was."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "backslashreplace")


def parse(data: bytes, agent: str) -> Checkpoint | None:
    """Read what ``to_json`` wrote, or a host; None if it is no checkpoint."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    saved_at = moment(value.get("savedAt")) if isinstance(value, dict) else None
    if saved_at is None or not isinstance(value.get("messages"), list):
        return None
    messages = tuple(filter(is_message, value["messages"]))
    return Checkpoint(
        agent, saved_at, messages, name_of(value.get("chatId")) or None, name_of(value.get("modelId")) or None
    )


def messages_in(data: bytes) -> tuple[Message, ...]:
    """Return the messages of a host's file, a checkpoint or a conversation; none where it is neither."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ()
    said = value.get("messages") if isinstance(value, dict) else None
    return tuple(filter(is_message, said)) if isinstance(said, list) else ()


def is_fresh(checkpoint: Checkpoint | None, *, now: datetime, days: int) -> bool:
    """Tell whether there is a checkpoint that may still be recovered; one as far in the future has expired too."""
    return checkpoint is not None and abs(now - checkpoint.saved_at) < timedelta(days=days)


def recovering(checkpoint: Checkpoint, handoffs: Iterable[Memory]) -> tuple[Message, ...]:
    """Return the last messages of a session that broke off; none if an agent's handoff has taken them over.

    A handoff is dated to the minute with what was said last, so one that covers the last turn counts however late
    the checkpoint was saved, as does one of the same minute.
    """
    said = tuple(message for message in checkpoint.messages if message.get("internal") is not True)
    last, saved_at = _last_turn(said), checkpoint.saved_at.replace(second=0, microsecond=0)
    for handoff in handoffs:
        if handoff.at >= saved_at or (handoff.origin and handoff.origin.digest == last):
            return ()
    return said[-MESSAGES_RECOVERED:]


def _last_turn(said: tuple[Message, ...]) -> str:
    """Return the digest of the turn that the messages end with."""
    records: list[Record] = []
    for message in reversed(said):
        record = Record(ROLES[message["role"]], message["text"].strip())
        if records and (record.role == "user" or records[0].role == "user"):
            break
        records.insert(0, record)
    return Turn("", "", 0, records[0].role, tuple(records), _ANY_TIME).digest if records else ""


def _bare(value: Any, clean: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {name: _bare(held, clean) for name, held in value.items()}
    if isinstance(value, list):
        return [_bare(held, clean) for held in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # which JSON has no word for, and other programs write so
    return clean(value) if isinstance(value, str) else value
