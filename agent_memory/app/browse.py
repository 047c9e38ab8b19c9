"""Looking through the vaults, this workspace's and the user's own: what stands there, and whether that has changed."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Literal

from agent_memory.app.container import App
from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.origin import FileIdentity
from agent_memory.system.garbage import uncollected

Place = Literal["workspace", "user"]
Stamp = tuple[tuple[Place, PageRef, FileIdentity], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, and in which of the vaults it stands."""

    memory: Memory
    place: Place


def entries(app: App, categories: Container[str] | None = None, agent: str | None = None) -> list[Found]:
    """Return all entries of some categories, or of all, with the archives' and those that no longer count.

    Pages of other categories are not even parsed. The user's own entries are everybody's, whatever the ``agent``.
    """
    with uncollected():
        return [
            Found(memory, place)
            for home, place in _places(app)
            for stored in home.shelf.pages(fresh=False, report=home.leave_out)
            if categories is None or stored.ref.category in categories
            if agent is None or stored.ref.agent == agent or place == "user"
            for memory in stored.memories
        ]


def stamp(app: App) -> Stamp:
    """Return what is another whenever a page has changed; an unchanged vault costs a ``stat`` for each page."""
    return tuple((place, state.page, state.identity) for home, place in _places(app) for state in home.pages())


def homes(app: App) -> Iterator[App]:
    """Yield the product on this workspace's vault and, if there is one, on the user's own."""
    yield app
    if app.user.folder.root.exists() and app.user.folder.root != app.folder.root:
        yield app.user


def home_of(app: App, place: Place) -> App:
    """Return the product on the vault that is meant."""
    return app if place == "workspace" else app.user


def _places(app: App) -> Iterator[tuple[App, Place]]:
    for home in homes(app):
        yield home, "workspace" if home is app else "user"
