"""What distilled entries still say of something that was replaced: that line goes, and with the last one the entry.

A procedure whose steps are out of date is let go whole, for nobody knows what it comes to without one. Pure.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from agent_memory.extraction.sentences import sentences
from agent_memory.fabric.lessons import LESSONS, is_kept, parents_of
from agent_memory.fabric.telling import words_of
from agent_memory.model.memory import Amend, Memory
from agent_memory.model.text import normalise
from agent_memory.vault.view import View

FROM_IT: Final = 0.6
"""A sentence that has this part of its telling words from an entry is that entry's."""


def without_replaced(view: View, gone: Container[str]) -> tuple[list[Amend], list[tuple[Memory, str]]]:
    """Return the changes that take out what was replaced, and the distilled entries of which nothing is left.

    Args:
        view: The vault.
        gone: The ids of entries that are about to be superseded.
    """
    changes, empty = list[Amend](), list[tuple[Memory, str]]()
    for memory in view.memories:
        if not memory.active or memory.meta.get("by") != "consolidation" or is_kept(memory):
            continue
        parents = [parent for name in parents_of(memory) for parent in view.by_id(name)[:1]]
        stale = [one for one in parents if one.id in gone or one.status == "superseded"]
        standing = [normalise(one.body) for one in parents if one not in stale]
        lines = memory.body.split("\n")
        left = [line for line in lines if not _is_of(line, stale, standing)] if stale else lines
        if len(left) < len(lines) and left and memory.page.category == LESSONS:
            changes.append(Amend(memory.page, memory.id, body="\n".join(left)))
        elif len(left) < len(lines):
            empty.append((memory, "replaced"))
    return changes, empty


def _is_of(line: str, stale: list[Memory], standing: list[str]) -> bool:
    """Tell whether a line says what entries say that hold no more, and none that stands does so word for word."""
    if any(normalise(line) in body for body in standing):
        return False
    told = [terms for one in sentences(line) if (terms := words_of(one.text))]
    return any(len(terms & words_of(one.body)) >= FROM_IT * len(terms) for one in stale for terms in told)
