"""The project: the page that every agent shares, and which chats on this computer are about it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agent_memory.app.container import App
from agent_memory.app.conversations import judged
from agent_memory.errors import FileError
from agent_memory.redaction import redact


def edit(app: App) -> Path:
    """Open the page in ``$VISUAL`` or ``$EDITOR`` and wait until the editor is closed.

    Raises:
        FileError: The editor is not there, or ended with an error.
    """
    app.vault.prepare()
    path = app.folder.project
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = app.environment.get("VISUAL") or app.environment.get("EDITOR") or fallback
    try:
        ended = subprocess.run([*shlex.split(command), str(path)], check=False)  # noqa: S603  the user named it
    except OSError as error:
        raise FileError(f"The editor {command!r} cannot be started.", hint="Set EDITOR.", command=command) from error
    if ended.returncode:
        raise FileError(
            f"The editor ended with {ended.returncode}.", hint="The page is as it left it.", command=command
        )
    return path


def replace(app: App, text: str) -> int:
    """Replace the page by ``text``; return how many secrets were taken out of it first."""
    redacted = redact(text)
    app.vault.write_project(redacted.text)
    return redacted.count


@dataclass(frozen=True, slots=True)
class Explained:
    """A folder that may hold this workspace's chats: ``ours`` is yes, no or unclear, and why."""

    source: str
    folder: str
    ours: str
    why: str


def explain(app: App) -> list[Explained]:
    """Say which folders hold chats of this workspace, and which that look like it do not; look into none of them.

    Raises:
        FileError: The folder that holds an editor's projects cannot be listed.
    """
    found = [Explained(source.name, str(one.folder), one.ours, one.why) for source, one in judged(app)]
    chats = app.folder.conversations
    if chats.is_dir():
        found.append(Explained("dashboard", str(chats), "yes", "It is in this workspace's memory folder."))
    return found
