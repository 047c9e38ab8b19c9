"""Tasks: what is open, and ticking it. The checkbox is the truth, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.names import check_agent
from agent_memory.app.vault import checked
from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.model.memory import Amend, Batch, Memory
from agent_memory.model.text import one_line, open_boxes
from agent_memory.vault.view import View

CATEGORY: Final = "tasks"


@dataclass(frozen=True, slots=True)
class Task:
    """One box that is not ticked: the entry it stands in, when that was said, and the words behind the box."""

    id: str
    at: datetime
    words: str


def open_tasks(app: App, agent: str) -> list[Task]:
    """Return every box of an agent that is not ticked, the latest said first."""
    agent = check_agent(app, agent)
    active = [memory for memory in app.vault.view().of(agent, CATEGORY, archived=False) if memory.active]
    return [task for memory in active for task in _tasks(memory)]


def done(app: App, agent: str, entry_id: str, words: str = "", *, expected: str | None = None) -> Task:
    """Tick one box, in a person's words too, of which nothing else changes.

    Args:
        app: The product.
        agent: Whose task.
        entry_id: The entry it stands in.
        words: Which of the entry's boxes, if it has several.
        expected: The revision that the entry must have; any, if None.

    Raises:
        UnknownEntry: There is no such task.
        InvalidValue: Nothing there is open, or several are (``facts["field"]`` is ``id`` or ``words``).
        Outdated: The entry has another revision.
    """
    agent = check_agent(app, agent)
    ticked: list[Task] = []

    def plan(view: View) -> Batch:
        memory = checked(_found(view, agent, entry_id), expected)
        ticked[:] = [_chosen(memory, words)]
        body = _tick(memory.body, ticked[0].words)
        return Batch((Amend(memory.page, memory.id, body=body, by_person=memory.edited),))

    app.vault.update(plan, verb="tasks done")
    return ticked[0]


def _tasks(memory: Memory) -> list[Task]:
    return [Task(memory.id, memory.at, words) for words in open_boxes(memory.body)]


def _found(view: View, agent: str, entry_id: str) -> Memory:
    for memory in view.of(agent, CATEGORY):
        if memory.id == entry_id:
            return memory
    raise UnknownEntry(f"There is no task {entry_id!r}.", hint="A list of the open tasks has their ids.", id=entry_id)


def _chosen(memory: Memory, words: str) -> Task:
    standing = _tasks(memory)
    if not standing:
        raise InvalidValue.of("id", "nothing is open in this entry.", hint="It is done already.")
    wanted = [task for task in standing if one_line(task.words) == one_line(words)] if words.strip() else standing
    if len(wanted) != 1 and not (wanted and words.strip()):
        raise InvalidValue.of(
            "words", f"must be those of one of the {len(standing)} open tasks of this entry.", hint="List the tasks."
        )
    return wanted[0]


def _tick(body: str, words: str) -> str:
    """Return the body with the first open box ticked that has these words; every other character stays."""
    box = re.compile(rf"^([ \t]*(?:[-*+]|\d{{1,9}}[.)])[ \t]+\[) (\][ \t]+{re.escape(words)}[ \t]*)$", re.MULTILINE)
    return box.sub(r"\1x\2", body, count=1)
