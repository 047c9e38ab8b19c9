"""What is asked and what comes back: queries and hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from agent_memory.model.memory import PageRef

DEFAULT_LIMIT: Final = 10


@dataclass(frozen=True, slots=True)
class Query:
    """A search: free text, and what the hits must have. Where there are only tags, the latest said come."""

    text: str
    agent: str | None = None
    category: str | None = None
    limit: int = DEFAULT_LIMIT
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that recall found. A higher ``score`` is better; ``parts`` add up to it."""

    page: PageRef
    id: str
    at: datetime
    tags: tuple[str, ...]
    body: str
    score: float
    snippet: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
