"""Set a workspace up, and take every trace of that back: what is to be done to which file, and doing it.

Other people's files stay theirs: only our entries come and go, what does not parse or leads out of the workspace
is named and left, and each file is replaced in one step. What we made is written down before it is made.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from agent_memory.app import ingest, project, rule
from agent_memory.app.container import App
from agent_memory.app.ingest import Options, Tally
from agent_memory.app.parts import Part as Part
from agent_memory.app.parts import added, carried_out, part_of, remember, removed
from agent_memory.app.spoken import language_of as language_of
from agent_memory.editors.table import COMMAND, INTEGRATIONS, Integration
from agent_memory.errors import UsageError
from agent_memory.system import files, locks
from agent_memory.system.paths import PROJECT_FILE, find_memory
from agent_memory.vault.templates import seeds

HOOKS: Final = "hooks"
NAMES: Final = tuple(dict.fromkeys(row.name for row in INTEGRATIONS))
EDITORS: Final = tuple(dict.fromkeys(editor for row in INTEGRATIONS for editor in row.editors))
_PASSING: Final = ("VIRTUAL_ENV", "UV_CACHE_DIR", "XDG_CACHE_HOME")
_CACHES: Final = frozenset({".cache", "Caches", "cache"})
WITHOUT_US: Final = frozenset({"missing", "left alone"})
"""How a file stands that has nothing of ours, as far as anybody can tell."""
_INSTALL: Final = "Install it for good: pipx install agent-memory, or uv tool install agent-memory"


@dataclass(frozen=True, slots=True)
class Done:
    """What a setup came to: each part, and what was found in the chats of the past."""

    parts: tuple[Part, ...]
    tally: Tally


def rows_for(editor: str | None, only: Sequence[str], without: Sequence[str]) -> tuple[Integration, ...]:
    """Return the parts that are meant; an optional one must be named.

    Raises:
        UsageError: There is no such editor or part.
    """
    for name, known in [(editor, EDITORS), *((name, NAMES) for name in (*only, *without))]:
        if name is not None and name not in known:
            raise UsageError(f"There is no {name!r} to set up.", hint=f"Known are {', '.join(known)}.", name=name)
    rows = [row for row in INTEGRATIONS if editor is None or editor in row.editors]
    wanted = [row for row in rows if row.name in only or not (only or row.optional)]
    return tuple(row for row in wanted if row.name not in without)


def plan(app: App, rows: Iterable[Integration]) -> tuple[Part, ...]:
    """Say how each part stands and what setting it up would do; look, and change nothing.

    Raises:
        UsageError: This is the home folder, which is no project.
    """
    if app.workspace == app.places.home:
        raise UsageError("This is your home folder, not a project.", hint="Go to a project's folder.")
    return tuple(part_of(app, row, added) for row in rows)


def plan_removal(app: App) -> tuple[Part, ...]:
    """Say how each part stands and what taking it back would do."""
    return tuple(part_of(app, row, removed) for row in INTEGRATIONS)


def init(
    app: App, rows: Sequence[Integration], *, advance: Callable[[int, int], None] = lambda done, total: None
) -> Done:
    """Make the vault, integrate the editors, take the backlog once. Doing it again changes nothing.

    Args:
        app: The product.
        rows: The parts to set up.
        advance: Told how many conversations are done, of how many.

    Raises:
        AgentMemoryError: The vault cannot be made, or somebody else keeps setting up.
    """
    app.vault.prepare()
    if app.shelf.project_text() == seeds(app.workspace, app.settings.text("vault.language"), new=True)[PROJECT_FILE]:
        project.refresh(app, dry=False)
    with _alone(app):
        parts = plan(app, rows)
        remember(app, {part.row.path: part.note for part in parts if part.note and part.changes})
        done = tuple(carried_out(app, part) for part in parts)
    if any(row.live or row.name == HOOKS for row in rows):
        files.make_folder(app.folder.briefings)
    idle_after = timedelta(minutes=app.settings.number("process.threshold_min"))
    tally = ingest.process(app, Options(agent=app.agent, idle_after=idle_after), advance=advance)
    rule.refresh(app)
    return Done(done, tally)


def uninstall(app: App) -> tuple[Part, ...]:
    """Take our entries and files out of the workspace again; the vault stays as it is."""
    if not app.folder.machine.is_dir():
        return tuple(carried_out(app, part) for part in plan_removal(app))
    with _alone(app):
        parts = plan_removal(app)
        done = tuple(carried_out(app, part) for part in parts)
        remember(app, {part.row.path: part.note for part in done if part.why and part.note}, anew=True)
        if not rule.record(app):  # no other workspace tells of this memory
            files.remove_folder(app.folder.briefings)
    return done


@contextlib.contextmanager
def _alone(app: App) -> Iterator[None]:
    """Keep others out of the editors' files: who sets up, and who writes the rule, such as a watcher."""
    timeout_s = app.settings.number("vault.lock_timeout_s")
    with (
        locks.locked(app.folder.setup_lock, timeout_s=timeout_s),
        locks.locked(app.folder.briefing_lock, timeout_s=timeout_s),
    ):
        yield


def standing(app: App) -> list[Part]:
    """Return the files that we set up, as they stand; an optional one only where it was asked for."""
    parts = (part_of(app, row, added) for row in INTEGRATIONS)
    return [part for part in parts if not (part.row.optional and part.state == "missing")]


def obstacle(app: App) -> str:
    """Say why an editor would not find this memory, or the program that its tasks call; empty if it would."""
    here = find_memory(
        app.places._replace(cwd=app.workspace), flag=None, environment={},
        separate=app.settings.flag("workspace.separate_worktrees"),
    )  # fmt: skip
    if here.root.resolve() != app.folder.root.resolve():
        return f"Your editor will use {here.root}, which is where it looks, and not {app.folder.root}."
    found = shutil.which(COMMAND, path=app.environment.get("PATH"))
    if found is None:
        return f"`{COMMAND}` is not on your PATH, so that no editor finds it. {_INSTALL}"
    real = Path(found).resolve()
    named = [tempfile.gettempdir(), *filter(None, map(app.environment.get, _PASSING))]
    if any(real.is_relative_to(Path(folder).resolve()) for folder in named) or not _CACHES.isdisjoint(real.parts):
        return f"`{COMMAND}` is installed only for a while, in {real.parent}. {_INSTALL}"
    return ""
