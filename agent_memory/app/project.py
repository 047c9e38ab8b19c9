"""The project: the page that every agent shares, and which chats on this computer are about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.conversations import judged
from agent_memory.app.editor import run
from agent_memory.app.stack import MANIFESTS, stack_of
from agent_memory.errors import Outdated
from agent_memory.model.ids import digest
from agent_memory.model.text import one_line, shorten
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.vault.block import spliced
from agent_memory.vault.templates import seeds

BLOCK: Final = "project"
TAG: Final = "project"
MAX_WORDS: Final = 500
MAX_CONVENTION_CHARS: Final = 240

_TITLES: Final = {"en": ("Stack", "Conventions"), "pt": ("Tecnologias", "Convenções")}


def edit(app: App) -> Path:
    """Open the page in ``$VISUAL`` or ``$EDITOR`` and wait until the editor is closed.

    Raises:
        FileError: The editor is not there, or ended with an error.
    """
    app.vault.prepare()
    path = app.folder.project
    run(app.environment, path)
    return path


def revision(text: str) -> str:
    """Return what changes with every change to the page."""
    return digest(BLOCK, text)


def replace(app: App, text: str, *, expected: str | None = None) -> int:
    """Replace the page by ``text``; return how many secrets were taken out of it first.

    Raises:
        Outdated: It has another ``revision`` than the ``expected`` one.
    """
    redacted, allowed = redact(text), {expected}
    if expected == revision("") and not app.shelf.is_prepared():  # the first writer finds what a vault starts with
        started = seeds(app.folder.root.absolute().parent, app.settings.text("vault.language"), new=False)
        allowed.update(map(revision, started.values()))

    def written(before: str) -> str:
        if expected is not None and revision(before) not in allowed:
            raise Outdated("The page has changed since it was read.", hint="Read it again.", current=before)
        return redacted.text

    app.vault.rewrite_project(written)
    return redacted.count


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The managed block as it should be, whether that is news, and how many words the whole page then has."""

    lines: tuple[str, ...]
    changed: bool
    words: int


def refresh(app: App, *, dry: bool) -> Refreshed:
    """Bring our block of the page up to date: the stack that the repository shows, and the conventions.

    A convention is an active decision that a person has tagged ``#project``. Every byte outside the block stays.

    Raises:
        FileError: The block's markers are not there as one pair.
        PageConflict: Somebody wrote to the page in the meantime.
    """
    present = [path for name in MANIFESTS if (path := app.workspace / name).is_file()]
    stack = stack_of({path.name: files.read_text(path) or "" for path in present})
    lines = _block(stack, _conventions(app), _TITLES[app.settings.text("vault.language")])
    before = app.shelf.project_text()
    if dry or (not lines and BLOCK not in before):
        after = spliced(before, BLOCK, lines)
        return Refreshed(lines, after != before, len(after.split()))
    changed = app.vault.rewrite_project(lambda text: spliced(text, BLOCK, lines))
    return Refreshed(lines, changed, len(app.shelf.project_text().split()))


def _conventions(app: App) -> list[str]:
    """Return the decisions that count for the whole project, newest first, each on a line without comments."""
    found = [
        memory
        for memory in app.vault.view().memories
        if memory.page.category == "decisions"
        and memory.active
        and TAG in map(str.casefold, memory.tags)
        # A word that an agent has said is no rule yet: a person must have tagged or written it.
        and (memory.edited or memory.meta.get("by") == "user")
    ]
    newest = sorted(found, key=lambda memory: (memory.at, memory.id), reverse=True)
    lines = (
        shorten(_first_paragraph(memory.body), MAX_CONVENTION_CHARS).replace("<!--", "&lt;!--") for memory in newest
    )
    return [redact(line).text for line in dict.fromkeys(lines)]


def _first_paragraph(body: str) -> str:
    return one_line(body.strip().split("\n\n")[0].removeprefix("- "))


def _block(stack: list[str], conventions: list[str], titles: tuple[str, str]) -> tuple[str, ...]:
    parts = ((title, lines) for title, lines in zip(titles, (stack, conventions), strict=True) if lines)
    return tuple(line for title, lines in parts for line in (f"## {title}", "", *(f"- {one}" for one in lines), ""))


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
