"""Upkeep: the jobs, when they are due, and what each did.

A job that fails is reported by whoever runs it; it costs itself and is tried again when it is next due. Whatever
interrupts one, running it again gives what one undisturbed run would have given.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agent_memory.app.container import App
from agent_memory.app.migrate import held_notes
from agent_memory.app.sessions import cleaner
from agent_memory.app.tally import Trouble
from agent_memory.app.trim import trim
from agent_memory.errors import FileError, ModelError
from agent_memory.jobs import JOBS, Job, is_due
from agent_memory.jobs.compact import Limits, plan_compaction
from agent_memory.model.memory import Batch, Move
from agent_memory.sessions import checkpoint as checkpoints
from agent_memory.system import files, locks
from agent_memory.vault.store import View

VECTORS_AT_ONCE: Final = 16
VECTORS_FOR: Final = timedelta(seconds=2)
"""How long the watcher makes vectors before it looks around again."""


PAGE_EVERY: Final = timedelta(minutes=10)
"""How often a page that is open has the vault compacted."""


@dataclass(frozen=True, slots=True)
class Reindexing:
    """What a new index has: entries, and vectors made for it."""

    entries: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """What one compaction did, or would do: its counts, each thing in words, and what could not be read."""

    checkpoints_cleaned: int = 0
    conversations_trimmed: int = 0
    vault_entries_merged: int = 0
    index_rebuilt: bool = False
    legacy_files_cleaned: int = 0
    plan: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    dry_run: bool = False


STEPS: Final = ("checkpoints", "conversations", "pages", "index")
"""What a compaction does, in its order."""


def compact(
    app: App, *, dry_run: bool, legacy: bool = False, at: Callable[[str], None] = lambda step: None
) -> Compaction:
    """Clean checkpoints, trim conversations, move what is over the limit to the archive, and check the mirror.

    A vault that does not exist is not made.

    Args:
        app: The product.
        dry_run: Say what would be done, and write nothing.
        legacy: Remove flat notes too that are in the vault word for word; nothing does so that runs by itself.
        at: Is told which of the ``STEPS`` begins.
    """
    if not app.folder.root.exists():
        return Compaction(dry_run=dry_run)
    troubles: list[Trouble] = []
    at("checkpoints")
    expired = _expired(app, troubles)
    if not dry_run:
        files.sweep(app.folder.checkpoints)
        for path in expired:
            files.remove(path)
    at("conversations")
    trims = trim(app, dry_run=dry_run)
    at("pages")
    moves = _move(app, troubles, trims.foreseen, dry_run=dry_run)
    old = _old_notes(app, dry_run=dry_run) if legacy else []
    at("index")
    done = Compaction(
        checkpoints_cleaned=len(expired),
        conversations_trimmed=len(trims.removed),
        vault_entries_merged=sum(moves.values()),
        index_rebuilt=not dry_run and app.mirror.repair(app.pages()),
        legacy_files_cleaned=len(old),
        plan=(
            *(f"{path.relative_to(app.folder.root).as_posix()}: expired or broken" for path in expired),
            *(f"conversations/{name}: {count} older messages" for name, count in trims.removed.items()),
            *(f"{page}: {count} entries, to the archive" for page, count in moves.items()),
            *(f"{name}: in the vault, word for word" for name in old),
        ),
        troubles=(*troubles, *trims.troubles),
        dry_run=dry_run,
    )
    if not dry_run:
        app.mirror.optimise()
        _remember(app, done)
    return done


def _old_notes(app: App, *, dry_run: bool) -> list[str]:
    """Remove the flat notes that the vault has word for word, each as soon as that is proven; return their names."""
    names = []
    for path in held_notes(app):
        names.append(path.name)
        if not dry_run:
            files.remove(path)
    return names


def _expired(app: App, troubles: list[Trouble]) -> list[Path]:
    """Return the checkpoints that nobody would recover any more, or that are none."""
    days, now, expired = app.settings.count("compact.checkpoint_days"), app.clock.now(), []
    for path in files.list_folder(app.folder.checkpoints):
        try:
            snapshot = files.read(path) if path.suffix == ".json" else None
        except FileError as error:
            troubles.append(Trouble(str(path), None, error.message))
            continue
        if snapshot and not checkpoints.is_fresh(checkpoints.parse(snapshot.data, path.stem), now=now, days=days):
            expired.append(path)
    return expired


def _move(app: App, troubles: list[Trouble], foreseen: View | None, *, dry_run: bool) -> Counter[str]:
    """Do the work on pages, all in one batch; return how many entries move, by page; of those ``foreseen`` too."""
    limits = Limits(
        max_entries=app.settings.count("compact.max_entries"),
        keep_entries=app.settings.count("compact.keep_entries"),
        summary_chars=app.settings.count("compact.summary_chars"),
        language=app.settings.text("vault.language"),
    )
    moves: Counter[str] = Counter()

    def plan(view: View) -> Batch:
        batch = plan_compaction(view, limits, now=app.clock.now(), clean=cleaner(view))
        moves.clear()
        moves.update(change.page.path for change in batch.changes if isinstance(change, Move))
        return batch

    view = foreseen or app.vault.view(partial=True)
    troubles += [Trouble(str(error.facts["path"]), None, error.message) for error in view.unreadable.values()]
    if dry_run:
        plan(view)
    else:
        app.vault.update(plan, verb="compact", partial=True)
    return moves


def _remember(app: App, done: Compaction) -> None:
    """Note the result where the npm package has it, in its words, and as the job's last run."""
    now = app.clock.now()
    result = {
        "timestamp": now.isoformat(),
        "checkpointsCleaned": done.checkpoints_cleaned,
        "conversationsTrimmed": done.conversations_trimmed,
        "vaultEntriesMerged": done.vault_entries_merged,
        "indexRebuilt": done.index_rebuilt,
        "legacyFilesCleaned": done.legacy_files_cleaned,
    }
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        files.put(app.folder.compact_log, checkpoints.as_json(result))
    app.state.record_run("compact", now, result)


