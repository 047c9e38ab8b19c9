"""Which agents and categories there are, and refusing those that there are not."""

from __future__ import annotations

from agent_memory.app.container import App
from agent_memory.errors import UnknownAgent, UnknownCategory
from agent_memory.fabric.catalogue import CATEGORY_NAMES
from agent_memory.model.ids import check_name
from agent_memory.system import files
from agent_memory.vault.view import View


def agents(app: App) -> list[str]:
    """Return the agents that have pages; a folder that cannot be listed is named in a warning."""
    return app.shelf.agents(app.leave_out)


def categories(view: View) -> tuple[str, ...]:
    """Return the categories we know and those that users have added pages for."""
    added = sorted({memory.page.category for memory in view.memories} - set(CATEGORY_NAMES))
    return (*CATEGORY_NAMES, *added)


def check_agent(app: App, agent: str) -> str:
    """Return ``agent`` if it is the workspace's own, or has pages or a session that broke off.

    Raises:
        UnknownAgent: Neither.
        InvalidName: It cannot be an agent at all.
    """
    check_name(agent, "an agent")
    known = agents(app)
    if agent != app.agent and agent not in known and not files.identify(app.folder.checkpoints / f"{agent}.json"):
        listed = ", ".join(known) or "none yet"
        raise UnknownAgent(f"There is no agent {agent!r}.", hint=f"Agents with pages: {listed}.", agent=agent)
    return agent


def check_category(view: View, category: str) -> str:
    """Return ``category`` if there is such a one.

    Raises:
        UnknownCategory: There is not.
    """
    known = categories(view)
    if category not in known:
        raise UnknownCategory(
            f"There is no category {category!r}.", hint=f"Categories: {', '.join(known)}.", category=category
        )
    return category
