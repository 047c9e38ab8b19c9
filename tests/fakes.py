"""Small honest stand-ins for the outside world, passed in where the real thing would be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FrozenClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)) -> None:
        self.moment = start

    def now(self) -> datetime:
        return self.moment

    def advance(self, **kwargs: float) -> None:
        self.moment += timedelta(**kwargs)
