"""Votes: what people and models say of an entry, and how that fades. Pure.

The comment has the score as it was when last voted, and when that was; what is left of it today is worked out
from the time that has passed, so nothing needs to run for votes to fade, and running often changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

Direction = Literal["up", "down"]

VOTES: Final = "votes"
VOTED: Final = "voted"
MOST: Final = 50.0
EVERY: Final = timedelta(hours=6)
NOTHING: Final = 0.05


@dataclass(frozen=True, slots=True)
class Votes:
    """A score, and when it was that; one without a time, as a person may write it, does not fade."""

    score: float = 0.0
    at: datetime | None = None


NO_VOTES: Final = Votes()


@dataclass(frozen=True, slots=True)
class Fading:
    """The present, and what part of a score is left after each six hours."""

    now: datetime
    decay: float = 0.95

    def left(self, votes: Votes) -> float:
        """Return what is left of a score; next to nothing is nothing, and a time to come counts as now."""
        if votes.at is None:
            return votes.score
        left: float = votes.score * self.decay ** (max(self.now - votes.at, timedelta()) / EVERY)
        return left if abs(left) >= NOTHING else 0.0

    def of(self, meta: Mapping[str, str]) -> float:
        """Return what is left of an entry's score, given its comment."""
        return self.left(read(meta))

    def cast(self, meta: Mapping[str, str], direction: Direction, most: float = MOST) -> dict[str, str | None]:
        """Return what a vote makes of a comment; at the limit nothing of it changes."""
        before = self.of(meta)
        after = max(-most, min(before + (1 if direction == "up" else -1), most))
        if after == before:
            return {}
        shown = f"{after:.3f}".rstrip("0").rstrip(".")
        is_none = abs(after) < NOTHING
        moment = self.now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return {VOTES: None if is_none else shown, VOTED: None if is_none else moment}


def read(meta: Mapping[str, str]) -> Votes:
    """Return the votes that a comment has; what is no number counts for none, what is no time as never fading."""
    if VOTES not in meta and VOTED not in meta:
        return NO_VOTES
    try:
        score = float(meta.get(VOTES, "0"))
    except ValueError:
        return Votes()
    try:
        at = datetime.fromisoformat(meta.get(VOTED, ""))
    except ValueError:
        at = None
    known = at if at is not None and at.tzinfo is not None else None
    return Votes(max(-MOST, min(score, MOST)), known) if math.isfinite(score) else Votes()
