"""The vault by hand: list, read, add, edit and delete entries."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from agent_memory.app.container import App
from agent_memory.app.names import agents, check_agent, check_category
from agent_memory.errors import (
    FileError,
    InvalidValue,
    Outdated,
    PageConflict,
    UnknownCategory,
    UnknownEntry,
    UsageError,
)
from agent_memory.model.ids import digest
from agent_memory.model.memory import Add, Amend, Author, Batch, Draft, Memory, PageRef, Remove
from agent_memory.model.text import open_boxes
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.vault.store import View, refuse_secret

__all__ = ["accept", "add", "agents", "delete", "edit", "entries", "entry", "entry_named", "reject"]

Shown = Literal["active", "proposed", "archived", "all"]

PROPOSED: Final = "proposed"


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as it stands after a change, and how many secrets were taken out of what was given."""

    memory: Memory
    redactions: int


def entries(app: App, agent: str, category: str, show: Shown = "active") -> list[Memory]:
    """Return the entries of one page, as they stand: what counts, what is proposed, its archive, or all there is."""
    view = app.vault.view(partial=True)
    agent = check_agent(app, agent)
    check_category(view, category)
    if error := view.refusal(agent, (category,)):
        raise error
    here = view.of(agent, category, archived={"archived": True, "all": None}.get(show, False))
    wanted: dict[str, Callable[[Memory], bool]] = {
        "active": lambda memory: memory.active,
        "proposed": lambda memory: memory.status == PROPOSED,
    }
    return list(filter(wanted.get(show), here))


def entry(app: App, agent: str, category: str, entry_id: str) -> Memory:
    """Return one entry, from the page or its archive, whatever its status.

    Raises:
        UnknownEntry: Nothing there has this id.
    """
    view = app.vault.view()
    check_category(view, category)
    return _find(view, check_agent(app, agent), category, entry_id)


def entry_named(app: App, entry_id: str) -> Memory:
    """Return the entry with this id, from whatever page or archive it stands in; pages that cannot be read are named.

    Raises:
        UnknownEntry: There is none.
        FileError: There is none in what can be read, and not all can.
    """
    view = app.vault.view(partial=True)
    copies = view.by_id(entry_id)
    for page, error in view.unreadable.items():
        if not copies:
            raise error
        app.leave_out(page, error)
    if not copies:
        raise UnknownEntry(f"There is no entry {entry_id!r}.", hint="`agent-memory search` and `vault list` show ids.")
    return copies[0]


def revisions(app: App) -> dict[str, str]:
    """Return what changes with every change to a page, by the page's path; the shared page is among them."""
    found = {state.page.path: state.digest for state in app.pages()}
    with contextlib.suppress(FileError):  # whoever asks for that page is told
        found[app.folder.project.name] = digest(app.shelf.project_text())
    return found


def page_text(app: App, agent: str, category: str) -> str:
    """Return a page as it stands on disk.

    Raises:
        UnknownCategory: The agent has no such page.
    """
    agent = check_agent(app, agent)
    text = files.read_text(app.shelf.path_of(PageRef(agent, category)))
    if text is None:
        raise UnknownCategory(
            f"{agent} has no page {category!r}.", hint="Name a page that is there.", category=category
        )
    return text


def add(app: App, agent: str, category: str, content: str, tags: Sequence[str], *, by: Author = "user") -> Written:
    """Write a new entry dated now; the user's own, unless it is ``by`` somebody else."""
    agent = app.agent_named(agent)
    refuse_secret(agent)
    body, redactions = _body(content)
    check_category(app.vault.view(), category)
    body = as_tasks(body) if category == "tasks" else body
    now = app.clock.now()
    clean = tuple(tag.strip().lstrip("#") for tag in tags if tag.strip() and not redact(tag).count)
    draft = Draft(body=body, at=now, by=by, tags=clean)
    run = app.vault.update(lambda view: Batch((Add(PageRef(agent, category), draft),)), verb="vault add")
    return Written(_standing(app, run.ids("add")[0]), redactions)


def revision(memory: Memory) -> str:
    """Return what changes with every change to an entry, for who edits what was read some time ago."""
    return digest(memory.page.path, memory.raw)


