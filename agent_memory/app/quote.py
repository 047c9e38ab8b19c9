"""The words that a memory came from: its turn, read again in its conversation. Nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass

from agent_memory.app.container import App
from agent_memory.app.verify import conversations_of, turns_of
from agent_memory.model.memory import Memory
from agent_memory.model.transcript import Role
from agent_memory.redaction import redact


@dataclass(frozen=True, slots=True)
class Quote:
    """A turn: who spoke, its whole text, and which characters of it gave the memory; (0, 0) if all of it did."""

    role: Role
    text: str
    span: tuple[int, int]

    @property
    def parts(self) -> tuple[str, str, str]:
        """What stood before the words, these, and what stood after them."""
        start, end = self.span
        return self.text[:start], self.text[start:end], self.text[end:]


def quote(app: App, memory: Memory) -> Quote | None:
    """Return the turn that a memory was taken from, without secrets; None where it is not to be found any more."""
    origin = memory.origin
    if origin is None:
        return None
    for file in conversations_of(app, origin):
        for turn in turns_of(app, file):
            if origin.digest in turn.prefix_digests:
                clean = redact(turn.text)  # what is found in the whole need not be in the parts
                return Quote(turn.role, clean.text, (0, 0) if clean.count else origin.span)
    return None
