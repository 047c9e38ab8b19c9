"""What hooks leave behind for each other and for ``doctor``: small, bounded, and without a word of any memory."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from agent_memory.interfaces.hook.payload import Event
from agent_memory.system.clock import SystemClock
from agent_memory.system.paths import MemoryFolder

MAX_LOG_BYTES: Final = 64_000
"""Of two files, the older of which is dropped."""
CLAIM_S: Final = 5.0
"""So long an event is the same event; two hooks for it run within a second of each other."""


def is_first(folder: MemoryFolder, event: Event) -> bool:
    """Tell whether no other hook has answered this very event; no two are told so, and nobody waits.

    An editor runs every hook that is registered for an event, from a project's file, the user's and other programs'.
    """
    from agent_memory.model.ids import digest

    told_apart = map(event.text, ("generation_id", "tool_use_id", "prompt"))
    same = digest(event.name, event.session, *told_apart, *event.files())
    path = folder.briefings / f".{same}.told"
    try:
        _drop_old(folder)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:  # a disk that is full or may only be read: rather twice than never
        return True
    return True


def note(folder: MemoryFolder, event: str, said: str, *, failed: bool, ms: int) -> None:
    """Append what was answered to the log; a log that cannot be written is nobody's trouble."""
    line = {"at": SystemClock().now().isoformat(timespec="seconds"), "event": event, "said": said, "ms": ms}
    path = folder.hook_log
    with suppress(OSError):
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            path.replace(path.with_suffix(".old"))
        _write(path, json.dumps(line | {"failed": True} if failed else line) + "\n", os.O_APPEND)


def wake(folder: MemoryFolder, event: str) -> None:
    """Let the watcher look at once, if there is one."""
    _write(folder.wake, f"{event}\n", os.O_TRUNC)


def _write(path: Path, text: str, flag: int) -> None:
    """Write to a file of ours, but through no link: a repository may have brought one along."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY | flag | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _drop_old(folder: MemoryFolder) -> None:
    oldest = SystemClock().now().timestamp() - CLAIM_S
    for path in folder.briefings.glob(".*.told"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
