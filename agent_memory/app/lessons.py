"""Lessons and procedures: recalled by what they say and by when they come to mind, or looked up by id, which is use."""

from __future__ import annotations

from typing import Any, Final, Literal

from agent_memory.app.container import App
from agent_memory.app.recall import fading
from agent_memory.errors import DatabaseError, FileError, InvalidValue, UnknownEntry
from agent_memory.fabric.lessons import parents_of
from agent_memory.model.memory import ACTIVATION, Amend, Batch, Memory
from agent_memory.model.recall import Query
from agent_memory.recall.engine import recall as search
from agent_memory.redaction import redact
from agent_memory.system import logs
from agent_memory.vault.view import View

Shelf = Literal["lessons", "procedures"]

MAX_K: Final = 10

_log = logs.get("lessons")


def recall(app: App, shelf: Shelf, text: str, *, k: int | None = None, agent: str | None = None) -> list[Memory]:
    """Return the lessons, or the procedures, that ``text`` speaks of, best first; none that was deprecated.

    Args:
        app: The product.
        shelf: Which of the two.
        text: What is looked for, of any length.
        k: How many at most, 1 to 10; the setting's number, if None.
        agent: Whose; the workspace's own, if None.

    Raises:
        InvalidValue: ``facts["field"]`` is ``query`` or ``k``.
    """
    limit = app.settings.count(f"{shelf}.recall_k") if k is None else k
    if k is not None and not 1 <= k <= MAX_K:
        raise InvalidValue.of("k", f"must be from 1 to {MAX_K}.")
    if not text.strip():
        raise InvalidValue.of("query", "must not be empty.", hint="Give words, or an id.")
    whose = app.agent_named(agent or app.agent)
    if not app.folder.root.exists():
        return []
    hits = search(app.index, Query(text, agent=whose, category=shelf, limit=limit, fading=fading(app)))
    view = app.shelf.view(fresh=False)
    found = (next((one for one in view.by_id(hit.id) if one.page.category == shelf), None) for hit in hits)
    return [memory for memory in found if memory is not None]


def by_id(app: App, shelf: Shelf, entry_id: str) -> Memory:
    """Return one lesson or procedure, whatever has become of it; that counts as a use of it.

    Raises:
        UnknownEntry: None has this id.
    """
    memory = _of(app.shelf.view(fresh=False), shelf, entry_id)
    try:
        app.state.uses.count([memory.id], app.clock.now())
    except (DatabaseError, FileError) as error:  # a vault that cannot be written can still be read
        _log.info("a use could not be counted: %s", error.message)
    return memory


def deprecate(app: App, shelf: Shelf, entry_id: str) -> Memory:
    """Have one lesson or procedure told no more, whoever wrote it; its id still finds it, and ``undo`` brings it back.

    Raises:
        UnknownEntry: None has this id.
    """

    def plan(view: View) -> Batch:
        memory = _of(view, shelf, entry_id)
        return Batch((Amend(memory.page, memory.id, meta={"status": "deprecated"}),))

    run = app.vault.update(plan, verb=f"{shelf} deprecate")
    return _of(app.vault.view(), shelf, (*run.ids("amend"), entry_id)[0])


def _of(view: View, shelf: Shelf, entry_id: str) -> Memory:
    for memory in view.by_id(entry_id):
        if memory.page.category == shelf:
            return memory
    raise UnknownEntry(
        f"{shelf} has no entry {entry_id!r}.", hint=f"`agent-memory {shelf} recall` shows ids.", id=entry_id
    )


def fields(app: App, memory: Memory) -> dict[str, Any]:
    """Return a lesson or a procedure as other programs are told of it."""
    return {
        "id": memory.id,
        "agent": memory.page.agent,
        "date": f"{memory.at:%Y-%m-%dT%H:%M}",
        "tags": list(memory.tags),
        "activation": redact(memory.meta.get(ACTIVATION, "")).text,
        "content": redact(memory.body).text,
        "parents": list(parents_of(memory)),
        "status": memory.status or "active",
        "votes": round(fading(app).of(memory.meta), 2),
    }
