"""Tasks: an agent's own to-do list, and tasks that somebody reports done.

A task is proposed as ``- [ ] text``. A task that is finished is proposed again, under the same key, as
``- [x] text``: whoever takes candidates ticks the entry that has the key. It refuses to close a task on
a vague report: two of its words must stand in a sentence that says that something is done.
"""

from __future__ import annotations

from typing import Final

from agent_memory.extraction.body import MAX_BODY_CHARS
from agent_memory.extraction.likeness import shared
from agent_memory.extraction.memo import Memo, OpenTask
from agent_memory.extraction.observe import Observation
from agent_memory.model.ids import key_of
from agent_memory.model.text import one_line, shorten
from agent_memory.model.transcript import Turn

FINISHED: Final = frozenset({"completed", "complete", "done", "cancelled", "canceled"})
MAX_TASKS: Final = 40


def todos_of(turn: Turn) -> dict[str, str]:
    """Return the states of a turn's to-do items by their text on one line, as the turn's last list has them."""
    todos = (todo for record in turn.records for tool in record.tools for todo in tool.todos)
    return {shorten(one_line(todo.text), MAX_BODY_CHARS): todo.status.lower() for todo in todos if todo.text.strip()}


def open_todos(turn: Turn) -> list[OpenTask]:
    """Return what the agent's own list still has to do when its turn closes.

    A list on which nothing was ever ticked is the plan of a turn, not a record of what was left over.
    """
    todos = todos_of(turn)
    if not any(state in FINISHED for state in todos.values()):
        return []
    return [
        OpenTask(key_of(turn.conversation, "assistant", text), text, todo=True)
        for text, state in todos.items()
        if state not in FINISHED
    ]


def finished(memo: Memo, turn: Turn, observed: list[Observation]) -> list[OpenTask]:
    """Return the open tasks that this turn closes: ticked off a list, or reported done."""
    ticked = {text for text, state in todos_of(turn).items() if state in FINISHED}
    reports = [
        one.sentence.text for one in observed if "done-report" in one.signals and "veto:question" not in one.signals
    ]
    return [
        task
        for task in memo.tasks
        if (task.text in ticked if task.todo else any(_closes(report, task.text) for report in reports))
    ]


def _closes(report: str, task: str) -> bool:
    common, share = shared(report, task)
    return common >= 2 and share >= 0.5


def after(memo: Memo, opened: list[OpenTask], closed: list[OpenTask]) -> tuple[OpenTask, ...]:
    """Return the open tasks once some were opened and some closed, the newest 40 of them."""
    gone = {task.key for task in closed}
    by_key = {task.key: task for task in (*memo.tasks, *opened) if task.key not in gone}
    return tuple(by_key.values())[-MAX_TASKS:]
