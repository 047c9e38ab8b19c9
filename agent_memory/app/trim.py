"""Dashboards' conversation files, cut to their newest messages once everything in them is in the vault.

What a file says is taken first, handoff and all, and it is cut only if it is still word for word what was taken: a
host that writes to it meanwhile keeps all of it, and the next compaction sees to it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from agent_memory.app.container import App
from agent_memory.app.conversations import Options
from agent_memory.app.intake import Intake, is_idle
from agent_memory.app.tally import Tally, Trouble
from agent_memory.errors import AgentMemoryError, PageConflict
from agent_memory.extraction import Memo, handoff
from agent_memory.model.transcript import ConversationFile
from agent_memory.sessions.conversation import trimmed
from agent_memory.sources.dashboard import DASHBOARD
from agent_memory.system import files
from agent_memory.tailing.chat import is_taken
from agent_memory.tailing.scan import scan
from agent_memory.vault.store import View


@dataclass(slots=True)
class Trims:
    """How many messages went out of which files, or would, what could not be read, and the vault that is foreseen."""

    removed: dict[str, int] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)
    foreseen: View | None = None


def trim(app: App, *, dry_run: bool) -> Trims:
    """Trim every conversation that is long and still; ``dry_run`` says which it would be."""
    done, found = Trims(), scan([app.folder.conversations], [DASHBOARD])
    ripe = {file: removable for file in found.files if (removable := _removable(app, file, done))}
    if dry_run:
        done.removed = {Path(file.path).name: removable for file, removable in ripe.items()}
        _take(app, list(ripe), done, dry=True)
        return done
    if files.is_folder(app.folder.conversations):
        files.sweep(app.folder.conversations)
    _take(app, list(ripe), done, dry=False)
    for file in ripe:
        with contextlib.suppress(PageConflict):
            _cut(app, file, done)
    return done


def _removable(app: App, file: ConversationFile, done: Trims) -> int:
    """Return how many messages of a file could go; none while somebody may be writing to it, or if it is a link."""
    path, still = Path(file.path), timedelta(seconds=app.settings.number("compact.still_s"))
    try:
        identity = files.identify(path)
        if path.is_symlink() or not is_idle(identity, now=app.clock.now(), idle_after=still):
            return 0
        snapshot = files.read(path)
    except AgentMemoryError as error:
        done.troubles.append(Trouble(file.path, None, error.message))
        return 0
    cut = trimmed(snapshot.data, app.settings.count("compact.max_messages")) if snapshot else None
    return cut.removed if cut else 0


def _take(app: App, ripe: list[ConversationFile], done: Trims, *, dry: bool) -> None:
    tally, still = Tally(), timedelta(seconds=app.settings.number("compact.still_s"))
    intake = Intake(app, Options(app.agent, still, dry=dry, verb="compact"), tally)
    view = app.vault.view(partial=True) if ripe else View()
    for file in ripe:
        bookmark = None if dry else app.state.bookmark(file.conversation)
        written = handoff(Memo.from_json(bookmark.marks[-1].memo)) if bookmark and bookmark.marks else None
        if written and not (view.by_key(written.key) or view.taken.by_key(written.key)):
            app.state.forget(file.conversation)  # the vault is older than the bookmark, and the vault counts
        intake.take(file)
    intake.flush()
    done.foreseen = intake.foreseen
    done.troubles += [trouble for trouble in tally.errors if trouble.line is None]


def _cut(app: App, file: ConversationFile, done: Trims) -> None:
    path = Path(file.path)
    snapshot = files.read(path)
    if snapshot is None or not is_taken(snapshot.data, file.source, app.state.bookmark(file.conversation)):
        return
    cut = trimmed(snapshot.data, app.settings.count("compact.max_messages"))
    if cut is not None:
        files.replace(path, cut.data, expected=snapshot.identity)
        done.removed[path.name] = cut.removed
