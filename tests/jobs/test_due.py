"""When a job runs by itself."""

from datetime import UTC, datetime, timedelta

import pytest

from agent_memory.jobs import JOBS, Job, is_due
from agent_memory.state.store import Run

NOW = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)
JOB = Job("compact", every=timedelta(minutes=10), after=50)


@pytest.mark.parametrize(
    ("ago_min", "additions", "starting", "due"),
    [
        (1, 0, True, True),
        (1, 50, False, True),
        (1, 49, False, False),
        (10, 1, False, True),
        (10, 0, False, False),
        (None, 1, False, True),
        (-60 * 24 * 365, 1, False, True),
    ],
)
def test_it_is_due_at_the_start_after_many_additions_and_after_a_while(ago_min, additions, starting, due):
    last = None if ago_min is None else Run("compact", NOW - timedelta(minutes=ago_min), {})

    assert is_due(JOB, last, additions, NOW, starting=starting) == due


def test_every_job_can_be_run():
    from agent_memory.app.maintain import RUNS

    assert set(RUNS) == {job.name for job in JOBS}
