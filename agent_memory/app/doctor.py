"""What is wrong with a vault, where, and the one thing that mends it. Looking changes nothing.

A finding is ``serious`` where something is lost, hidden or at risk; the rest may well be as somebody wants
it, such as an entry that was deleted by hand.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from agent_memory.app import hooks
from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, UnknownEntry
from agent_memory.jobs.compact import halfway_moves
from agent_memory.model.ids import alike
from agent_memory.model.links import heirs, successors
from agent_memory.model.memory import Batch, Memory, PageRef, Restore
from agent_memory.model.text import one_line, shorten
from agent_memory.system import files
from agent_memory.vault import comment as comments
from agent_memory.vault import heading as headings
from agent_memory.vault import page as pages_of
from agent_memory.vault.journal import torn_lines
from agent_memory.vault.layout import ref_of
from agent_memory.vault.view import StoredPage, View

RECENT: Final = timedelta(days=30)
SNIPPET_CHARS: Final = 60
# A write that is going on has its temporary file for a moment; one this old was left behind.
LEFT_BEHIND: Final = timedelta(minutes=5)

FIX: Final = "agent-memory doctor --fix"

_MERGE_MARK: Final = re.compile(r"^(?:<{7} |={7}\r?$|>{7} )", re.MULTILINE)
_LOOKS_LIKE_START: Final = re.compile(r"^(?:<!-- *id:|## *\d{4}-\d\d?-\d\d?).*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: what, where, what mends it, and the row of ``FIXES`` that ``--fix`` mends it by."""

    what: str
    where: str
    mend: str
    serious: bool = True
    fix: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """An entry that was written, that no command removed, and that stands in no page: its last text and place."""

    id: str
    page: PageRef
    raw: str


def pages(view: View) -> Iterator[Finding]:
    """Yield what is wrong with the pages and the ledger."""
    for path in view.skipped:
        yield Finding("It leads out of the memory folder and is not read.", path, "Replace the link by the file.")
    for stored in view.pages.values():
        yield from _page(stored)
    for entry, refs in doubled(view).items():
        what = f"The id {entry} stands here {len(refs)} times."
        yield Finding(what, ", ".join(sorted(set(refs))), FIX, fix="renumber")
    for names in _alike(view.agents):
        what = "Other computers take these folders for one: their names differ in case or Unicode form alone."
        yield Finding(what, ", ".join(map(ascii, names)), "Move the pages of one into the other.")
    after = successors(view.memories)
    circle = sorted(name for name in after if name in heirs(name, after))
    if circle:
        what = f"They replace one another in a circle, so that none of them counts: {', '.join(circle)}."
        heir = min(after[circle[0]].intersection(circle))
        yield Finding(what, "links", f"agent-memory links remove {heir} {circle[0]}")
    if halfway := halfway_moves(view).changes:
        what = f"A move was cut short: {len(halfway)} entries stand in a page and in its archive."
        yield Finding(what, "archive", "agent-memory compact", serious=False, fix="finish moves")
    if view.taken.skipped:
        what = f"Lines that cannot be read, {view.taken.skipped} of them: a merge may have left its marks there."
        yield Finding(what, "taken.jsonl", FIX, fix="drop ledger lines")


