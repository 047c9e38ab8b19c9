"""The one list of categories and what is special about each; a category a user adds has no row and no rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent_memory.model.memory import Memory
from agent_memory.model.text import open_boxes


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of memory; ``compacts`` tells which entries upkeep may move to the archive once the page is long."""

    name: str
    compacts: Callable[[Memory], bool]


MACHINES: Final = frozenset({"heuristic", "reflection", "consolidation"})

CATEGORIES: Final = (
    Category("decisions", compacts=lambda memory: True),
    Category("lessons", compacts=lambda memory: memory.meta.get("by") in MACHINES),
    Category("tasks", compacts=lambda memory: not open_boxes(memory.body)),
    Category("projects", compacts=lambda memory: True),
    Category("handoffs", compacts=lambda memory: True),
    Category("profile", compacts=lambda memory: not memory.active),
    Category("notes", compacts=lambda memory: False),
    Category("procedures", compacts=lambda memory: memory.meta.get("by") in MACHINES),
)
CATEGORY_NAMES: Final = tuple(category.name for category in CATEGORIES)
