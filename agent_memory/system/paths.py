"""Every folder and file name in the product, and the rule that finds the memory folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from agent_memory.errors import FileError

MEMORY_FOLDER: Final = ".memory"
PROJECT_FILE: Final = "_project.md"
CONFIG_FILE: Final = "config.toml"
TAKEN_FILE: Final = "taken.jsonl"
EXCLUDED_FILE: Final = "excluded.txt"
CONVERSATIONS_FOLDER: Final = "conversations"
ARCHIVE_FOLDER: Final = "archive"
APP_NAME: Final = "agent-memory"
USER_AGENT: Final = "user"
"""The agent whose pages hold what is the user's, in the user's own vault."""


class Places(NamedTuple):
    """Where the user is and where the operating system keeps things for them."""

    home: Path
    cwd: Path
    config_dir: Path
    data_dir: Path

    @classmethod
    def discover(cls, environment: Mapping[str, str]) -> Places:
        """Ask platformdirs and the process; ``XDG_*`` and ``HOME`` count as they do everywhere."""
        import platformdirs

        return cls(
            home=Path(environment.get("HOME") or environment.get("USERPROFILE") or _home()),
            cwd=Path.cwd(),
            config_dir=Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)),
            data_dir=Path(platformdirs.user_data_dir(APP_NAME, appauthor=False)),
        )

    def named(self, path: str | Path) -> Path:
        """Return the path that a person names from here; ``FileError`` where ``~`` stands for no home."""
        try:
            return self.cwd / Path(path).expanduser()
        except RuntimeError as error:
            raise FileError(
                f"{path} names no home that there is.", hint="Write the path out.", path=str(path)
            ) from error

    def moved_to(self, folder: Path) -> Places:
        """Return the same user standing in another folder; ``FileError`` if it is none."""
        target = self.named(folder).resolve()
        if not target.is_dir():
            raise FileError(f"{folder} is not a folder.", hint="Name the folder of a project.", path=str(folder))
        return self._replace(cwd=target)

    @property
    def user_config(self) -> Path:
        """The user's own settings file."""
        return self.config_dir / CONFIG_FILE

    @property
    def user_memory(self) -> MemoryFolder:
        """The user's own vault: facts about the person, and notes for all projects."""
        return MemoryFolder(self.data_dir / "memory")


class MemoryFolder:
    """The names inside one memory folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / PROJECT_FILE  # the page that every agent shares
        self.config = root / CONFIG_FILE
        self.taken = root / TAKEN_FILE
        self.excluded = root / EXCLUDED_FILE  # which conversations are never taken, a pattern a line
        self.conversations = root / CONVERSATIONS_FOLDER  # chats that dashboards write
        self.machine = machine = root / ".vault"  # what the machine keeps for itself
        self.state = machine / "state.sqlite3"
        self.mirror = machine / "mirror.sqlite3"
        self.journal = machine / "journal.jsonl"
        self.lock = machine / "vault.lock"  # held while pages are written
        self.briefing_lock = machine / "briefing.lock"  # held while the rules that carry a briefing are written
        self.setup_lock = machine / "setup.lock"
        self.pause = machine / "pause.json"  # since when nothing is taken, and what had been said by then
        self.setup = machine / "setup.json"  # what was put into editors' files, by workspace
        self.checkpoints = machine / "checkpoints"  # saved chats that can be resumed
        self.chat_sessions = machine / "chat-sessions.json"  # which chat each agent was last in
        self.briefings = machine / "briefing"  # what hooks tell: the briefing of the moment, by agent
        self.hooks = self.briefings / "hook.json"  # what hooks must know besides, since they read no settings
        self.hook_log = machine / "hooks.log"  # what they last answered, and why not
        self.wake = machine / "wake"  # touched by who wants the watcher to look at once
        self.backups = machine / "backups"  # what the doctor has mended, as it was before
        self.drafts = machine / "drafts"  # words that an editor was opened on
        self.compact_log = machine / "compact-log.json"

    def watch_lock(self, name: str) -> Path:
        """Held by the watcher of one workspace folder."""
        return self.machine / f"watch-{name}.lock"


def find_memory(
    places: Places, *, flag: str | None, environment: Mapping[str, str], separate: bool = False
) -> MemoryFolder:
    """Find the memory folder; nothing is created. ``FileError`` if a file is in its place.

    The order: ``--dir``, ``AGENT_MEMORY_DIR`` (empty counts as unset), the nearest ``.memory`` upwards
    but never above the repository's root nor in HOME itself, ``.memory`` at the repository's root or
    else here. In a linked worktree the main worktree's comes first, unless it is to be ``separate``.
    """
    named = flag or environment.get("AGENT_MEMORY_DIR")
    root = places.named(named) if named else _found(places, separate=separate)
    if root.exists() and not root.is_dir():
        raise FileError(f"{root} is a file, not a memory folder.", hint="Name a folder with --dir.", path=str(root))
    return MemoryFolder(root)


def repository_root(start: Path) -> Path | None:
    """Return the nearest folder from ``start`` upwards that holds ``.git``, None outside a repository."""
    return next((folder for folder in (start, *start.parents) if _is_there(folder / ".git")), None)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return False  # a folder that we may not enter is nobody's repository to us


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileError("There is no home folder for this user.", hint="Set HOME.") from error


def main_worktree(root: Path) -> Path | None:
    """Return the main worktree of the linked one at ``root``, read from git's own files; None for any other folder.

    Git keeps in a linked worktree a file ``.git`` that names its private folder, and there a file
    ``commondir`` that names the repository's; a submodule has no such file.
    """
    try:
        private = root / (root / ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        common = (private / (private / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    return common.parent if common.name == ".git" and common.is_dir() else None


def _found(places: Places, *, separate: bool) -> Path:
    root = repository_root(places.cwd)
    if root == places.home:
        root = None
    main = main_worktree(root) if root and not separate else None
    main = None if main == places.home else main
    shared = main / places.cwd.relative_to(root) if root and main else None
    return (
        (_nearest(shared, main, places.home) if shared else None)
        or _nearest(places.cwd, root, places.home)
        or (main or root or places.cwd) / MEMORY_FOLDER
    )


def _nearest(start: Path, root: Path | None, home: Path) -> Path | None:
    candidates = (folder / MEMORY_FOLDER for folder in _upwards(start, root, home))
    return next((folder for folder in candidates if folder.is_dir() and _is_ours(folder)), None)


def _upwards(start: Path, ceiling: Path | None, home: Path) -> Iterator[Path]:
    for folder in (start, *start.parents):
        if folder == home:
            return
        yield folder
        if folder == ceiling:
            return


def _is_ours(folder: Path) -> bool:
    """Distrust a ``.memory`` that another user left in a shared parent such as ``/tmp``."""
    import os

    getuid = getattr(os, "getuid", None)
    return getuid is None or folder.stat().st_uid == getuid()


def templates_dir() -> Path:
    """Return the folder of vault templates: inside the wheel, or at the root of a checkout."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "_vault_templates"
    return shipped if shipped.is_dir() else package.parent / "vault_templates"
