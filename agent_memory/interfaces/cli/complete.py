"""What a shell offers behind a Tab: agents, categories and ids of the vault that the command would be about."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from agent_memory.errors import AgentMemoryError

if TYPE_CHECKING:
    from agent_memory.app.container import App

T = TypeVar("T")
# What does not fit a narrow terminal is wrapped by typer, and fish takes each line for another offer.
ABOUT_CHARS: Final = 38


def agents(context: typer.Context, incomplete: str) -> list[str]:
    """Return the agents that begin so."""

    def known(app: App) -> list[str]:
        from agent_memory.app import names

        return [app.agent, *names.agents(app)]

    return [name for name in dict.fromkeys(_of(context, known)) if name.startswith(incomplete)]


def categories(context: typer.Context, incomplete: str) -> list[str]:
    """Return the categories that begin so."""

    def known(app: App) -> tuple[str, ...]:
        from agent_memory.app import names

        return names.categories(app.shelf.view(fresh=False))

    return [name for name in _of(context, known) if name.startswith(incomplete)]


def ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the ids that begin so, with what the entries say; those of the page that was named before, if one was."""
    from rich.markup import escape  # which typer would else take brackets for

    from agent_memory.model.text import one_line, shorten

    agent, category = (context.params.get(name) for name in ("agent", "category"))
    memories = _of(context, lambda app: app.shelf.view(fresh=False).memories)
    here = (m for m in memories if agent in (None, m.page.agent) and category in (None, m.page.category))
    found = (memory for memory in here if memory.id.startswith(incomplete))
    return [(memory.id, escape(shorten(one_line(memory.body), ABOUT_CHARS))) for memory in found]


def _of(context: typer.Context, ask: Callable[[App], Sequence[T]]) -> Sequence[T]:
    """Ask the product; whatever is wrong with it, the command itself will say, and a Tab says nothing."""
    from agent_memory.app.container import open_app

    with contextlib.suppress(AgentMemoryError), open_app(directory=context.find_root().params.get("directory")) as app:
        return ask(app)
    return ()
