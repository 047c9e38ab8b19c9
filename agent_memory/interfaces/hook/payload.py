"""What an editor sends with an event, read without trust: any bytes give an event, and any field may be missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent_memory.errors import AgentMemoryError
from agent_memory.system.paths import MemoryFolder, Places, find_memory

_DRIVE: Final = re.compile(r"/[A-Za-z]:(?:[/\\]|$)")
_SEPARATOR: Final = re.compile(r"[/\\]+")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_FILE_FIELDS: Final = ("path", "file_path", "target_file", "filePath", "relative_workspace_path", "notebook_path")
_LOOKS_AROUND: Final = frozenset(
    "grep glob ls list_dir shell bash run_terminal_cmd semanticsearch codebase_search".split()
)
"""Tools whose path is where they look, not a file that they read or edit."""
MAX_FILES: Final = 8
MAX_TOKENS: Final = 2_000
MAX_LEFT_BYTES: Final = 1_000_000
_SESSION: Final = re.compile(r"[\w.:-]{1,128}")


class Memory(NamedTuple):
    """A workspace's memory, and what whoever last changed it has left for hooks, who read no settings."""

    folder: MemoryFolder
    left: Mapping[str, Any]

    @property
    def agent(self) -> str:
        """The agent whose memory is told; empty where nothing was left that could be one's name."""
        name = self.left.get("agent")
        return name if isinstance(name, str) and name not in ("", ".", "..") and Path(name).name == name else ""

    @property
    def max_tokens(self) -> int:
        """The budget of a briefing."""
        value = self.left.get("max_tokens")
        return value if isinstance(value, int) else MAX_TOKENS

    def texts(self, field: str) -> list[str]:
        """Return a list of texts; empty where it is none."""
        value = self.left.get(field)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


class Event(NamedTuple):
    """An event, with what came with it; ``environment`` and ``here`` stand for where the hook was started."""

    name: str
    fields: Mapping[str, Any]
    environment: Mapping[str, str]
    here: Callable[[], Path]

    @property
    def session(self) -> str:
        """The conversation; empty where none is named by what could be an id. ``stop`` has no ``session_id``."""
        named = map(self.text, ("conversation_id", "session_id"))
        return next(filter(_SESSION.fullmatch, named), "")

    def text(self, field: str) -> str:
        """Return a field that is a text; empty where it is none."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""

    def roots(self) -> list[Path]:
        """Return the folders that are open, in their order; where none is named, where we were started.

        A hook of the user's own is started in ``~/.cursor``; ``CURSOR_PROJECT_DIR`` says for which project.
        """
        named = self.fields.get("workspace_roots")
        roots = [one for one in named if isinstance(one, str) and one.strip()] if isinstance(named, list) else []
        found = [Path(one[1:] if _DRIVE.match(one) else one) for one in roots]
        return found or [Path(self.environment.get("CURSOR_PROJECT_DIR") or self.here())]

    def memories(self) -> list[Memory]:
        """Return the memory of each open folder that has one, once; the one with the file at hand comes first."""
        found: dict[Path, Memory] = {}
        for root in sorted(self.roots(), key=self._is_elsewhere):
            if memory := _memory_of(root, self.environment):
                found.setdefault(memory.folder.root, memory)
        return list(found.values())

    def files(self) -> list[str]:
        """Return the paths of the files that a tool has just read or edited, as it was told them."""
        given = self.fields.get("tool_input")
        if self.text("tool_name").lower() in _LOOKS_AROUND:
            return []
        texts = [given] if isinstance(given, str) else list(given.values()) if isinstance(given, dict) else []
        patched = [name for text in texts if isinstance(text, str) for name in _PATCHED.findall(text)]
        named = [given.get(field) for field in _FILE_FIELDS] if isinstance(given, dict) else []
        return [one.strip() for one in (*named, *patched) if isinstance(one, str) and one.strip()][:MAX_FILES]

    def _is_elsewhere(self, root: Path) -> bool:
        """Tell whether no file at hand is in ``root``: ``/code/app2`` is not in ``/code/app``, ``C:`` is ``c:``."""
        own = parts_of(str(root).casefold())
        return not any(parts_of(path.casefold())[: len(own)] == own for path in self.files())


def read_payload(data: bytes) -> dict[str, Any]:
    """Return the object that an editor sends: behind any number of BOMs; empty where there is none."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def parts_of(path: str) -> list[str]:
    """Return the names in a path of any system, but the slash before a drive."""
    return [part for part in _SEPARATOR.split(path) if part not in ("", ".")]


def _memory_of(root: Path, environment: Mapping[str, str]) -> Memory | None:
    """Return the memory of a folder if there is one, or of its main worktree unless that says otherwise."""
    try:
        home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "~").expanduser()
        places = Places(home, root, home, home)
        found = _left_in(find_memory(places, flag=None, environment=environment))
        if found.left.get("separate") is True:
            found = _left_in(find_memory(places, flag=None, environment=environment, separate=True))
        machine, own = found.folder.machine, found.folder.root.resolve()
        is_own = machine.is_dir() and machine.resolve().is_relative_to(own)
    except (AgentMemoryError, OSError, ValueError, RuntimeError):  # no path of this system, or none that we may see
        return None
    return found if is_own else None


def read_own(folder: MemoryFolder, path: Path) -> bytes:
    """Return the beginning of a file; nothing where it is none, or a link that leads out of the memory."""
    if not path.is_file() or not path.resolve().is_relative_to(folder.root.resolve()):
        return b""
    with path.open("rb") as file:
        return file.read(MAX_LEFT_BYTES)


def _left_in(folder: MemoryFolder) -> Memory:
    return Memory(folder, read_payload(read_own(folder, folder.hooks)))
