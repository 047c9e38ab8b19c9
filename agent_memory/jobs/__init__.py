"""Upkeep: each job decides purely what to do, does it idempotently, and can say what it would do.

``JOBS`` is the one list of what runs by itself, and says when.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agent_memory.state.store import Run


@dataclass(frozen=True, slots=True)
class Job:
    """A job: due at the watcher's start, and ``every`` so often or ``after`` so many additions, if there were any.

    One whose ``after`` is 0 goes by the clock alone: due once ``every`` has passed, at the start too if not before.
    """

    name: str
    every: timedelta
    after: int


JOBS: Final = (
    Job("compact", every=timedelta(minutes=10), after=50),
    Job("vectors", every=timedelta(minutes=1), after=20),
    Job("consolidate", every=timedelta(hours=6), after=0),
)


def is_due(job: Job, last: Run | None, additions: int, now: datetime, *, starting: bool) -> bool:
    """Tell whether ``job`` should run now; a last run in the future, by a clock that was wrong, counts for none."""
    is_time = last is None or not timedelta(0) <= now - last.at < job.every
    if job.after == 0:
        return is_time
    return starting or additions >= job.after or (additions > 0 and is_time)