def last_compaction(app: App) -> dict[str, Any] | None:
    """Return what the last compaction did, as its log has it; None if there was none, or the log cannot be read."""
    try:
        found = json.loads(files.read_text(app.folder.compact_log) or "null")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def is_compaction_due(app: App) -> bool:
    """Tell whether the last compaction was so long ago that an open page wants another."""
    last = app.state.last_run("compact") if app.folder.state.exists() else None
    return last is None or not timedelta(0) <= app.clock.now() - last.at < PAGE_EVERY


def reindex(app: App, *, vectors: bool) -> Reindexing:
    """Make the mirror anew, and the vectors that are missing if that is wanted.

    Raises:
        ModelError: Vectors are wanted and cannot be made.
    """
    if vectors and app.encoder is None:
        raise ModelError("There is nothing to make vectors with.", hint="pip install 'agent-memory[semantic]'")
    if not app.folder.root.exists():
        return Reindexing(0, 0)
    app.mirror.rebuild(app.pages())
    return Reindexing(app.mirror.count(), app.mirror.make_vectors() if vectors else 0)


def _some_vectors(app: App) -> None:
    """Make vectors that are missing, for a moment, so that whoever runs this soon goes on."""
    mirror, started, made = app.mirror, app.clock.now(), 0
    while (batch := mirror.make_vectors(VECTORS_AT_ONCE)) and app.clock.now() - started < VECTORS_FOR:
        made += batch
    app.state.record_run("vectors", app.clock.now(), {"vectors": made + batch})


def _consolidate(app: App) -> None:
    from agent_memory.app.consolidate import consolidate

    consolidate(app)


RUNS: Final[dict[str, Callable[[App], object]]] = {
    "compact": lambda app: compact(app, dry_run=False),
    "vectors": _some_vectors,
    "consolidate": _consolidate,
}


def _wanted(app: App) -> list[Job]:
    """Return the jobs that are not switched off, as often as the settings say."""
    hours = app.settings.number("consolidation.interval_h")
    jobs = [replace(job, every=timedelta(hours=hours)) if job.name == "consolidate" else job for job in JOBS]
    return [job for job in jobs if job.name != "consolidate" or app.settings.flag("consolidation.enabled")]


def run_due(
    app: App, additions: int, *, starting: bool, beside: Mapping[str, Callable[[], object]] = MappingProxyType({})
) -> list[str]:
    """Run the jobs that are due, in their order, and return the names of those that have been run.

    Args:
        app: The product.
        additions: How many entries were written since these jobs last ran.
        starting: Whether the watcher has just begun.
        beside: What starts a job, by its name, that somebody else sees to its end.
    """
    if not app.folder.journal.exists():
        return []  # nothing has ever been written, and upkeep is no reason to begin
    now = app.clock.now()
    due = [
        job.name for job in _wanted(app) if is_due(job, app.state.last_run(job.name), additions, now, starting=starting)
    ]
    for name in due:
        _ = beside[name]() if name in beside else RUNS[name](app)
    return [name for name in due if name not in beside]
