"""From a batch to pages: what each change does to the text, worked out before anything is written.

Pure. A change that names an entry which is not there fails the whole batch. A person's words are left
alone unless a person changes them, and only the comment changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from agent_memory.errors import UnknownEntry
from agent_memory.model.ids import entry_id, next_free_id
from agent_memory.model.memory import Add, Amend, Batch, Change, Draft, Move, PageRef, Remove, Restore, TakenLine
from agent_memory.vault import entry as entries_of
from agent_memory.vault import page as pages_of
from agent_memory.vault.amend import amended
from agent_memory.vault.comment import Comment
from agent_memory.vault.entry import NO_ID, SUM_DIGITS, Entry
from agent_memory.vault.journal import JournalChange, Op
from agent_memory.vault.opened import Opened, id_of, new_page
from agent_memory.vault.page import Page
from agent_memory.vault.view import View


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch comes to.

    ``grown`` are the touched pages with everything but what moves take out of them, ``final`` with
    that too: written in this order, an entry is always in one of its two pages. ``made`` are those that were not there,
    ``unmade`` those whose file is of no more use.
    """

    grown: Mapping[PageRef, Page]
    final: Mapping[PageRef, Page]
    journal: tuple[JournalChange, ...]
    taken: tuple[TakenLine, ...]
    made: tuple[str, ...] = ()
    unmade: frozenset[PageRef] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.journal or self.taken)


def work_out(batch: Batch, view: View, *, now: datetime) -> Outcome:
    """Return what ``batch`` does to the vault that ``view`` shows.

    Raises:
        UnknownEntry: A change names an entry that its page does not have, or text that is no entry.
        FileError: A change is to a page that could not be read.
    """
    bench = _Bench(view, now)
    for change in batch.changes:
        bench.do(change)
    grown = bench.grown()
    bench.let_leave()
    taken = tuple(line for line in map(bench.resolved, batch.taken) if line not in view.taken.lines)
    made = tuple(ref.path for ref in bench.changed if ref not in view.pages)
    unmade = frozenset(ref for ref in batch.unmade if bench.changed.get(ref) == new_page(ref))
    return Outcome(grown, bench.changed, tuple(bench.journal), taken, made, unmade)


