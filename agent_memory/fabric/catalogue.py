"""The one list of categories and what is special about each; a category a user adds has no row and no rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent_memory.model.memory import Memory
from agent_memory.model.text import open_boxes


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of memory.

    ``compacts`` tells which of its entries upkeep may move to the archive once the page is long.
    """

    name: str
    compacts: Callable[[Memory], bool]


def _every(memory: Memory) -> bool:
    return True


def _extracted(memory: Memory) -> bool:
    return memory.meta.get("by") in {"heuristic", "reflection"}


def is_done(memory: Memory) -> bool:
    """Tell whether a task entry has no open line left."""
    return not open_boxes(memory.body)


def _is_past(memory: Memory) -> bool:
    return not memory.active


def _none(memory: Memory) -> bool:
    return False


CATEGORIES: Final = (
    Category("decisions", compacts=_every),
    Category("lessons", compacts=_extracted),
    Category("tasks", compacts=is_done),
    Category("projects", compacts=_every),
    Category("handoffs", compacts=_every),
    Category("profile", compacts=_is_past),
    Category("notes", compacts=_none),
)
CATEGORY_NAMES: Final = tuple(category.name for category in CATEGORIES)
