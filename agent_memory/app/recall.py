"""Finding memories again, and the briefing that packs what matters for the next prompt."""

from __future__ import annotations

from agent_memory.app.container import App
from agent_memory.app.vault import check_agent, check_category
from agent_memory.context import build as context
from agent_memory.context.build import Limits
from agent_memory.model.recall import Briefing, Hit, Query
from agent_memory.recall.engine import recall
from agent_memory.redaction import redact


def search(app: App, query: Query) -> list[Hit]:
    """Return what the vault, as it is now, has on a query; best first.

    Raises:
        UnknownAgent: The query names one that has no pages.
        UnknownCategory: The query names one that does not exist.
    """
    if query.agent is not None:
        check_agent(app, query.agent)
    if query.category is not None:
        check_category(app.vault.view(), query.category)
    return recall(app.mirror, query) if app.folder.root.exists() else []


def brief(app: App, agent: str, command: str) -> Briefing:
    """Pack what ``agent`` needs for ``command`` into the budget of the settings.

    Raises:
        UnknownAgent: It has no pages and is not the workspace's own.
    """
    check_agent(app, agent)
    limits = Limits(
        max_tokens=app.settings.count("context.max_tokens"),
        decisions=app.settings.count("context.decisions"),
        lessons=app.settings.count("context.lessons"),
    )
    if not app.folder.root.exists():
        return context.build(agent, command, max_tokens=limits.max_tokens)
    project = redact(app.vault.project_text()).text
    return context.brief(app.mirror, agent, command, project=project, limits=limits)
