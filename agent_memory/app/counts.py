"""How much there is, by agent and category: what whoever looks at a vault sees first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from agent_memory.app.container import App
from agent_memory.app.names import categories
from agent_memory.app.vault import PROPOSED
from agent_memory.errors import FileError
from agent_memory.model.text import open_boxes


@dataclass(frozen=True, slots=True)
class Counts:
    """What one agent has: entries that count, by category, each of them named; proposals; boxes to tick."""

    agent: str
    entries: dict[str, int]
    proposed: int
    open_tasks: int

    @property
    def total(self) -> int:
        """How many entries count."""
        return sum(self.entries.values())


@dataclass(frozen=True, slots=True)
class Contents:
    """Every category, what each agent has, by name, the words of the shared page, and why a page cannot be read."""

    categories: tuple[str, ...]
    agents: tuple[Counts, ...]
    project_words: int
    unreadable: tuple[str, ...]


def contents(app: App) -> Contents:
    """Count what stands in the pages, not in their archives."""
    view = app.shelf.view(fresh=False, partial=True)
    known, here = categories(view), [memory for memory in view.memories if not memory.page.archived]
    active = [memory for memory in here if memory.active]
    entries = Counter((one.page.agent, one.page.category) for one in active)
    proposed = Counter(one.page.agent for one in here if one.status == PROPOSED)
    tasks = (one for one in active if one.page.category == "tasks")
    boxes = Counter(one.page.agent for one in tasks for _ in open_boxes(one.body))
    counted = (
        Counts(agent, {name: entries[agent, name] for name in known}, proposed[agent], boxes[agent])
        for agent in sorted(view.agents)
    )
    words, unreadable = 0, [error.message for error in view.unreadable.values()]
    try:
        words = len(app.shelf.project_text().split())
    except FileError as error:
        unreadable.append(error.message)
    return Contents(known, tuple(counted), words, tuple(unreadable))
