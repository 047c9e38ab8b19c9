"""A chat that can be taken up again, as its host saved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

# ``{"role": "user" | "agent", "text": …}`` and whatever else the host keeps with it, as plain JSON.
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The last saved state of an agent's chat: its newest messages, oldest first."""

    agent: str
    saved_at: datetime
    messages: tuple[Message, ...]
    chat_id: str | None = None
    model_id: str | None = None
