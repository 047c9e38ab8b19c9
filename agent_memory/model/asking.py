"""What is asked of a language model and what comes back, as values that pure stages can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a model: constant instructions first, so that servers can cache them, then the text.

    ``schema`` is the JSON schema and ``grammar`` the GBNF grammar of the reply, for servers that take one.
    """

    instructions: str
    text: str
    max_reply_tokens: int
    schema: Mapping[str, Any] = field(default_factory=dict)
    grammar: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's reply and its cost in tokens: the server's count, or ours where it gives none."""

    text: str
    prompt_tokens: int
    reply_tokens: int
    latency_s: float = 0.0


class Ask(Protocol):
    """Something that answers a prompt, or returns None where a model cannot or may not be asked."""

    def __call__(self, prompt: Prompt) -> str | None:
        """Return the reply's text."""
        ...
