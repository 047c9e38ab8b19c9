"""What is asked and what comes back: queries, hits, budgets and briefings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from agent_memory.model.memory import PageRef

DEFAULT_LIMIT: Final = 10
BRIEFING_START: Final = "<!-- agent-memory:briefing -->"
BRIEFING_END: Final = "<!-- /agent-memory:briefing -->"


@dataclass(frozen=True, slots=True)
class Query:
    """A search: free text, and what the hits must have."""

    text: str
    agent: str | None = None
    category: str | None = None
    limit: int = DEFAULT_LIMIT


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


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a briefing before it is cut: a title and its lines, most important first."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """What a briefing had to leave out of one section, and why."""

    section: str
    lines: int
    reason: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """The block of text that an agent receives, its size by the promised estimate, and what was cut."""

    agent: str
    command: str
    text: str
    tokens: int
    max_tokens: int
    sections: Mapping[str, int] = field(default_factory=dict)
    cuts: tuple[Cut, ...] = ()
