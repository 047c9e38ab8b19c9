"""What is set up and how things stand; looking changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from agent_memory.app.container import App
from agent_memory.app.conversations import Options, standing_alarms, transcript_folders
from agent_memory.app.doctor import pages
from agent_memory.app.hearing import pause_of
from agent_memory.app.setup import standing
from agent_memory.app.watch import watcher_of
from agent_memory.tailing.scan import scan


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
    paused_since: str | None
    entries: dict[str, dict[str, int]]
    warnings: tuple[str, ...]
    editor_files: dict[str, str]


def status(app: App) -> Status:
    """Look at everything and change nothing."""
    options = Options(agent=app.agent, idle_after=timedelta(0))
    folders = transcript_folders(app, options)
    conversations = scan(folders).files
    found = {file.conversation for file in conversations}
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
        paused_since=since.isoformat(timespec="seconds") if (since := pause_of(app).since) else None,
        entries={agent: dict(sorted(held.items())) for agent, held in counts.items()},
        warnings=(
            *(f"{finding.where}: {finding.what}" for finding in pages(view)),
            *(alarm.sentence for alarm in standing_alarms(app, options, conversations)),
        ),
        editor_files={part.row.path: part.state for part in standing(app)},
    )


def _taken(app: App) -> set[str]:
    if not app.folder.state.exists():
        return set()
    return {bookmark.conversation for bookmark in app.state.bookmarks()}