def _alike(agents: Iterable[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for agent in agents:
        groups[alike(agent)].append(agent)
    return [names for names in groups.values() if len(names) > 1]


def lost(app: App) -> list[Lost]:
    """Return the entries that a stale editor buffer may have overwritten, if they were not deleted by hand."""
    since = app.clock.now() - RECENT
    standing: dict[str, tuple[datetime, Lost]] = {}
    for run in app.vault.journal_runs():
        for change in run.changes:
            ref = ref_of(change.page)
            if change.before is not None and (unnamed := _unnamed(standing, change.page, change.before)):
                standing.pop(unnamed)  # it has an id now, or other words
            if change.op == "edit" and change.after is None:
                continue  # it was seen to be gone, which may be that buffer's doing
            if change.op in ("remove", "forget") or ref is None or change.after is None:
                standing.pop(change.id, None)
            else:
                place = ref.counterpart if change.op == "move" else ref
                standing[change.id] = run.at, Lost(change.id, place, change.after)
    view = app.vault.view()
    return [one for at, one in standing.values() if at >= since and not _stands(view, one)]


def restore(app: App, entry_id: str) -> Lost:
    """Put a lost entry back into its page, with the text that the journal has.

    Raises:
        UnknownEntry: No lost entry has this id.
    """
    found = next((one for one in lost(app) if one.id == entry_id), None)
    if found is None:
        raise UnknownEntry(f"No lost entry is called {entry_id!r}.", hint="`agent-memory doctor` lists them.")
    app.vault.update(lambda view: Batch((Restore(found.page, found.raw),)), verb="restore")
    return found


def _stands(view: View, one: Lost) -> bool:
    """Tell whether the entry is there, perhaps without its id: a person may have taken the comment away."""
    memory = _memory(one)
    same = any(other.body == memory.body for other in view.of(one.page.agent, one.page.category))
    return same or bool(view.by_id(one.id)) or (memory.key is not None and bool(view.by_key(memory.key)))


def _unnamed(standing: Mapping[str, tuple[datetime, Lost]], page: str, raw: str) -> str | None:
    """Return the name, made of its words, of the entry without an id that had this text."""
    if raw.startswith(comments.OPEN):
        return None
    return next((name for name, (_, one) in standing.items() if (one.page.path, one.raw) == (page, raw)), None)


def _memory(one: Lost) -> Memory:
    return pages_of.parse(one.raw).memories(one.page)[0]


def _page(stored: StoredPage) -> Iterator[Finding]:
    text, path = pages_of.decode(stored.data), stored.ref.path
    for mark in _MERGE_MARK.finditer(text):
        yield Finding("A merge has left its mark.", _line(path, text, mark.start()), "Choose a side and save.")
    if text.removeprefix("\ufeff").startswith("---\n") and "---" not in stored.page.front:
        mend = "End it with a line ---, or take its first line away."
        yield Finding("The front matter has no end, or is none.", f"{path}:1", mend)
    place = len(stored.page.front) + len(stored.page.preamble)
    for entry in stored.page.entries:
        for found in _LOOKS_LIKE_START.finditer(entry.written_body):
            yield Finding(
                f"“{shorten(found[0], SNIPPET_CHARS)}” looks like the start of an entry and is read as text.",
                _line(path, text, place + entry.body_at + found.start()),
                _how_to_start(found[0]),
                serious=False,
            )
        place += len(entry.raw) + len(entry.tail)


def _how_to_start(line: str) -> str:
    if comments.parse(line) or headings.parse(line):
        return "Put a blank line above it if it is one, a backslash before it if not."
    return "Write ## YYYY-MM-DD and nothing but tags behind it, or put a backslash before it."


def _line(path: str, text: str, place: int) -> str:
    return f"{path}:{text.count(chr(10), 0, place) + 1}"


def doubled(view: View) -> dict[str, list[str]]:
    """Return the pages of each id that stands twice, a page and its own archive apart."""
    seen: dict[str, list[Memory]] = defaultdict(list)
    for memory in view.memories:
        seen[memory.id].append(memory)
    doubled = {}
    for entry, copies in seen.items():
        kinds = Counter((copy.page.agent, copy.page.category) for copy in copies)
        once_each = len({copy.page for copy in copies}) == len(copies)
        if len(kinds) > 1 or not once_each:
            doubled[entry] = [copy.page.path for copy in copies]
    return doubled


def records(app: App) -> Iterator[Finding]:
    """Yield what is wrong with the journal, and what it says of that no page has any more."""
    torn = torn_lines(files.read_text(app.folder.journal) or "")
    if torn:
        what = f"Lines that cannot be read, {torn} of them: what they say was cut short, and done again."
        yield Finding(what, ".vault/journal.jsonl", FIX, serious=False, fix="drop journal lines")
    for one in lost(app):
        snippet = shorten(one_line(_memory(one).body), SNIPPET_CHARS)
        what = f"“{snippet}” is in no page any more: deleted by hand, or overwritten by an editor."
        yield Finding(what, one.page.path, f"agent-memory doctor --restore {one.id}", serious=False)


def mirror(app: App) -> Iterator[Finding]:
    """Yield a finding if the mirror is not what a rebuild would give."""
    if app.folder.mirror.exists() and app.mirror.check(app.shelf.page_states()):
        mend = "agent-memory reindex"
        yield Finding("It is not what the pages say.", ".vault/mirror.sqlite3", mend, fix="reindex")


def permissions(app: App) -> Iterator[Finding]:
    """Yield a finding if others could read the machine's folder; whoever opens a file there closes it to them."""
    machine = app.folder.machine
    if os.name == "posix" and machine.exists() and machine.stat().st_mode & 0o077:
        files.make_folder(machine, private=True)
        yield Finding("Others could read what only you should.", ".vault", "Nothing: it is closed to them now.")


def leftovers(app: App) -> Iterator[Finding]:
    """Yield a state that cannot be opened, and files that damage and interrupted writes have left."""
    root, machine = app.folder.root, app.folder.machine
    if not machine.exists():
        return
    try:
        _ = app.state if app.folder.state.exists() else None
    except AgentMemoryError as error:
        yield Finding(error.message, ".vault/state.sqlite3", error.hint)
    for path in sorted(machine.glob("*.broken-*")):
        if path.suffix not in (".-wal", ".-shm"):
            where = f".vault/{path.name}"
            yield Finding("A damaged file was moved here.", where, FIX, serious=False, fix="delete")
    oldest = (app.clock.now() - LEFT_BEHIND).timestamp()
    for path in sorted(root.rglob(f".*{files.TEMPORARY_SUFFIX}")):
        if _written(path) < oldest:
            where = path.relative_to(root).as_posix()
            what = "A write that was cut short left this behind."
            yield Finding(what, where, FIX, serious=False, fix="delete")


def failing_hooks(app: App) -> Iterator[Finding]:
    """Yield the events whose last answer failed."""
    for event, failed in hooks.failing(app).items():
        what = f"The hook for {event} failed {len(failed)} times of late: {failed[-1].sentence}."
        mend = "Nothing is lost: it said nothing. If it goes on, report that line."
        yield Finding(what, ".vault/hooks.log", mend, serious=False)


def _written(path: Path) -> float:
    identity = files.identify(path)
    return float("inf") if identity is None else identity.mtime_ns / 1e9
