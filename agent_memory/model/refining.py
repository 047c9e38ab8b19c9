"""What a model proposes for memories that stand: links between them, more tags, votes. Pure values.

An entry is named by its id; what the same reply proposes to remember, by the number of its line there.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent_memory.model.votes import Direction


@dataclass(frozen=True, slots=True)
class Linking:
    """A link from ``source`` to ``target``; ``kind`` is whatever was said, ours or not."""

    number: int
    source: str
    kind: str
    target: str


@dataclass(frozen=True, slots=True)
class Evolution:
    """More tags for an entry."""

    number: int
    id: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote for or against an entry."""

    number: int
    id: str
    direction: Direction


Refinement = Linking | Evolution | Ballot
