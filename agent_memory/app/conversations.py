"""Where this workspace's conversations are, and what in them nobody could read so far."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from agent_memory.app.container import App
from agent_memory.app.tally import UNCLEAR, Alarm, alarms_of
from agent_memory.errors import FileError
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.sources import SOURCES, source_named, wsl
from agent_memory.sources.base import Source
from agent_memory.system import files
from agent_memory.tailing.projects import Verdict, judge_projects


@dataclass(frozen=True, slots=True)
class Options:
    """How a run should read.

    ``transcripts`` names a folder to read instead of the workspace's own; ``full`` ignores bookmarks;
    ``dry`` decides everything and writes nothing. ``follow`` is off where files lie elsewhere than the editor
    has them, copies perhaps: then bookmarks are neither read nor set, and keys alone tell what is taken already.
    """

    agent: str
    idle_after: timedelta
    transcripts: Path | None = None
    sources: tuple[Source, ...] = SOURCES
    full: bool = False
    dry: bool = False
    follow: bool = True
    verb: str = "process"


def transcript_folders(app: App, options: Options) -> list[Path]:
    """Return the folders that hold this workspace's conversations, or the one that was named.

    Raises:
        FileError: The named folder is a file, or the editor's own cannot be listed.
    """
    return folders_and_unclear(app, options)[0]


def folders_and_unclear(app: App, options: Options) -> tuple[list[Path], list[Alarm]]:
    """Return the transcript folders, and an alarm for each project of which nobody can tell whether it is ours.

    Raises:
        FileError: The named folder is a file, or the editor's own cannot be listed.
    """
    if options.transcripts is not None:
        return [_named(app, options.transcripts)], []
    found = list(judged(app, options.sources))
    in_memory = any(source.projects is None for source in options.sources)
    own = [app.folder.conversations] if in_memory and files.is_folder(app.folder.conversations) else []
    ours = [verdict.transcripts for _, verdict in found if verdict.ours == "yes"]
    return ours + own, [
        Alarm(source.name, f"{UNCLEAR}: {verdict.folder}. {verdict.why}", 1)
        for source, verdict in found
        if verdict.ours == "unclear"
    ]


def _named(app: App, transcripts: Path) -> Path:
    named = app.places.named(transcripts)
    if named.exists() and not named.is_dir():
        raise FileError(f"{named} is a file, not a folder of transcripts.", hint="Name its folder.", path=str(named))
    return named


def judged(app: App, sources: tuple[Source, ...] = SOURCES) -> Iterator[tuple[Source, Verdict]]:
    """Yield the project folders of each source that have to do with this workspace, and whose they are.

    Raises:
        FileError: The folder that holds the projects cannot be listed.
    """
    data_dir, inside = app.environment.get("CURSOR_DATA_DIR") or None, app.environment.get(wsl.VARIABLE, "")
    home, workspace = str(app.places.home), str(_as_opened(app))
    for source in sources:
        for one in judge_projects(source, home=home, data_dir=data_dir, workspace=workspace, distribution=inside):
            yield source, one


def _as_opened(app: App) -> Path:
    """Return the workspace as the shell spells it: an editor names its folder for the link that was opened."""
    shell = app.places.cwd / app.environment.get("PWD", "")
    real = os.path.realpath(app.workspace)
    return next((path for path in (shell, *shell.parents) if os.path.realpath(path) == real), app.workspace)


def sources_named(name: str | None) -> tuple[Source, ...]:
    """Return the source called ``name``, all of them if None.

    Raises:
        UsageError: There is no such source.
    """
    return SOURCES if name is None else (source_named(name),)


def standing_alarms(app: App, options: Options, found: tuple[ConversationFile, ...]) -> list[Alarm]:
    """Return unclear projects, and in how many of ``found`` what could not be read, as their bookmarks tell."""
    sources = {file.conversation: file.source for file in found}
    marked = app.state.bookmarks() if app.folder.state.exists() else []
    kinds = ((bookmark, kind) for bookmark in marked for kind in bookmark.alarms)
    counts = Counter((sources[one.conversation], kind) for one, kind in kinds if one.conversation in sources)
    return folders_and_unclear(app, options)[1] + alarms_of(counts)


def is_idle(identity: FileIdentity | None, *, now: datetime, idle_after: timedelta) -> bool:
    """Tell whether nobody has written to a file for long enough; a time as far in the future says as much."""
    return identity is not None and abs(int(now.timestamp() * 1e9) - identity.mtime_ns) >= (
        idle_after.total_seconds() * 1e9
    )
