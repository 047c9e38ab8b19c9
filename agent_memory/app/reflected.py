"""What reflecting would come to, and what it came to, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_memory.fabric.refine import Refined
from agent_memory.fabric.take import Taking
from agent_memory.reflection import Reflection


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a backlog would come to: calls, the most tokens they may use, their cost, and what today has left."""

    calls: int = 0
    recorded: int = 0
    tokens: int = 0
    cost: float = 0.0
    tokens_left: int = 0


@dataclass
class Reflected:
    """What reflecting came to: outcomes of calls, entries stored by category, lines dropped by reason."""

    estimate: Estimate
    outcomes: dict[str, int] = field(default_factory=dict)
    stored: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    facts: int = 0
    refined: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    gave_up: bool = False

    def count(self, outcome: str) -> None:
        """Count one exchange's outcome."""
        _add(self.outcomes, {outcome: 1})

    def add(self, reflection: Reflection, taking: Taking, refined: Refined) -> None:
        """Count one applied reply."""
        for (what, where), number in taking.outcomes.items():
            if what in ("stored", "proposed"):
                _add(self.stored, {where: number})
        self.duplicates += taking.count("duplicate")
        self.facts += len(reflection.facts)
        _add(self.refined, refined.done)
        _add(self.dropped, reflection.dropped)
        _add(self.dropped, refined.dropped)


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number
