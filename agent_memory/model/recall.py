"""What is asked and what comes back: queries, leads and hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from agent_memory.model.memory import PageRef
from agent_memory.model.text import Language
from agent_memory.model.votes import NO_VOTES, Fading, Votes

DEFAULT_LIMIT: Final = 10


@dataclass(frozen=True, slots=True)
class Query:
    """A search: free text, and what the hits must have.

    ``text`` is never syntax; ``model.syntax`` reads what a person types. Every phrase must stand in a hit
    and none of ``without``; ``after`` includes its moment, ``before`` does not. ``inactive`` lets in what
    no longer counts. Where there is no telling word but a tag, a phrase or a time, the latest said come;
    agent and category only narrow a search, unless ``lists`` says that they were all that was asked for.
    ``fading`` says how old votes are; without it they count as they were cast.
    """

    text: str
    agent: str | None = None
    category: str | None = None
    limit: int = DEFAULT_LIMIT
    tags: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    inactive: bool = False
    lists: bool = False
    fading: Fading | None = None

    @property
    def chooses(self) -> bool:
        """Whether something besides words says what is wanted."""
        return bool(self.lists or self.tags or self.phrases or self.after or self.before)


@dataclass(frozen=True, slots=True)
class Lead:
    """An entry that an index offers for ranking: what is known of it, and what each way of looking gave it.

    ``row`` is the index's own name for it. ``parts`` are scores by name. ``meaning`` is how near its words
    are in meaning to the query, 1 for the nearest of all; None where nobody knows.
    """

    row: int
    page: PageRef
    at: datetime
    author: str = ""
    conversation: str | None = None
    language: Language | None = None
    votes: Votes = NO_VOTES
    parts: Mapping[str, float] = field(default_factory=dict)
    meaning: float | None = None

    @property
    def score(self) -> float:
        """What its parts add up to."""
        return sum(self.parts.values())


Choose = Callable[[Sequence[Lead]], Sequence[Lead]]
"""Makes of all the leads those that are wanted, in order, each with the parts of its final score."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that recall found. A higher ``score`` is better; ``parts`` add up to it.

    ``mark`` says what an agent must know of it beside its words: what contradicts it, say.
    """

    page: PageRef
    id: str
    at: datetime
    tags: tuple[str, ...]
    body: str
    score: float
    snippet: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """That one entry leads to another, both by their ids; ``kind`` is a link's, or ``superseded-by``."""

    source: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Named:
    """An entry found by its id, and whether it counts today."""

    hit: Hit
    active: bool
