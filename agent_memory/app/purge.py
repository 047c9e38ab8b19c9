"""A known secret out of everything that we keep, and the proof that it is gone: every byte looked at again.

Unlike ``forget`` it takes out the secret alone and leaves the words around it, a person's too. Its words are blocked,
so that no transcript brings them back. May be repeated, and must be if it was interrupted. What is not in our hands is
named: git's history, transcripts, whoever still has the chat open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from agent_memory.app import rule
from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.app.forget import vaults
from agent_memory.fabric.forgotten import lines_for, runs_of
from agent_memory.model.memory import Batch, TakenLine
from agent_memory.redaction.forms import Forms
from agent_memory.system import files, locks
from agent_memory.system.paths import repository_root
from agent_memory.tailing.scan import scan
from agent_memory.vault import page as pages_of
from agent_memory.vault.entry import Entry
from agent_memory.vault.layout import ref_of

PURGE: Final = "purge"
# No path of any system has as many folders.
MAX_DEPTH: Final = 4096
_DATABASES: Final = ("state.sqlite3", "mirror.sqlite3")


@dataclass(frozen=True, slots=True)
class Purged:
    """Where the secret stood, what was looked at afterwards, where it still stands, and what is beyond our reach.

    ``found`` and ``left`` are places in the memory folders; ``beyond`` are sentences.
    """

    found: tuple[str, ...]
    left: tuple[str, ...]
    files: int
    bytes: int
    forms: int
    beyond: tuple[str, ...]


def look(app: App, secret: str) -> Purged:
    """Say where the secret stands; nothing is changed.

    Raises:
        UsageError: It is too short to be told from other text.
    """
    forms = Forms.of(secret)
    found, seen, size = _scanned(app, forms)
    return Purged(found, found, seen, size, len(forms), tuple(_beyond(app, forms)))


def purge(app: App, secret: str) -> Purged:
    """Take the secret out of everything, block its words, and look at every byte again.

    Raises:
        UsageError: It is too short to be told from other text.
        LockTimeout: Somebody else kept the vault's lock.
    """
    before = look(app, secret)
    forms = Forms.of(secret)
    for each in vaults(app):
        if each.folder.root.exists():
            _block(each, secret)
            _rewrite(each, forms)
            if each.folder.state.exists():
                each.state.purge(lambda text: forms.stand_in(text.encode("utf-8", "surrogatepass")))
            each.mirror.scrub(each.shelf.page_states())
    rule.refresh(app)
    left, seen, size = _scanned(app, forms)
    return Purged(before.found, left, seen, size, before.forms, before.beyond)


def _block(app: App, secret: str) -> None:
    """Keep the words away from now on, by their fingerprint."""
    lines = lines_for(runs_of(secret), TakenLine("", "", app.clock.now(), "forgotten"))
    app.vault.update(lambda view: Batch((), lines), verb=PURGE)


def _rewrite(app: App, forms: Forms) -> None:
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        for name, path in _files(app, []):
            snapshot = None if path.name.removesuffix("-wal").removesuffix("-shm") in _DATABASES else files.read(path)
            if snapshot is None or not forms.stand_in(snapshot.data):
                continue
            if ref_of(name):
                new = _page_without(snapshot.data, forms)
            elif snapshot.data.startswith(b"SQLite format 3\0") or ".sqlite3" in path.name:
                new = forms.blanked(snapshot.data)  # a damaged one that was moved aside
            else:
                new = forms.out_of(snapshot.data)
            files.replace(path, new, expected=snapshot.identity)


def _page_without(data: bytes, forms: Forms) -> bytes:
    """Return a page without the secret; what the machine wrote stays the machine's."""
    page = pages_of.parse(pages_of.decode(data))
    top = page.front + page.preamble
    text = top + "".join(_entry_without(entry, forms) + entry.tail for entry in page.entries)
    return forms.out_of(pages_of.encode(text))


def _entry_without(entry: Entry, forms: Forms) -> str:
    raw = pages_of.decode(forms.out_of(pages_of.encode(entry.raw)))
    changed = Entry(raw)
    if raw == entry.raw or entry.edited or changed.comment is None:
        return raw
    return raw.replace(changed.comment.render(), changed.comment.changed({"sum": changed.sum}).render(), 1)


def _scanned(app: App, forms: Forms) -> tuple[tuple[str, ...], int, int]:
    """Return where the secret stands, and how many files and bytes were looked at."""
    found, seen, size = [], 0, 0
    for each in vaults(app):
        for name, path in (*_files(each, []), *((str(path), path) for path in rule.rules(each))):
            snapshot = files.read(path)
            seen, size = seen + 1, size + len(snapshot.data if snapshot else b"")
            found += [name] if snapshot and forms.stand_in(snapshot.data) else []
            found += [f"{name}, its name"] if forms.stand_in(name.encode("utf-8", "replace")) else []
        if each.folder.state.exists() and any(forms.stand_in(text.encode()) for text in each.state.memos()):
            found.append(".vault/state.sqlite3, packed")
    return tuple(dict.fromkeys(found)), seen, size


def _files(app: App, unseen: list[str]) -> Iterator[tuple[str, Path]]:
    """Yield every file of a memory folder with its place in it; add to ``unseen`` what nobody looks into."""
    root = app.folder.root
    for parts in files.walk(root, MAX_DEPTH, lambda error: unseen.append(str(error.facts["path"]))):
        name, path = "/".join(parts), root.joinpath(*parts)
        if path.is_file() and path.resolve().is_relative_to(root.resolve()):
            yield name, path
        else:
            unseen.append(name)


def _beyond(app: App, forms: Forms) -> Iterator[str]:
    """Yield what may have the secret and is not ours to change, or cannot be looked at."""
    unseen: list[str] = []
    for each in vaults(app):
        list(_files(each, unseen))
    yield from (f"{place} leads elsewhere, or cannot be read." for place in unseen)
    if repository_root(app.folder.root):
        yield "Git's history, if it was committed: git filter-repo rewrites that; a clone or a fork has its own."
    options = Options(app.agent, idle_after=timedelta(0))
    folders = [folder for folder in transcript_folders(app, options) if folder != app.folder.conversations]
    for file in scan(folders).files:
        snapshot = files.read(Path(file.path))
        if snapshot and forms.stand_in(snapshot.data):
            yield f"The transcript {file.path} has it; it is your editor's."
    yield "Exports, backups, and a program that still has the chat in its memory. Change the secret in any case."
