"""Upkeep and status: keep the vault lean, and say what is set up and how things stand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta

from agent_memory.app.container import App
from agent_memory.app.ingest import Options, transcript_folders
from agent_memory.app.watch import watcher_of
from agent_memory.jobs.compact import Limits, expired_checkpoints, halfway_moves, plan_compaction
from agent_memory.model.memory import Batch
from agent_memory.system import files
from agent_memory.tailing.scan import scan
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


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand: places, counts, and who is running. ``watcher`` is empty if nobody is."""

    memory_folder: str
    exists: bool
    workspace: str
    agent: str
    transcript_folders: tuple[str, ...]
    conversations_found: int
    conversations_taken: int
    watcher: str
    entries: dict[str, dict[str, int]]
    warnings: tuple[str, ...]


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


def status(app: App) -> Status:
    """Look at everything and change nothing."""
    folders = transcript_folders(app, Options(agent=app.agent, idle_after=timedelta(0)))
    found = {file.conversation for file in scan(folders).files}
    view = app.vault.view()
    counts: dict[str, Counter[str]] = {agent: Counter() for agent in view.agents}
    for memory in view.memories:
        if memory.active:
            counts[memory.page.agent][memory.page.category] += 1
    return Status(
        memory_folder=str(app.folder.root),
        exists=app.folder.root.exists(),
        workspace=str(app.workspace),
        agent=app.agent,
        transcript_folders=tuple(map(str, folders)),
        conversations_found=len(found),
        conversations_taken=len(_taken(app) & found),
        watcher=watcher_of(app),
        entries={agent: dict(sorted(held.items())) for agent, held in counts.items()},
        warnings=tuple(_warnings(view)),
    )


def _warnings(view: View) -> Iterator[str]:
    for path in view.skipped:
        yield f"{path} leads out of the memory folder and is not read."
    if view.taken.skipped:
        yield f"taken.jsonl has {view.taken.skipped} lines that cannot be read; a merge may have left its marks there."


def _taken(app: App) -> set[str]:
    if not app.folder.state.exists():
        return set()
    return {bookmark.conversation for bookmark in app.state.bookmarks()}
