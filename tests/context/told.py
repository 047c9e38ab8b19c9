"""A vault in a list, and what a briefing asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agent_memory.context.sections import Source
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Hit
from agent_memory.model.text import words
from tests.builders import A_DAY

CATEGORIES = ("decisions", "lessons", "tasks", "projects", "handoffs", "notes", "profile", "procedures")


def a_hit(
    body: str = "Use SQLite for the mirror.",
    *,
    category: str = "decisions",
    id: str = "1773679871839",  # noqa: A002
    at: datetime = A_DAY,
    tags: tuple[str, ...] = (),
) -> Hit:
    return Hit(PageRef("default", category), id, at, tags, body, score=1.0, parts={"bm25": 1.0})


def a_source(*vault: Hit, **asked: Any) -> Source:
    """What ``vault`` has: a search finds what shares a word, in the order of the vault."""
    newest = sorted(vault, key=lambda hit: hit.at, reverse=True)

    def search(text: str, category: str | None, limit: int) -> Sequence[Hit]:
        wanted = set(words(text[:1000])) - {"mais", "the", "and"}
        found = (hit for hit in vault if wanted & set(words(hit.body[:1000])))
        return [hit for hit in found if category in (None, hit.page.category)][:limit]

    def latest(category: str, limit: int | None) -> Sequence[Hit]:
        return [hit for hit in newest if hit.page.category == category][:limit]

    def tagged(tag: str, limit: int) -> Sequence[Hit]:
        return [hit for hit in vault if tag in hit.tags][:limit]

    profile = latest("profile", None)
    return Source(search=search, latest=latest, tagged=tagged, profile=lambda _text: profile, **asked)
