"""An entry in the editor that its reader likes: its words go to a file, and come back once the editor is closed."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agent_memory.app import profile, vault
from agent_memory.app.browse import Found, home_of
from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, FileError, PageConflict
from agent_memory.fabric.facts import fact_of
from agent_memory.fabric.versions import CATEGORY
from agent_memory.model.memory import Memory
from agent_memory.system import files


def run(environment: Mapping[str, str], path: Path) -> None:
    """Open a file in ``$VISUAL`` or ``$EDITOR`` and wait until the editor is closed.

    Raises:
        FileError: The editor is not there, or ended with an error.
    """
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = environment.get("VISUAL") or environment.get("EDITOR") or fallback
    try:
        child = subprocess.Popen([*shlex.split(command), str(path)])  # noqa: S603  the user named it
    except (OSError, ValueError) as error:
        raise FileError(f"The editor {command!r} cannot be started.", hint="Set EDITOR.", command=command) from error
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the editor's while it is open
    try:
        code = child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise FileError(f"The editor ended with {code}.", hint="The text is as it left it.", command=command)


def lay_out(app: App, found: Found) -> Path:
    """Put the words of an entry, of a fact its value, into a file of their own."""
    if not app.shelf.is_prepared():
        app.vault.prepare()
    path = app.folder.drafts / f"{found.memory.id}-{app.clock.now():%Y%m%d%H%M%S%f}.md"
    files.make_folder(path.parent, private=True)
    files.put(path, (_words(found.memory).rstrip("\n") + "\n").encode())
    return path


def take_back(app: App, found: Found, path: Path) -> bool:
    """Make the words in the file those of the entry, and remove the file; tell whether they were changed.

    Raises:
        PageConflict: The entry was changed in the meantime.
        AgentMemoryError: They cannot be stored. Whatever it is, the file stays and is named.
    """
    try:
        words = _left(path).strip("\n")
        changed = _differs(found.memory, words)
        if changed:
            _store(app, found, words)
    except AgentMemoryError as error:
        error.hint = f"Your words are in {path}."
        raise
    files.remove(path)
    return changed


def leave(found: Found, path: Path, error: AgentMemoryError) -> None:
    """Remove the file of an editor that has failed; one with new words in it stays, and the error names it."""
    if _differs(found.memory, files.read_text(path) or ""):
        error.hint = f"Your words are in {path}."
    else:
        files.remove(path)


def _left(path: Path) -> str:
    """Return what an editor left; a ``FileError`` for what is in another encoding, which would be stored as signs."""
    snapshot = files.read(path)
    try:
        return "" if snapshot is None else snapshot.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError("What the editor left is not in UTF-8.", hint="Save it in UTF-8.", path=str(path)) from error


def _differs(memory: Memory, words: str) -> bool:
    return words.strip() not in ("", _words(memory).strip())  # who leaves nothing has thought better of it


def _store(app: App, found: Found, words: str) -> None:
    memory, home = found.memory, home_of(app, found.place)
    page, fact = memory.page, fact_of(memory) if memory.page.category == CATEGORY else None
    if vault.entry(home, page.agent, page.category, memory.id).body != memory.body:
        raise PageConflict("The entry was changed while you were at it.")
    if fact is not None and memory.active:
        profile.set_fact(app, replace(fact, value=words), for_user=found.place == "user", agent=_agent(found))
    else:
        vault.edit(home, page.agent, page.category, memory.id, words)


def _agent(found: Found) -> str | None:
    return None if found.place == "user" else found.memory.page.agent


def _words(memory: Memory) -> str:
    fact = fact_of(memory) if memory.page.category == CATEGORY else None
    return fact.value if fact else memory.body
