"""Editors: where each keeps its transcripts, and what the bytes mean. ``SOURCES`` is the one list."""

from __future__ import annotations

from typing import Final

from agent_memory.errors import UsageError
from agent_memory.sources import cursor, dashboard
from agent_memory.sources.base import Source

SOURCES: Final = (cursor.CURSOR, dashboard.DASHBOARD)


def source_named(name: str) -> Source:
    """Return the source that conversations call ``name``; ``UsageError`` if there is none."""
    for source in SOURCES:
        if source.name == name:
            return source
    known = ", ".join(source.name for source in SOURCES)
    raise UsageError(f"There is no source {name!r}.", hint=f"Known: {known}.", source=name)
