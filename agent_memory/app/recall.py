"""Finding memories again."""

from __future__ import annotations

from agent_memory.app.container import App
from agent_memory.app.names import check_agent, check_category
from agent_memory.model.recall import Hit, Query
from agent_memory.recall.engine import recall


def search(app: App, query: Query) -> list[Hit]:
    """Return what the vault, as it is now, has on a query; best first.

    Raises:
        UnknownAgent: The query names one that has no pages.
        UnknownCategory: The query names one that does not exist.
    """
    if query.agent is not None:
        check_agent(app, query.agent)
    if query.category is not None and query.category not in {state.page.category for state in app.pages()}:
        check_category(app.shelf.view(fresh=False), query.category)
    return recall(app.index, query) if app.folder.root.exists() else []
