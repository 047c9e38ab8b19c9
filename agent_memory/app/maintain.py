"""Upkeep: the jobs, when they are due, and what each did.

A job that fails is reported by whoever runs it; it costs itself and is tried again when it is next due.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from agent_memory.app.container import App
from agent_memory.jobs import JOBS, is_due
from agent_memory.jobs.compact import Limits, expired_checkpoints, halfway_moves, plan_compaction
from agent_memory.model.memory import Batch
from agent_memory.system import files
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Compaction:
    """What one compaction did, or would do."""

    checkpoints_expired: int
    entries_archived: int
    moves_finished: int
    mirror_entries: int
    mirror_repaired: bool
    dry_run: bool


def compact(app: App, *, dry_run: bool) -> Compaction:
    """Finish interrupted moves, move what is over the limit to the archive, drop expired checkpoints, check the mirror.

    A vault that does not exist is not made.
    """
    limits = Limits(
        max_entries=app.settings.count("compact.max_entries"),
        keep_entries=app.settings.count("compact.keep_entries"),
        checkpoint_days=app.settings.count("compact.checkpoint_days"),
    )
    expired = expired_checkpoints(app.folder.checkpoints, now=app.clock.now(), days=limits.checkpoint_days)
    finished = _move(app, halfway_moves, dry_run=dry_run)
    archived = _move(app, lambda view: plan_compaction(view, limits), dry_run=dry_run)
    if dry_run or not app.folder.root.exists():
        return Compaction(len(expired), archived, finished, 0, mirror_repaired=False, dry_run=dry_run)
    for path in expired:
        files.remove(path)
    repaired = app.mirror.repair(app.vault.page_states())
    done = Compaction(len(expired), archived, finished, app.mirror.count(), mirror_repaired=repaired, dry_run=False)
    _remember(app, done)
    return done


def _move(app: App, plan: Callable[[View], Batch], *, dry_run: bool) -> int:
    moves: list[int] = [0]

    def counted(view: View) -> Batch:
        batch = plan(view)
        moves[0] = len(batch.changes)
        return batch

    if dry_run:
        counted(app.vault.view())
    else:
        app.vault.update(counted, verb="compact")
    return moves[0]


def _remember(app: App, done: Compaction) -> None:
    """Note the result where the npm package has it, and as the job's last run."""
    now = app.clock.now()
    text = json.dumps({"timestamp": now.isoformat(), **asdict(done)}, indent=2) + "\n"
    path = app.folder.compact_log
    files.replace(path, text.encode("utf-8"), expected=files.identify(path))
    app.state.record_run("compact", now, asdict(done))


RUNS: Final = {"compact": lambda app: compact(app, dry_run=False)}


def run_due(app: App, additions: int, *, starting: bool) -> list[str]:
    """Run the jobs that are due, in their order, and return their names.

    Args:
        app: The product.
        additions: How many entries were written since these jobs last ran.
        starting: Whether the watcher has just begun.
    """
    if not app.folder.journal.exists():
        return []  # nothing has ever been written, and upkeep is no reason to begin
    now = app.clock.now()
    due = [job.name for job in JOBS if is_due(job, app.state.last_run(job.name), additions, now, starting=starting)]
    for name in due:
        RUNS[name](app)
    return due
