"""What was done to the vault, and taking it back: run by run, or entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.reasons import conversation_of, reason_of
from agent_memory.errors import UnknownEntry, UsageError
from agent_memory.model.memory import Add, Batch, Change, PageRef, Restore
from agent_memory.model.text import one_line, shorten
from agent_memory.vault.journal import UNDO, JournalChange, JournalRun, undo_batch
from agent_memory.vault.page import parse
from agent_memory.vault.store import View

SUMMARY_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """One entry's change, for people: what, where, which, how its words begin, out of which conversation, and why."""

    op: str
    page: str
    id: str
    snippet: str
    conversation: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run of the journal, for people."""

    run: str
    at: datetime
    verb: str
    undoes: str | None
    undone: bool
    changes: tuple[ChangeSummary, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back: the run it undid, the entries it changed, and those that it had to leave."""

    run: str
    entries: tuple[str, ...]
    kept: tuple[str, ...]


def changes(app: App, *, since: datetime | None, limit: int) -> list[RunSummary]:
    """Return what was done to the vault from ``since`` on, newest first."""
    runs = app.vault.journal_runs()
    standing = in_effect(runs)
    wanted = [run for run in reversed(runs) if since is None or run.at >= since]
    return [_summary(run, undone=run.run not in standing) for run in wanted[:limit]]


def by_conversation(runs: Sequence[RunSummary]) -> dict[str, list[tuple[RunSummary, ChangeSummary]]]:
    """Return the changes by the conversation they came out of, each with its run; what came out of none is last."""
    grouped: dict[str, list[tuple[RunSummary, ChangeSummary]]] = {}
    for run in runs:
        for change in run.changes:
            grouped.setdefault(change.conversation, []).append((run, change))
    return dict(sorted(grouped.items(), key=lambda pair: not pair[0]))


def day(text: str | None) -> datetime | None:
    """Read a date as a person gives it, ``2026-03-16`` or with a time, in UTC; None stays None.

    Raises:
        UsageError: It is no date.
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no date.", hint="Write it as 2026-03-16.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _summary(run: JournalRun, *, undone: bool) -> RunSummary:
    rows = tuple(
        ChangeSummary(
            change.op,
            change.page,
            change.id,
            _words_of(change.after or change.before or ""),
            conversation_of(change),
            reason_of(change),
        )
        for change in run.changes
    )
    return RunSummary(run.run, run.at, run.verb, run.undoes, undone, rows)


def _words_of(raw: str) -> str:
    """Return the beginning of an entry's body, given its exact text."""
    return shorten(one_line(" ".join(memory.body for memory in parse(raw).memories(PageRef("", "")))), SUMMARY_CHARS)


def undo(app: App, target: str | None) -> Undone:
    """Take back a run, or what was last done to one entry; without a target, the last run that still has an effect.

    Entries that are no longer as the change left them stay as they are and are named.

    Raises:
        UnknownEntry: There is no such run or entry, or nothing left to undo.
    """
    runs = app.vault.journal_runs()
    found = _last_with_effect(app, runs) if target is None else _named(runs, target)
    outcome: list[tuple[Batch, list[str]]] = []

    def plan(view: View) -> Batch:
        outcome[:] = [undo_batch(found.run, view)]
        return outcome[0][0]

    app.vault.update(plan, verb=UNDO, undoes=found.run.run if found.whole else None)
    batch, kept = outcome[0]
    return Undone(found.run.run, tuple(dict.fromkeys(_entry_of(change) for change in batch.changes)), tuple(kept))


def latest(app: App, verb: str) -> str | None:
    """Return the name of the last run with this verb; None if there is none."""
    return next((run.run for run in reversed(app.vault.journal_runs()) if run.verb == verb), None)


@dataclass(frozen=True, slots=True)
class _Found:
    """A run to take back, or those of its changes that concern one entry."""

    run: JournalRun
    whole: bool = True


def _named(runs: Sequence[JournalRun], target: str) -> _Found:
    for run in reversed(runs):
        if run.run == target:
            return _Found(run)
        touched = tuple(change for change in run.changes if _concerns(change, target))
        if touched:
            return _Found(run.only(touched), whole=len(touched) == len(run.changes))
    raise _nothing_to_undo(f"No run and no entry is called {target!r}.")


def _last_with_effect(app: App, runs: Sequence[JournalRun]) -> _Found:
    """Pass over what was taken back, and over intents whose pages were never written."""
    view, standing = app.vault.view(), in_effect(runs)
    for run in reversed(runs):
        if run.verb != UNDO and run.run in standing and undo_batch(run, view)[0]:
            return _Found(run)
    raise _nothing_to_undo("There is nothing to undo.")


def _nothing_to_undo(message: str) -> UnknownEntry:
    return UnknownEntry(message, hint="`agent-memory changes` lists what can be taken back.")


def in_effect(runs: Sequence[JournalRun]) -> set[str]:
    """Return the names of the runs that were not taken back, or whose taking back was taken back."""
    undoing = {run.run: run.undoes for run in runs if run.undoes}
    standing: set[str] = set()
    for run in runs:
        standing.add(run.run)
        if run.undoes:
            standing.discard(run.undoes)
            if redone := undoing.get(run.undoes):
                standing.add(redone)
    return standing


def _entry_of(change: Change) -> str:
    match change:
        case Restore():
            return parse(change.raw).memories(change.page)[0].id
        case Add():
            return change.draft.id or ""
        case _:
            return change.id


def _concerns(change: JournalChange, entry_id: str) -> bool:
    """Tell whether a change made the entry what it is, or made another one give way to it."""
    return change.id == entry_id or f" superseded-by:{entry_id} " in (change.after or "")
