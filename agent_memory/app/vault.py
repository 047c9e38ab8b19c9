"""The vault by hand: list, read, add, edit and delete entries, see what changed, and take changes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent_memory.app.container import App
from agent_memory.errors import UnknownAgent, UnknownCategory, UnknownEntry, UsageError
from agent_memory.fabric.catalogue import CATEGORY_NAMES
from agent_memory.model.ids import check_name
from agent_memory.model.memory import Add, Amend, Batch, Draft, Memory, PageRef, Remove
from agent_memory.model.text import one_line, open_boxes, shorten
from agent_memory.redaction import redact
from agent_memory.vault.journal import JournalChange, JournalRun, undo_batch
from agent_memory.vault.page import parse
from agent_memory.vault.store import View

SUMMARY_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it stands after a change, and how many secrets were taken out of what was given."""

    memory: Memory
    redactions: int


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """One entry's change, for people: what, where, which, and how its words begin."""

    op: str
    page: str
    id: str
    snippet: str


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


def agents(app: App) -> list[str]:
    """Return the agents that have pages."""
    return list(app.vault.agents())


def categories(view: View) -> tuple[str, ...]:
    """Return the categories we know and those that users have added pages for."""
    added = sorted({memory.page.category for memory in view.memories} - set(CATEGORY_NAMES))
    return (*CATEGORY_NAMES, *added)


def check_agent(app: App, agent: str) -> str:
    """Return ``agent`` if it is the workspace's own or has pages.

    Raises:
        UnknownAgent: Neither.
        InvalidName: It cannot be an agent at all.
    """
    check_name(agent, "an agent")
    known = agents(app)
    if agent != app.agent and agent not in known:
        listed = ", ".join(known) or "none yet"
        raise UnknownAgent(f"There is no agent {agent!r}.", hint=f"Agents with pages: {listed}.", agent=agent)
    return agent


def check_category(view: View, category: str) -> str:
    """Return ``category`` if there is such a one.

    Raises:
        UnknownCategory: There is not.
    """
    known = categories(view)
    if category not in known:
        raise UnknownCategory(
            f"There is no category {category!r}.", hint=f"Categories: {', '.join(known)}.", category=category
        )
    return category


def entries(app: App, agent: str, category: str) -> list[Memory]:
    """Return the entries of one page, as they stand, superseded ones and the archive's left out."""
    view = app.vault.view()
    check_agent(app, agent)
    check_category(view, category)
    return [memory for memory in view.of(agent, category, archived=False) if memory.active]


def entry(app: App, agent: str, category: str, entry_id: str) -> Memory:
    """Return one entry, from the page or its archive, whatever its status.

    Raises:
        UnknownEntry: Nothing there has this id.
    """
    view = app.vault.view()
    check_agent(app, agent)
    check_category(view, category)
    return _find(view, agent, category, entry_id)


def add(app: App, agent: str, category: str, content: str, tags: Sequence[str]) -> Written:
    """Write a new entry dated now, as the user's own."""
    check_name(agent, "an agent")
    body, redactions = _body(content)
    check_category(app.vault.view(), category)
    body = as_tasks(body) if category == "tasks" else body
    now = app.clock.now()
    draft = Draft(body=body, at=now, by="user", tags=tuple(tag.strip().lstrip("#") for tag in tags if tag.strip()))
    applied = app.vault.update(lambda view: Batch((Add(PageRef(agent, category), draft),)), verb="vault add")
    return Written(_standing(app, applied.added[0]), redactions)


def edit(app: App, agent: str, category: str, entry_id: str, content: str) -> Written:
    """Replace the words of an entry; they count as a person's from then on."""
    body, redactions = _body(content)
    entry(app, agent, category, entry_id)

    def plan(view: View) -> Batch:
        memory = _find(view, agent, category, entry_id)
        return Batch((Amend(memory.page, memory.id, body=body, by_person=True),))

    applied = app.vault.update(plan, verb="vault edit")
    return Written(_standing(app, applied.amended[0] if applied.amended else entry_id), redactions)


