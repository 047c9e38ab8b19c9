"""Turns out of records, one at a time and in constant memory, the same however the file was split.

A record that the editor wrote in the user's name is no turn: it closes the one that is open, and what the
assistant says next begins another, so that a transcript whose status lines were dropped later still falls into
the same turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from agent_memory.model.transcript import Record, Turn
from agent_memory.sources.base import Status


@dataclass(frozen=True, slots=True)
class Setting:
    """What all turns of one reading share.

    ``fallback`` is the time of turns before any time is known. A time after ``now`` counts as now, and
    as approximate, since a clock was wrong.
    """

    conversation: str
    source: str
    from_agent: bool
    fallback: datetime
    now: datetime


class Assembly:
    """The turn that is open, and what has to be known about those before it."""

    def __init__(self, setting: Setting, *, next_ordinal: int = 0, known_time: datetime | None = None) -> None:
        self._setting = setting
        self._ordinal = next_ordinal
        self._records: list[Record] = []
        self._begun_at: datetime | None = None
        self.known_time = known_time

    @property
    def is_open(self) -> bool:
        """Whether records are waiting for their turn to be closed."""
        return bool(self._records)

    def feed(self, event: Record | Status) -> Turn | None:
        """Take the next event and return the turn that it closes, if any."""
        ends = event.ends_turn if isinstance(event, Status) else event.role == "user"
        closed = self.close() if ends or (self._records and self._records[0].role == "user") else None
        if isinstance(event, Record):
            self.known_time = event.said_at or self.known_time
            if not event.injected:
                self._begun_at = self._begun_at if self._records else self.known_time
                self._records.append(event)
        return closed

    def close(self) -> Turn | None:
        """Return the open turn as it stands; None if there is none."""
        if not self._records:
            return None
        at = self._begun_at or self._setting.fallback
        turn = Turn(
            conversation=self._setting.conversation,
            source=self._setting.source,
            ordinal=self._ordinal,
            role=self._records[0].role,
            records=tuple(self._records),
            at=min(at, self._setting.now),
            approximate=self._begun_at is None or at > self._setting.now,
            from_agent=self._setting.from_agent,
        )
        self._ordinal += 1
        self._records = []
        return turn
