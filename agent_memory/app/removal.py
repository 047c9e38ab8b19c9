"""Take the memory itself away, for good, once its owner says so: what is ours in its folder and nothing else.

Whatever stands there and is no page, no file that every vault has and nothing that the machine keeps for itself is
somebody else's, such as conversations that a dashboard writes: it stays, and so does the folder it stands in.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_memory.app import rule
from agent_memory.app.container import App
from agent_memory.app.watch import watchers_of
from agent_memory.errors import UsageError
from agent_memory.system import files, locks
from agent_memory.system.paths import CONFIG_FILE, MEMORY_FOLDER, PROJECT_FILE, TAKEN_FILE
from agent_memory.vault import templates
from agent_memory.vault.layout import ref_of

DEPTH: Final = 20
"""Levels of folders that are looked through; whatever lies deeper stays."""


@dataclass(frozen=True, slots=True)
class Purge:
    """What of a memory's folder goes, beside what the machine keeps for itself, and what stays; by relative path."""

    gone: tuple[str, ...]
    kept: tuple[str, ...]


def plan(app: App) -> Purge:
    """Say what would go and what would stay; look, and change nothing.

    Raises:
        UsageError: It is no memory, not this workspace's own, or somebody uses it.
    """
    root = app.folder.root
    if not root.resolve().is_relative_to(app.workspace.resolve()) or root.is_symlink():
        hint = "Go to the folder that it belongs to, or delete it by hand."
        raise UsageError(f"{root} is not this workspace's own.", hint=hint, path=str(root))
    if not (app.folder.machine.is_dir() or root.name == MEMORY_FOLDER):
        raise UsageError(f"{root} is no memory folder.", hint="Delete it by hand if you want to.", path=str(root))
    if watchers := watchers_of(app):
        raise UsageError(f"The memory is being watched by {', '.join(watchers)}.", hint="End the watcher first.")
    if others := sorted(set(rule.record(app)) - {str(app.workspace)}):
        raise UsageError(
            f"The memory serves {', '.join(others)} too.", hint="Run `agent-memory uninstall` there first."
        )
    found = ["/".join(parts) for parts in files.walk(root, DEPTH, lambda error: None)]
    held = sorted(path for path in found if not path.startswith(f"{app.folder.machine.name}/"))
    gone = tuple(path for path in held if _is_ours(app, path))
    return Purge(gone, tuple(path for path in held if path not in gone))


def purge(app: App) -> Purge:
    """Delete what ``plan`` says, and the folders that are empty then.

    Raises:
        UsageError: As for ``plan``.
        LockTimeout: Somebody else is writing.
    """
    root, machine = app.folder.root, app.folder.machine
    app.close()
    if not machine.is_dir():
        return _deleted(app)
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        done = _deleted(app)
    files.remove_folder(machine)
    files.remove_empty(root)
    return done


def _deleted(app: App) -> Purge:
    root, planned = app.folder.root, plan(app)
    for path in planned.gone:
        files.remove(root / path)
    folders = {parent for path in planned.gone for parent in Path(path).parents}
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        files.remove_empty(root / folder)
    files.remove_empty(app.folder.conversations)
    return planned


def _is_ours(app: App, path: str) -> bool:
    if path in (PROJECT_FILE, CONFIG_FILE, TAKEN_FILE) or ref_of(path):
        return True
    texts = [templates.seeds(app.workspace, language, new=True).get(path) for language in ("en", "pt")]
    return any(texts) and files.read_text(app.folder.root / path) in texts
