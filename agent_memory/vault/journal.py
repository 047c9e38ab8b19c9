"""The journal: what the machine is about to do to pages, with what stood before.

One line per batch, written before the pages, so that whatever happens next can be seen and taken back.
Nobody replays it: an intent whose pages did not change is void. A torn or foreign line is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, get_args

from agent_memory.model.memory import Batch, Change, Move, PageRef, Remove, Restore
from agent_memory.model.origin import Origin
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.vault import entry as entries_of
from agent_memory.vault.comment import Comment
from agent_memory.vault.entry import NO_ID
from agent_memory.vault.layout import ref_of
from agent_memory.vault.taken import utc_text, utc_time
from agent_memory.vault.view import View

Op = Literal["add", "amend", "move", "remove", "restore", "forget", "edit"]

# The verb whose runs name what they changed and never the words.
FORGET: Final = "forget"
UNDO: Final = "undo"

_OPS: Final = frozenset(get_args(Op))


@dataclass(frozen=True, slots=True)
class JournalChange:
    """One entry's change: the page's path, the entry's id afterwards, its exact text before and after.

    A move names the page it left; ``after`` is then the text in the page it came to. An edit is what a person
    did to the page: it was seen, not done, and is theirs to take back. ``beside`` counts the entries with the same
    id, or the same text, that a removal left in the page.
    """

    op: Op
    page: str
    id: str
    before: str | None
    after: str | None
    beside: int = 0

    def wordless(self) -> JournalChange:
        """Return what is left of it once its words are forgotten: it can be seen, and not taken back."""
        return JournalChange("forget", self.page, self.id, None, None)


@dataclass(frozen=True, slots=True)
class JournalRun:
    """One batch: its id, when, on whose behalf, what it changed, which run it undoes, the paths of pages it made."""

    run: str
    at: datetime
    verb: str
    changes: tuple[JournalChange, ...]
    undoes: str | None = None
    made: tuple[str, ...] = ()

    def ids(self, op: Op) -> tuple[str, ...]:
        """Return the ids of the entries to which it did this, as they were then."""
        return tuple(change.id for change in self.changes if change.op == op)

    def only(self, changes: Iterable[JournalChange]) -> JournalRun:
        """Return the same run with some of its changes."""
        return replace(self, changes=tuple(changes))


def line(run: JournalRun) -> Iterator[str]:
    """Yield a run as one line, in parts; ASCII, since a page may hold bytes that are no text."""
    more = ({} if run.undoes is None else {"undoes": run.undoes}) | ({"made": run.made} if run.made else {})
    yield json.dumps({"run": run.run, "at": utc_text(run.at), "verb": run.verb, **more, "changes": []})[: -len("]}")]
    for place, change in enumerate(run.changes):
        yield (", " if place else "") + json.dumps(_fields(change.wordless() if run.verb == FORGET else change))
    yield "]}\n"


def _fields(one: JournalChange) -> dict[str, Any]:
    before = _bare(one.before)
    after = before if one.after == one.before else _bare(one.after)
    fields = {"op": one.op, "page": one.page, "id": one.id, "before": before, "after": after}
    return fields | ({"beside": one.beside} if one.beside else {})


def _bare(raw: str | None) -> str | None:
    """What a person typed into a page is theirs; a copy of it elsewhere is ours to keep clean."""
    return None if raw is None else redact(raw).text


def parse(text: str) -> tuple[JournalRun, ...]:
    """Return the runs, oldest first. A run that had to start over has several lines and is one."""
    runs: dict[str, JournalRun] = {}
    for run in filter(None, map(_parse_line, filter(None, text.split("\n")))):
        earlier = runs.get(run.run)
        runs[run.run] = _joined(earlier, run) if earlier else run
    return tuple(runs.values())


def _joined(earlier: JournalRun, run: JournalRun) -> JournalRun:
    made = tuple(dict.fromkeys((*earlier.made, *run.made)))
    return replace(run, changes=tuple(dict.fromkeys((*earlier.changes, *run.changes))), made=made)


def torn_lines(text: str) -> int:
    """Return how many lines of a journal's text are no runs."""
    return sum(_parse_line(written) is None for written in text.split("\n") if written)


def read(path: Path, *, about: str = "") -> tuple[JournalRun, ...]:
    """Return the runs of the journal at ``path``, oldest first; if ``about`` is given, only those that name it."""
    text = files.read_text(path) or ""
    return parse("\n".join(line for line in text.split("\n") if about in line) if about else text)


