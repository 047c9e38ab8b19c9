"""Which agents, categories and entries there are: refusing those that there are not, and saying what is near."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agent_memory.app.container import App
from agent_memory.errors import UnknownAgent, UnknownCategory, UnknownEntry
from agent_memory.fabric.catalogue import CATEGORY_NAMES
from agent_memory.system import files
from agent_memory.vault.view import View

SHORTEST_ENDING: Final = 3


def agents(app: App) -> list[str]:
    """Return the agents that have pages; a folder that cannot be listed is named in a warning."""
    return app.shelf.agents(app.leave_out)


def categories(view: View) -> tuple[str, ...]:
    """Return the categories we know and those that users have added pages for."""
    added = sorted({memory.page.category for memory in view.memories} - set(CATEGORY_NAMES))
    return (*CATEGORY_NAMES, *added)


def check_agent(app: App, agent: str) -> str:
    """Return ``agent``, as the vault spells it, if it is the workspace's own, or has pages or a session that broke off.

    Raises:
        UnknownAgent: Neither.
        InvalidName: It cannot be an agent at all.
    """
    agent = app.agent_named(agent)
    known = agents(app)
    if agent != app.agent and agent not in known and not files.identify(app.folder.checkpoints / f"{agent}.json"):
        hint = f"{_meant(agent, [*known, app.agent])}Agents with pages: {', '.join(known) or 'none yet'}."
        raise UnknownAgent(f"There is no agent {agent!r}.", hint=hint)
    return agent


def check_category(view: View, category: str) -> str:
    """Return ``category`` if there is such a one.

    Raises:
        UnknownCategory: There is not.
    """
    known = categories(view)
    if category not in known:
        hint = f"{_meant(category, known)}Categories: {', '.join(known)}."
        raise UnknownCategory(f"There is no category {category!r}.", hint=hint)
    return category


def nearest(word: str, known: Iterable[str]) -> str:
    """Return which of ``known`` is most like ``word``; empty where none is."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")


def _meant(word: str, known: Iterable[str]) -> str:
    return f"Did you mean {near}? " if (near := nearest(word, known)) else ""


def whole_id(
    app: App, ending: str, agent: str | None = None, category: str | None = None, *, gone: bool = False
) -> str:
    """Return the one id that ends so, of at least three characters; what is no such ending is returned as it is.

    Args:
        app: The product.
        ending: An id, or the end of one.
        agent: Only this agent's entries count.
        category: Only this page's and its archive's.
        gone: What is only in the journal counts as well, and so do runs.

    Raises:
        UnknownEntry: Several end so.
    """
    vaults = [app, *([app.user] if files.is_folder(app.user.folder.root) else ())]
    memories = (memory for each in vaults for memory in each.shelf.view(fresh=False).memories)
    known: set[str] = {m.id for m in memories if agent in (None, m.page.agent) and category in (None, m.page.category)}
    if gone:
        runs = app.vault.journal_runs()
        known.update(run.run for run in runs)
        known.update(change.id for run in runs for change in run.changes)
    found = [one for one in sorted(known) if one.endswith(ending)]
    if ending in known or len(ending) < SHORTEST_ENDING or not found:
        return ending
    if len(found) > 1:
        raise UnknownEntry(f"More than one id ends in {ending}.", hint=f"{', '.join(found[:5])}.")
    return found[0]
