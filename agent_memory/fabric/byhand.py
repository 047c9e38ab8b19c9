"""What people did to the profile in their editor, found by comparing its pages with the journal.

The journal replayed up to a moment says what was recorded then; what the pages have beyond it is a person's
doing. A value that was changed where it stood is a new version, and what stood there is put back, as a
superseded entry, by whoever writes to the page next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, cast, get_args

from agent_memory.fabric import facts
from agent_memory.fabric.versions import (
    CATEGORY,
    RECORDED,
    VALID_FROM,
    VALID_TO,
    Ended,
    Version,
    pending,
    statements,
    versions,
)
from agent_memory.model.memory import Add, Amend, Author, Batch, Change, Draft, Memory, PageRef
from agent_memory.redaction import redact
from agent_memory.vault import entry as entries_of
from agent_memory.vault.journal import UNDO, JournalChange, JournalRun
from agent_memory.vault.layout import ref_of
from agent_memory.vault.taken import utc_text
from agent_memory.vault.view import View

BY_HAND: Final = "by hand"
"""The verb under which the journal has what people did themselves."""
PAGE: Final = f"{CATEGORY}.md"
"""What stands in every line of the journal that concerns a profile."""


@dataclass
class Replay:
    """What the journal says of profile pages: their entries, and values that were changed in place.

    ``seen`` is when each entry turned up, by id. Where entries turned up that a machine had written, on another
    computer or before the journal was lost, it does not tell all but ``whole_from`` then.
    """

    memories: dict[tuple[PageRef, str], Memory] = field(default_factory=dict)
    ended: list[Ended] = field(default_factory=list)
    seen: dict[str, datetime] = field(default_factory=dict)
    whole_from: datetime | None = None

    def chain(self, page: PageRef, memories: Iterable[Memory] | None = None) -> list[Version]:
        """Return the versions that ``memories`` have, or that a page and its archive had at the end of the journal."""
        own = [memory for (ref, _), memory in self.memories.items() if ref in (page, page.counterpart)]
        return versions(own if memories is None else memories, self.ended, self.seen)


def replay(runs: Iterable[JournalRun], *, until: datetime | None = None) -> Replay:
    """Follow the journal, up to a moment if one is given."""
    known = Replay()
    for run in runs:
        if until is None or run.at <= until:
            for change in run.changes:
                ref = ref_of(change.page)
                if ref is not None and ref.category == CATEGORY:
                    _follow(known, ref, change, run)
    return known


def _follow(known: Replay, ref: PageRef, change: JournalChange, run: JournalRun) -> None:
    before = known.memories.pop((ref, change.id), None) or _without_id(known, ref, change.before)
    if change.after is None:
        if before is not None and run.verb != UNDO:  # somebody took it out, so that it is not put back
            known.ended = [one for one in known.ended if one.key != before.key]
        return
    page = ref.counterpart if change.op == "move" else ref
    after = entries_of.Entry(change.after).memory(page, change.id, 0)
    if before is None and change.op in ("edit", "amend", "move") and "sum" in after.meta:
        known.whole_from = run.at
    known.seen.setdefault(change.id, known.seen.get(before.id, run.at) if before else run.at)
    if before is not None and before.id != change.id:
        known.ended = [one.renamed(change.id) if one.memory.id == before.id else one for one in known.ended]
    was, now = facts.fact_of(before) if before and before.active else None, facts.fact_of(after)
    if before and was and (now is None or (was.key, was.value) != (now.key, now.value)):
        known.ended.append(Ended(replace(before, id=change.id), run.at))
    known.memories[page, change.id] = after


def _without_id(known: Replay, ref: PageRef, raw: str | None) -> Memory | None:
    if raw is None:
        return None
    name = next((place for place, memory in known.memories.items() if place[0] == ref and memory.raw == raw), None)
    return known.memories.pop(name) if name else None


def hand_edits(view: View, runs: Iterable[JournalRun]) -> list[JournalChange]:
    """Return what is other in the profile pages than the journal says, which has no secrets."""
    known = replay(runs).memories
    there = {(memory.page, memory.id): memory.raw for memory in view.memories if memory.page.category == CATEGORY}
    gone = {place: memory for place, memory in known.items() if place not in there}
    changes = []
    for (page, name), raw in there.items():
        before = known.get((page, name)) or _same_key(gone, page, raw)
        if before is None or before.raw not in (raw, redact(raw).text):
            changes.append(JournalChange("edit", page.path, name, before.raw if before else None, raw))
    left = [JournalChange("edit", page.path, name, memory.raw, None) for (page, name), memory in gone.items()]
    return left + changes


def _same_key(gone: dict[tuple[PageRef, str], Memory], page: PageRef, raw: str) -> Memory | None:
    """Take out of ``gone`` the entry without an id that is this one before a person changed its value."""
    fact = facts.fact_of(entries_of.Entry(raw).memory(page, "", 0))
    for (ref, name), memory in gone.items():
        standing = facts.fact_of(memory)
        if ref == page and name.startswith(entries_of.NO_ID) and fact and standing and fact.key == standing.key:
            return gone.pop((ref, name))
    return None


def put_back(view: View, page: PageRef, known: Replay) -> Batch:
    """Return the changes that give every value which a person has changed in place an entry of its own again."""
    standing = view.of(page.agent, CATEGORY)
    keys = {memory.key for memory in standing}
    changes: list[Change] = []
    for memory in standing:
        waiting = pending(memory, keys, known.ended)
        for one, version in zip(waiting, statements(memory, waiting, known.seen), strict=False):
            changes.append(Add(memory.page, _past(version, memory.id, one.key)))
        if waiting:
            seen = utc_text(waiting[-1].seen_at)
            changes.append(Amend(memory.page, memory.id, meta={VALID_FROM: seen, RECORDED: seen}))
    return Batch(tuple(changes))


def _past(version: Version, entry: str, key: str) -> Draft:
    said = version.memory.meta.get("by", "user")
    meta = {
        **facts.meta_of(version.fact),
        "status": "superseded",
        "superseded-by": entry if entry.isdigit() else None,
        VALID_FROM: utc_text(version.valid_from),
        VALID_TO: utc_text(version.valid_to or version.valid_from),
        RECORDED: utc_text(version.recorded_at),
    }
    by = cast("Author", said) if said in get_args(Author) else "user"
    return Draft(facts.body_of(version.fact), version.memory.at, by, key=key, meta=meta)
