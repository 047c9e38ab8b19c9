"""Finding memories again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agent_memory.app.container import App
from agent_memory.app.names import check_agent, check_category
from agent_memory.model.recall import Hit, Query
from agent_memory.model.votes import Fading
from agent_memory.recall.engine import excerpted, recall

if TYPE_CHECKING:
    from agent_memory.recall.rewrite import History


def search(app: App, query: Query, *, session: str = "", history: History = ()) -> list[Hit]:
    """Return what the vault, as it is now, has on a query; best first.

    Args:
        app: The product.
        query: What is looked for.
        session: The conversation that it is from, if it is from one; what it is told is remembered for it.
        history: What was said there before, oldest first: what the query refers to is looked for too.

    Raises:
        UnknownAgent: The query names one that has no pages.
        UnknownCategory: The query names one that does not exist.
    """
    if query.agent is not None:
        query = replace(query, agent=check_agent(app, query.agent))
    if query.category is not None and query.category not in {state.page.category for state in app.pages()}:
        check_category(app.shelf.view(fresh=False), query.category)
    if not app.folder.root.exists():
        return []
    query = replace(query, text=asked_for(app, session, query.text, history), fading=fading(app))
    hits = recall(app.index, query)
    if session:
        from agent_memory.app import surfaced  # most searches are nobody's

        surfaced.note(app, session, (hit.id for hit in hits))
    return excerpted(hits, query)


def fading(app: App) -> Fading:
    """Return how much old votes count today."""
    return Fading(app.clock.now(), app.settings.number("voting.signal_decay"))


def asked_for(app: App, session: str, message: str, history: History) -> str:
    """Return what is looked for on behalf of a message, which may refer to what was said before it."""
    if not history:
        return message
    from agent_memory.app.rewriting import query_for  # most messages come alone

    return query_for(app, session, message, history)