def delete(app: App, agent: str, category: str, entry_id: str) -> Memory:
    """Take an entry out of the vault; the journal keeps its text, and re-reading does not bring it back."""
    memory = entry(app, agent, category, entry_id)

    def plan(view: View) -> Batch:
        found = _find(view, agent, category, entry_id)
        return Batch((Remove(found.page, found.id),))

    app.vault.update(plan, verb="vault delete")
    return memory


def changes(app: App, *, since: datetime | None, limit: int) -> list[RunSummary]:
    """Return what was done to the vault from ``since`` on, newest first."""
    runs = app.vault.journal_runs()
    undone = {run.undoes for run in runs if run.undoes}
    wanted = [run for run in reversed(runs) if since is None or run.at >= since]
    return [_summary(run, undone=run.run in undone) for run in wanted[:limit]]


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
        raise UsageError(f"{text!r} is no date.", hint="Write it as 2026-03-16.", text=text) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _summary(run: JournalRun, *, undone: bool) -> RunSummary:
    rows = tuple(
        ChangeSummary(change.op, change.page, change.id, _words_of(change.after or change.before or ""))
        for change in run.changes
    )
    return RunSummary(run.run, run.at, run.verb, run.undoes, undone, rows)


def _words_of(raw: str) -> str:
    """Return the beginning of an entry's body, given its exact text."""
    return shorten(one_line(" ".join(memory.body for memory in parse(raw).memories(PageRef("", "")))), SUMMARY_CHARS)


def undo(app: App, target: str | None) -> Undone:
    """Take back a run, or one entry's last change; without a target, the last run not yet taken back.

    Entries that are no longer as the change left them stay as they are and are named.

    Raises:
        UnknownEntry: There is no such run or entry, or nothing left to undo.
    """
    run = _run_to_undo(app.vault.journal_runs(), target)
    kept: list[str] = []

    def plan(view: View) -> Batch:
        batch, left = undo_batch(run, view)
        kept[:] = left
        return batch

    app.vault.update(plan, verb="undo", undoes=run.run)
    undone = tuple(dict.fromkeys(change.id for change in run.changes if change.id not in kept))
    return Undone(run.run, undone, tuple(kept))


def _run_to_undo(runs: Sequence[JournalRun], target: str | None) -> JournalRun:
    undone = {run.undoes for run in runs if run.undoes}
    for run in reversed(runs):
        if target is None and (run.undoes or run.run in undone or not run.changes):
            continue
        if target is None or run.run == target:
            return run
        touched = tuple(change for change in run.changes if _concerns(change, target))
        if touched:
            return run.only(touched)
    what = "There is nothing to undo." if target is None else f"No run and no entry is called {target!r}."
    raise UnknownEntry(what, hint="`agent-memory changes` lists what can be taken back.", id=target)


def _concerns(change: JournalChange, entry_id: str) -> bool:
    """Tell whether a change made the entry what it is, or made another one give way to it."""
    return change.id == entry_id or f" superseded-by:{entry_id} " in (change.after or "")


def as_tasks(body: str) -> str:
    """Return the words of a task with a box to tick, unless they bring their own; later lines are indented."""
    if open_boxes(body) or "[x]" in body.lower():
        return body
    return "- [ ] " + body.removeprefix("- ").replace("\n", "\n  ")


def _body(content: str) -> tuple[str, int]:
    redacted = redact(content)
    if not redacted.text.strip():
        raise UsageError("An entry needs some text.", hint="Give it with --content, --file or on standard input.")
    return redacted.text.strip("\n"), redacted.count


def _find(view: View, agent: str, category: str, entry_id: str) -> Memory:
    for memory in view.by_id(entry_id):
        if (memory.page.agent, memory.page.category) == (agent, category):
            return memory
    raise UnknownEntry(
        f"{agent}/{category} has no entry {entry_id!r}.",
        hint=f"`agent-memory vault list {agent} {category}` shows the ids.",
        id=entry_id,
    )


def _standing(app: App, entry_id: str) -> Memory:
    return app.vault.view().by_id(entry_id)[0]