class _Bench:
    """The pages as they become, one change after the other."""

    def __init__(self, view: View, now: datetime) -> None:
        self._open = Opened(view)
        self.changed = self._open.changed
        self.journal: list[JournalChange] = []
        self._view = view
        self._now = now
        self._ids: set[str] = set()
        self._keys: dict[str, str] = {}
        self._leaving: Counter[tuple[PageRef, str]] = Counter()
        self._arrived: set[tuple[PageRef, str]] = set()

    def do(self, change: Change) -> None:
        match change:
            case Add():
                self._add(change.page, change.draft)
            case Amend():
                self._amend(change)
            case Move():
                self._move(change)
            case Remove():
                self._remove(change)
            case Restore():
                self._restore(change)

    def grown(self) -> dict[PageRef, Page]:
        """Return the pages as they are now, those that something leaves first: it may just have got its id."""
        sources = {ref for ref, _ in self._leaving}
        return {ref: self.changed[ref] for ref in sorted(self.changed, key=lambda ref: ref not in sources)}

    def let_leave(self) -> None:
        leaving, self._leaving = self._leaving, Counter()
        found = ((ref, place) for (ref, name), n in leaving.items() for place in self._open.places(ref)[name][:n])
        for ref, position in sorted(found, key=lambda found: -found[1]):
            self._open.take_out(ref, position)

    def resolved(self, line: TakenLine) -> TakenLine:
        """Give a ledger line that names no entry the id of the one that was added under its key."""
        if line.id:
            return line
        standing = [self._keys[line.key]] if line.key in self._keys else [m.id for m in self._view.by_key(line.key)]
        return replace(line, id=standing[0]) if standing else line

    def _add(self, ref: PageRef, draft: Draft) -> None:
        page, new_id = self._open.page(ref), self._id_for(draft)
        raw = entries_of.draft_text(draft, new_id, page.newline)
        self._open.insert(ref, raw)
        if draft.key is not None:
            self._keys[draft.key] = new_id
        self._note("add", ref, new_id, None, raw)

    def _amend(self, change: Amend) -> None:
        page, position = self._locate(change.page, change.id, change.raw)
        entry = page.entries[position]
        raw = amended(entry, change, page.newline, new_id=self._free_id)
        if raw != entry.raw:
            self._open.put(change.page, position, raw)
            self._note("amend", change.page, id_of(raw) or change.id, entry.raw, raw)

    def _move(self, change: Move) -> None:
        page, position = self._locate(change.page, change.id)
        entry, target = page.entries[position], change.page.counterpart
        if not id_of(entry.raw):  # the id comes first, so that a move cut short is known again
            given = Comment(self._free_id()).render() + page.newline + entry.raw
            self._open.put(change.page, position, given)
            page = self._open.page(change.page)
        raw = page.entries[position].raw
        if change.meta:
            meta_only = Amend(change.page, change.id, meta=change.meta)
            raw = amended(page.entries[position], meta_only, page.newline, new_id=self._free_id)
        new_id = id_of(raw) or change.id
        self._receive(target, new_id, raw)
        self._leaving[change.page, new_id] += 1
        self._note("move", change.page, new_id, entry.raw, raw)

    def _receive(self, ref: PageRef, name: str, raw: str) -> None:
        """Insert what has been moved here, over the copy that a move cut short left behind.

        Another entry that happens to have the same id, under another key or moved by the same batch, is no copy.
        """
        standing = self._open.names(ref)[name] and (ref, name) not in self._arrived
        position = self._open.places(ref)[name][0] if standing else None
        copy = None if position is None else self._open.page(ref).entries[position]
        if position is not None and copy and _is_copy(copy, Entry(raw)):
            if copy.raw != raw:
                self._note("remove", ref, name, copy.raw, None)
            self._open.put(ref, position, raw)
        else:
            self._open.insert(ref, raw)
        self._arrived.add((ref, name))

    def _remove(self, change: Remove) -> None:
        page, position = self._locate(change.page, change.id, change.raw)
        raw, named = page.entries[position].raw, self._open.places(change.page, change.id).get(change.id, [])
        alike = sum(entry.raw == raw or place in named for place, entry in enumerate(page.entries))
        self._note("remove", change.page, change.id, raw, None, beside=alike - 1)
        self._open.take_out(change.page, position)

    def _restore(self, change: Restore) -> None:
        page, raw = self._open.page(change.page), change.raw
        # Behind its separator, as in a page: at the very end, a last line of its own ``---`` would be taken for one.
        if [entry.raw for entry in pages_of.parse(f"{raw}\n\n---\n").entries] != [raw]:
            raise UnknownEntry(
                "What should be restored is not the text of one entry.", hint="The journal is damaged there."
            )
        if not change.beside and any(entry.raw == raw for entry in page.entries):
            return
        position = next((n for n, entry in enumerate(page.entries) if entry.raw == change.instead_of), None)
        before = None if position is None else page.entries[position].raw
        if position is None:
            self._open.insert(change.page, raw)
        else:
            self._open.put(change.page, position, raw)
        page = self._open.page(change.page)
        name = entries_of.numbered(page.entries)[[other.raw for other in page.entries].index(raw)]
        self._note("restore", change.page, name, before, raw)

    def _locate(self, ref: PageRef, wanted: str, raw: str | None = None) -> tuple[Page, int]:
        """Return the page and where in it the entry stands; one that is about to leave does not count.

        Of several with one name it is the one with the text ``raw``, if that is there.
        """
        page, leaving = self._open.page(ref), self._leaving[ref, wanted]
        names = self._open.places(ref, wanted)
        # Entries with the same words share a name and are counted; once one has gone the rest move up.
        name = wanted[: len(NO_ID) + SUM_DIGITS] if wanted.startswith(NO_ID) and wanted not in names else wanted
        found = names.get(name, [])[leaving:]
        position = next((place for place in found if page.entries[place].raw == raw), next(iter(found), None))
        if position is None:
            raise UnknownEntry(f"{ref.path} has no entry {wanted!r}.", hint="It may just have been removed.", id=wanted)
        return page, position

    def _id_for(self, draft: Draft) -> str:
        if draft.id is None and draft.key is None:
            return self._free_id()
        chosen = draft.id or entry_id(draft.at, draft.key or "", now=self._now, in_use=self._in_use)
        self._ids.add(chosen)
        return chosen

    def _free_id(self) -> str:
        chosen = next_free_id(int(self._now.timestamp() * 1000), self._in_use)
        self._ids.add(chosen)
        return chosen

    def _in_use(self, wanted: str) -> bool:
        return wanted in self._ids or self._view.id_in_use(wanted)

    def _note(self, op: Op, ref: PageRef, name: str, before: str | None, after: str | None, *, beside: int = 0) -> None:
        self.journal.append(JournalChange(op, ref.path, name, before, after, beside))


def _is_copy(one: Entry, other: Entry) -> bool:
    """Tell whether two entries with one id are one entry: taken under one key, or the same in words."""
    key = one.meta.get("key")
    return one.body == other.body or (key is not None and key == other.meta.get("key"))
