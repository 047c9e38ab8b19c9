"""The words that a memory came from: its turn, read again in its conversation. Nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass

from agent_memory.app.container import App
from agent_memory.app.verify import conversations_of, turns_of
from agent_memory.model.memory import Memory
from agent_memory.model.transcript import Role


@dataclass(frozen=True, slots=True)
class Quote:
    """A turn: who spoke, its whole text, and which characters of it gave the memory; (0, 0) if all of it did."""

    role: Role
    text: str
    span: tuple[int, int]


def quote(app: App, memory: Memory) -> Quote | None:
    """Return the turn that a memory was taken from; None where its conversation no longer has it, or it has none."""
    origin = memory.origin
    if origin is None:
        return None
    for file in conversations_of(app, origin):
        for turn in turns_of(app, file):
            if origin.digest in turn.prefix_digests:
                return Quote(turn.role, turn.text, origin.span)
    return None