def _parse_line(text: str) -> JournalRun | None:
    try:
        fields = json.loads(text)
        changes = tuple(map(_change_of, fields["changes"]))
        undoes = None if fields.get("undoes") is None else _text(fields["undoes"])
        made = tuple(map(_text, fields.get("made", ())))
        return JournalRun(_text(fields["run"]), utc_time(fields["at"]), _text(fields["verb"]), changes, undoes, made)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _change_of(fields: Any) -> JournalChange:
    if fields["op"] not in _OPS:
        raise KeyError(fields["op"])
    before, after = (None if fields[name] is None else _text(fields[name]) for name in ("before", "after"))
    page, entry_id = _text(fields["page"]), _text(fields["id"])
    return JournalChange(fields["op"], page, entry_id, before, after, int(fields.get("beside", 0)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    value.encode("utf-8", "surrogateescape")  # a ValueError for what no page can have held
    return value


def origins(runs: Iterable[JournalRun], category: str) -> Iterator[tuple[str, Origin]]:
    """Yield the entries of a category and where their words came from, each time one was written."""
    for change in (change for run in runs for change in run.changes):
        ref, raw = ref_of(change.page), change.after or change.before or ""
        found = Origin.parse(entries_of.Entry(raw).meta.get("origin", ""))
        if found and ref and ref.category == category:
            yield change.id, found


def undo_batch(run: JournalRun, view: View) -> tuple[Batch, list[str]]:
    """Return the changes that take ``run`` back, and the ids of entries that have to stay as they are.

    Entry by entry, the last change first. What no longer is as the change left it stays; what already
    is as it was before needs nothing. A page that the run made goes if nothing else has come to stand in it.
    The ledger is not touched, so nothing taken back is taken again.
    """
    desk = _UndoDesk(view)
    for change in reversed(run.changes):
        desk.take_back(change)
    made = frozenset(filter(None, map(ref_of, run.made)))
    return Batch(tuple(desk.changes), unmade=made), list(dict.fromkeys(desk.kept))


class _UndoDesk:
    """The state of one undo: what has been decided so far changes what stands in the pages."""

    def __init__(self, view: View) -> None:
        self.changes: list[Change] = []
        self.kept: list[str] = []
        self._view = view
        self._now: dict[tuple[PageRef, str], str | None] = {}

    def take_back(self, change: JournalChange) -> None:
        ref = ref_of(change.page)
        if ref is None or change.op in ("forget", "edit"):
            self.kept.append(change.id)
        elif change.op == "move":
            self._move_back(ref, change)
        elif change.beside and change.before is not None:
            self._put_beside(ref, change, change.before)
        else:
            self._put_back(ref, change)

    def _put_back(self, ref: PageRef, change: JournalChange) -> None:
        standing, before = self._standing(ref, change.id, change.after), _under_id(change.before, change.id)
        moved = standing is None and self._standing(ref.counterpart, change.id, None) is not None
        if standing == before and not moved:
            return
        if standing != change.after or moved:
            self.kept.append(change.id)
        elif before is None:
            self._decide(ref, change.id, None, Remove(ref, change.id, change.after))
        else:
            self._decide(ref, change.id, before, Restore(ref, before, change.after))

    def _put_beside(self, ref: PageRef, change: JournalChange, before: str) -> None:
        """Put back an entry that left others with its id; they are not what it has become."""
        here = (memory for memory in self._view.memories if memory.page == ref)
        texts = [memory.raw for memory in here if memory.id == change.id or memory.raw == before]
        if len(texts) <= change.beside:
            self.changes.append(Restore(ref, before, beside=True))
        elif before not in texts:
            self.kept.append(change.id)

    def _move_back(self, ref: PageRef, change: JournalChange) -> None:
        if self._standing(ref, change.id, None) is not None:
            return
        archived = self._standing(ref.counterpart, change.id, change.after)
        if archived is None:
            self.kept.append(change.id)
            return
        meta = _earlier_meta(change, archived)
        if not ref.archived:
            meta["keep"] = "1"
        self._now[ref.counterpart, change.id] = None
        self._decide(ref, change.id, archived, Move(ref.counterpart, change.id, meta))

    def _standing(self, ref: PageRef, entry_id: str, wanted: str | None) -> str | None:
        """Return the entry's text now; of several with one id the one that the change left, if it is there."""
        if (ref, entry_id) in self._now:
            return self._now[ref, entry_id]
        texts = [memory.raw for memory in self._view.by_id(entry_id) if memory.page == ref]
        return wanted if wanted in texts else next(iter(texts), None)

    def _decide(self, ref: PageRef, entry_id: str, text: str | None, change: Change) -> None:
        self.changes.append(change)
        self._now[ref, entry_id] = text


def _under_id(raw: str | None, entry_id: str) -> str | None:
    """Return ``raw``, under an id comment if it had none and the change gave it one: an id never changes."""
    if raw is None or entry_id.startswith(NO_ID) or entries_of.Entry(raw).comment:
        return raw
    newline = "\r\n" if "\r\n" in raw else "\n"
    return Comment(entry_id).render() + newline + raw


def _earlier_meta(change: JournalChange, standing: str) -> dict[str, str | None]:
    """Return what brings back the comment keys that a move has set and nobody has changed since."""
    before, after, now = (entries_of.Entry(raw or "").meta for raw in (change.before, change.after, standing))
    differing = [key for key in before | after if before.get(key) != after.get(key)]
    return {key: before.get(key) for key in differing if now.get(key) == after.get(key)}
