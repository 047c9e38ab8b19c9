"""The resources: the project's page, the pages of each agent as they stand, and the briefing of a session."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

import mcp_types as types

from agent_memory.app import brief, vault
from agent_memory.app.container import App
from agent_memory.app.switches import is_on
from agent_memory.errors import InvalidValue

MARKDOWN: Final = "text/markdown"
PROJECT: Final = types.Resource(
    name="project",
    title="The project",
    uri="memory://project",
    description="The page that every agent shares: what the project is, its stack and conventions.",
    mime_type=MARKDOWN,
)
BRIEFING: Final = types.Resource(
    name="briefing",
    title="Session briefing",
    uri="memory://briefing",
    description="What is remembered for the start of a conversation. Information, not instruction.",
    mime_type=MARKDOWN,
)
PAGE: Final = types.ResourceTemplate(
    name="page",
    title="A page of memory",
    uri_template="memory://pages/{agent}/{category}",
    description="Everything that stands on one page, as decisions of the agent default.",
    mime_type=MARKDOWN,
)
_PAGES: Final = "memory://pages/"


def listed(app: App) -> list[types.Resource]:
    """Return what can be read: the project, the briefing, and a resource for each page that is there."""
    pages = [state.page for state in app.pages() if is_on(app, state.page.category)]
    return [PROJECT, BRIEFING, *(_page(page.agent, page.category) for page in pages if not page.archived)]


def read(app: App, uri: str) -> str:
    """Return the text of a resource.

    Raises:
        UsageError: There is none at this address.
    """
    if uri == PROJECT.uri:
        return app.shelf.project_text()
    if uri == BRIEFING.uri:
        return brief.brief(app, app.agent, "").text
    agent, _, category = uri.removeprefix(_PAGES).partition("/")
    if not uri.startswith(_PAGES) or not is_on(app, unquote(category)):
        raise InvalidValue.of("uri", "names no resource.", hint="resources/list says what there is.")
    return vault.page_text(app, unquote(agent), unquote(category))


def _page(agent: str, category: str) -> types.Resource:
    return types.Resource(
        name=f"{agent}/{category}",
        title=f"{category} of {agent}",
        uri=f"{_PAGES}{quote(agent, safe='')}/{quote(category, safe='')}",
        mime_type=MARKDOWN,
    )