def edit(  # noqa: PLR0913 (which entry, its words, and on what terms)
    app: App,
    agent: str,
    category: str,
    entry_id: str,
    content: str,
    *,
    by_person: bool = True,
    expected: str | None = None,
) -> Written:
    """Replace the words of an entry; they count as a person's from then on, unless no person gave them.

    Raises:
        Outdated: It has another ``revision`` than the ``expected`` one.
        InvalidValue: A person's words are to be replaced by others' (``facts["field"]`` is ``id``).
    """
    body, redactions = _body(content)
    agent = entry(app, agent, category, entry_id).page.agent

    def plan(view: View) -> Batch:
        memory = checked(_find(view, agent, category, entry_id), expected)
        if not by_person and (memory.edited or memory.meta.get("by", "user") == "user"):
            raise InvalidValue.of("id", "a person wrote these words.", hint="Add an entry beside it.")
        return Batch((Amend(memory.page, memory.id, body=body, by_person=by_person),))

    amended = app.vault.update(plan, verb="vault edit").ids("amend")
    return Written(_standing(app, amended[0] if amended else entry_id), redactions)


def entry_fields(memory: Memory) -> dict[str, Any]:
    """Return an entry as other programs are told of it."""
    confidence = memory.meta.get("confidence", "")
    return {
        "id": memory.id,
        "date": memory.at.strftime("%Y-%m-%dT%H:%M"),
        "tags": list(memory.tags),
        "content": memory.body,
        "agent": memory.page.agent,
        "category": memory.page.category,
        "status": memory.status or "active",
        "archived": memory.page.archived,
        "by": memory.meta.get("by", "user"),
        "edited": memory.edited,
        "origin": memory.meta.get("origin"),
        "confidence": float(confidence) if re.fullmatch(r"\d(\.\d+)?", confidence) else None,
    }


def checked(memory: Memory, expected: str | None) -> Memory:
    """Return an entry if it has the ``expected`` revision, or none is.

    Raises:
        Outdated: It has another.
    """
    if expected is not None and revision(memory) != expected:
        raise Outdated(f"Entry {memory.id} has changed since it was read.", hint="Read it again.", current=memory)
    return memory


def accept(app: App, agent: str, category: str, entry_id: str) -> Memory:
    """Let a proposal count.

    Raises:
        UnknownEntry: No proposal there has this id.
    """
    _change(app, agent, category, entry_id, _accepted, verb="vault accept")
    return _standing(app, entry_id)


def reject(app: App, agent: str, category: str, entry_id: str) -> Memory:
    """Drop a proposal; re-reading does not bring it back.

    Raises:
        UnknownEntry: No proposal there has this id.
    """
    return _change(app, agent, category, entry_id, lambda memory: _taken_out(_proposal(memory)), verb="vault reject")


def delete(app: App, agent: str, category: str, entry_id: str, *, expected: str | None = None) -> Memory:
    """Take an entry out of the vault; the journal keeps its text, and re-reading does not bring it back.

    Raises:
        Outdated: It has another ``revision`` than the ``expected`` one.
    """
    change = _taken_out if expected is None else lambda memory: _taken_out(checked(memory, expected))
    return _change(app, agent, category, entry_id, change, verb="vault delete")


def _change(
    app: App, agent: str, category: str, entry_id: str, change: Callable[[Memory], Amend | Remove], *, verb: str
) -> Memory:
    """Change an entry as it stands under the lock; return it as it was."""
    before: list[Memory] = []

    def plan(view: View) -> Batch:
        before[:] = [_find(view, agent, category, entry_id)]
        return Batch((change(before[0]),))

    agent = entry(app, agent, category, entry_id).page.agent
    app.vault.update(plan, verb=verb)
    return before[0]


def _taken_out(memory: Memory) -> Remove:
    return Remove(memory.page, memory.id)


def _accepted(memory: Memory) -> Amend:
    return Amend(memory.page, _proposal(memory).id, meta={"status": None})


def _proposal(memory: Memory) -> Memory:
    if memory.status != PROPOSED:
        hint = f"`agent-memory vault list {memory.page.agent} {memory.page.category} --proposed` shows what is."
        raise UnknownEntry(f"Entry {memory.id} is no proposal.", hint=hint)
    return memory


def as_tasks(body: str) -> str:
    """Return the words of a task with a box to tick, unless they bring their own; later lines are indented."""
    if open_boxes(body) or "[x]" in body.lower():
        return body
    return "- [ ] " + body.removeprefix("- ").replace("\n", "\n  ")


def _body(content: str) -> tuple[str, int]:
    redacted = redact(content)
    if not redacted.text.strip():
        hint = "Give it with --content, --file or on standard input."
        raise UsageError("An entry needs some text.", hint=hint, field="content")
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
    standing = app.vault.view().by_id(entry_id)
    if not standing:
        raise PageConflict(
            f"Entry {entry_id} was written, but something has overwritten its page since.",
            hint="`agent-memory doctor` lists what was overwritten.",
            id=entry_id,
        )
    return standing[0]
