"""Search without a mirror: straight in the pages, for a vault that cannot be written to or whose disk is broken.

The same interface as the mirror's, and the same ranking behind it; slower, because everything is read anew,
and blind to what was said around an entry. Refuses nothing that the mirror accepts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from agent_memory.mirror import fts
from agent_memory.mirror.queries import EntryRow
from agent_memory.mirror.sync import rows_of
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Choose, Edge, Hit, Lead, Named, Query
from agent_memory.model.text import fold
from agent_memory.vault.view import PageState

Placed = tuple[PageRef, EntryRow]


class Pages:
    """The entries of a vault as they were at one moment, each known by its place in ``_placed``."""

    def __init__(self, pages: Iterable[PageState], redact: Callable[[str], str]) -> None:
        self._pages = tuple(pages)
        self._redact = redact

    def find(self, query: Query, choose: Choose) -> list[Hit]:
        """Return what ``choose`` makes of the entries that ``query`` may mean, with their words, in its order."""
        return [self._hit(lead.row, lead) for lead in choose(self._leads(query))]

    def memories(self, agent: str, category: str, *, limit: int | None = None, open_only: bool = False) -> list[Hit]:
        """Return an agent's active memories of one category, archive included, the latest said first."""
        wanted = Query("", agent=agent, category=category)
        chosen = [
            at for at, (page, row) in enumerate(self._placed) if _is_wanted(page, row, wanted) and row.open >= open_only
        ]
        return [self._hit(at) for at in chosen[: None if limit is None else max(limit, 0)]]

    def _leads(self, query: Query) -> list[Lead]:
        asked = fts.words(" ".join((query.text, *query.phrases)))
        chosen = [at for at, (page, row) in enumerate(self._placed) if _is_wanted(page, row, query)]
        if not asked:
            return [self._lead(at, {}) for at in chosen] if query.chooses else []
        scores = self._scores(asked)
        return [self._lead(at, {"words": scores[at]}) for at in chosen if scores[at] > 0]

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """Return what leads from or to the entries with these ids."""
        wanted = set(ids)
        found = (Edge(row.entry, *edge) for _, row in self._placed for edge in json.loads(row.links or "[]"))
        return [edge for edge in found if not wanted.isdisjoint((edge.source, edge.target))]

    def named(self, ids: Iterable[str], agent: str | None) -> list[Named]:
        """Return an agent's entries with these ids, whatever has become of them."""
        wanted = set(ids)
        chosen = [
            at for at, (page, row) in enumerate(self._placed) if row.entry in wanted and agent in (None, page.agent)
        ]
        return [Named(self._hit(at), self._placed[at][1].active) for at in chosen]

    @cached_property
    def _placed(self) -> list[Placed]:
        """Every entry, the latest said first; of two copies of one the page's, not the archive's."""
        placed = [(state.page, row) for state in self._pages for row in rows_of(state.load(), self._redact)]
        homes = {(page, row.entry) for page, row in placed if not page.archived}
        placed = [
            (page, row) for page, row in placed if not page.archived or (page.counterpart, row.entry) not in homes
        ]
        placed.sort(key=lambda one: (one[0].agent, one[0].category, one[0].archived))
        return sorted(placed, key=lambda one: one[1].at, reverse=True)

    @cached_property
    def _texts(self) -> list[list[str]]:
        return [
            [*fts.spelt(f"{_body(row)} {row.tags}"), *(key for chunk in row.chunks for key in chunk.stems.split())]
            for _, row in self._placed
        ]

    def _scores(self, asked: Sequence[fts.Word]) -> list[float]:
        from rank_bm25 import BM25Plus  # 200 ms, and only here; of its formulas the one that never goes below 0

        if not any(self._texts):
            return [0.0] * len(self._placed)  # of nothing it knows no average
        terms = [term for word in asked for term in word.terms]
        found = set(terms)
        scores = BM25Plus(self._texts).get_scores(terms)
        return [
            float(score) if found.intersection(text) else 0.0 for score, text in zip(scores, self._texts, strict=True)
        ]

    def _lead(self, at: int, parts: dict[str, float]) -> Lead:
        page, row = self._placed[at]
        return Lead(at, page, row.said_at, row.author, row.conversation, row.language, row.cast, parts)

    def _hit(self, at: int, lead: Lead | None = None) -> Hit:
        page, row = self._placed[at]
        score, parts = (lead.score, lead.parts) if lead else (0.0, {})
        return Hit(page, row.entry, row.said_at, tuple(row.tags.split()), _body(row), score, parts=parts)


def _body(row: EntryRow) -> str:
    return "".join(chunk.body for chunk in row.chunks)


def _is_wanted(page: PageRef, row: EntryRow, query: Query) -> bool:
    """Tell whether everything is true of an entry that the query demands."""
    body = f" {' '.join(fts.spelt(_body(row)))} "
    stems = {key for chunk in row.chunks for key in chunk.stems.split()} | set(body.split())
    return (
        query.agent in (None, page.agent)
        and query.category in (None, page.category)
        and (row.active or query.inactive)
        and (query.after is None or row.said_at >= query.after)
        and (query.before is None or row.said_at < query.before)
        and all(f" {fold(tag)} " in row.found_tags for tag in query.tags)
        and all(f" {' '.join(fts.spelt(text))} " in body for text in query.phrases)
        and all(stems.isdisjoint(term for word in fts.words(text) for term in word.terms) for text in query.without)
    )
