"""Notes: store, recall, forget; for this project, or for all.

A note for all projects stands in the user's own vault, and is recalled from every workspace.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from agent_memory.app import forget as forgetting
from agent_memory.app import vault as entries
from agent_memory.app.container import App
from agent_memory.app.forget import Forgetting
from agent_memory.app.recall import fading
from agent_memory.errors import DatabaseError, FileError, InvalidValue, UnknownEntry
from agent_memory.fabric import notes
from agent_memory.fabric.notes import CATEGORY, Decision, Note, Outcome, Rules, Use
from agent_memory.model.links import Link
from agent_memory.model.memory import Author, Batch, Memory, PageRef
from agent_memory.model.recall import Hit, Query
from agent_memory.recall.engine import recall as search
from agent_memory.redaction import redact
from agent_memory.system import logs
from agent_memory.system.paths import USER_AGENT
from agent_memory.vault.store import View

Scope = Literal["project", "all"]

MAX_K: Final = 50

_log = logs.get("notes")


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a note.

    ``id`` is the entry that says it: a new one or, if it is known, an older one. ``links`` are what a new one adds
    to, ``redactions`` how many secrets were taken out.
    """

    outcome: Outcome
    id: str
    links: tuple[Link, ...]
    redactions: int


@dataclass(frozen=True)
class _Home:
    """A vault, and the page in it that has notes."""

    app: App
    page: PageRef


def store(
    app: App,
    text: str,
    tags: Sequence[str] = (),
    *,
    scope: Scope = "project",
    agent: str | None = None,
    by: Author = "user",
) -> Stored:
    """Write a note, unless one says all of it already.

    Raises:
        InvalidValue: ``facts["field"]`` is ``content`` or ``tags``.
    """
    home = list(_homes(app, agent, scope))[-1]
    bare = redact(text)
    words = notes.checked_text(bare.text, max_chars=app.settings.count("notes.max_content_chars"))
    safe = [tag for tag in tags if not redact(tag).count]
    note = Note(words, notes.checked_tags(safe), by)
    rules, decided = _rules(home.app), list[Decision]()

    def plan(view: View) -> Batch:
        decided[:] = [notes.store(view, home.page, note, rules)]
        return decided[0].batch

    home.app.vault.update(plan, verb="notes store")
    return Stored(decided[0].outcome, decided[0].entry, decided[0].links, bare.count + len(tags) - len(safe))


def recall(
    app: App,
    text: str = "",
    *,
    k: int | None = None,
    scope: Scope = "all",
    tags: Sequence[str] = (),
    agent: str | None = None,
) -> list[Hit]:
    """Return the notes that ``text`` speaks of, best first, with all of ``tags``; for tags alone the latest.

    The best of the project and the best of all projects take turns, the project's first.

    Args:
        app: The product.
        text: What is looked for, of any length.
        k: How many at most, 1 to 50; the setting's number, if None.
        scope: ``project`` for this workspace's alone, ``all`` for those too that are for all projects.
        tags: What every note must have.
        agent: Whose notes; the workspace's own, if None.

    Raises:
        InvalidValue: ``facts["field"]`` is ``query``, ``k`` or ``tags``.
    """
    wanted = notes.checked_tags(tags)
    limit = app.settings.count("notes.recall_default_k") if k is None else k
    if not 1 <= limit <= MAX_K:
        raise InvalidValue.of("k", f"must be from 1 to {MAX_K}.")
    if not text.strip() and not wanted:
        raise InvalidValue.of("query", "must not be empty.", hint="Give words, tags, or an id.")
    found = []
    for home in _homes(app, agent, scope):
        query = Query(text, agent=home.page.agent, category=CATEGORY, limit=limit, tags=wanted, fading=fading(app))
        hits = search(home.app.index, query) if home.app.folder.root.exists() else []
        found.append([(home, hit) for hit in hits])
    turns = itertools.zip_longest(*found)
    best = [pair for turn in turns for pair in turn if pair is not None][:limit]
    for home in {id(home): home for home, _ in best}.values():
        _count(home, [hit.id for own, hit in best if own is home])
    return [hit for _, hit in best]


def by_id(app: App, entry_id: str, *, agent: str | None = None) -> Memory:
    """Return one note, whatever its status, from page or archive.

    Raises:
        UnknownEntry: No note has this id.
    """
    home, memory = _found(app, entry_id, agent)
    _count(home, [memory.id])
    return memory


def note_fields(note: Hit | Memory) -> dict[str, Any]:
    """Return a note as the command line prints it."""
    return {
        "id": note.id,
        "agent": note.page.agent,
        "date": f"{note.at:%Y-%m-%dT%H:%M}",
        "tags": list(note.tags),
        "content": note.body,
    }


def delete(app: App, entry_id: str, *, agent: str | None = None) -> tuple[Memory, Path]:
    """Take a note out of the vault that it stands in, which is returned too; `undo` there brings it back.

    Raises:
        UnknownEntry: No note has this id.
    """
    home, memory = _found(app, entry_id, agent)
    return entries.delete(home.app, memory.page.agent, CATEGORY, memory.id), home.app.folder.root


def forget(app: App, entry_id: str, *, agent: str | None = None) -> Forgetting:
    """Remove a note, and its words wherever the machine has put them, for good.

    Raises:
        UnknownEntry: No note has this id.
    """
    memory = _found(app, entry_id, agent)[1]
    return forgetting.forget(app, forgetting.words_of(app, memory.id, None))


def _homes(app: App, agent: str | None, scope: Scope) -> Iterator[_Home]:
    """Yield the places that a scope has: the project's, then what is the user's for all projects."""
    is_user = app.folder.root == app.user.folder.root
    if not is_user:
        yield _Home(app, PageRef(app.agent_named(agent or app.agent), CATEGORY))
    if is_user or scope == "all":
        yield _Home(app.user, PageRef(USER_AGENT, CATEGORY))


def _rules(app: App) -> Rules:
    settings = app.settings
    uses = app.state.uses.all() if app.folder.state.exists() else {}
    return Rules(
        now=app.clock.now(),
        max_entries=settings.count("notes.max_entries"),
        dedup=settings.flag("dedup.enabled"),
        threshold=settings.number("dedup.threshold"),
        by_use=settings.flag("eviction.utility_weighted"),
        uses={entry: Use(*use) for entry, use in uses.items()},
    )


def _found(app: App, entry_id: str, agent: str | None) -> tuple[_Home, Memory]:
    for home in _homes(app, agent, "all"):
        for memory in home.app.vault.view().by_id(entry_id):
            if memory.page.category == CATEGORY:
                return home, memory
    raise UnknownEntry(f"There is no note {entry_id!r}.", hint="`agent-memory notes recall` shows ids.", id=entry_id)


def _count(home: _Home, ids: Sequence[str]) -> None:
    try:
        home.app.state.uses.count(ids, home.app.clock.now())
    except (DatabaseError, FileError) as error:  # a vault that cannot be written can still be read
        _log.info("a recall could not be counted: %s", error.message)
