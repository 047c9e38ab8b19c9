"""A composed product that stays open from one request to the next, for as long as another one would be the same.

Opening costs little, but what SQLite has read of an index is forgotten with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from agent_memory.app.container import App
from agent_memory.system import files
from agent_memory.vault.shelf import Shelf

Opened = Callable[[], AbstractContextManager[App]]


class Kept:
    """One thread's App. ``stays`` says whether more than what was read of the pages is kept."""

    def __init__(self, opened: Opened, *, stays: bool) -> None:
        self._opened = opened
        self._stays = stays
        self._open = ExitStack()
        self._app: App | None = None
        self._stamp: object = None
        self._shelf: Shelf | None = None

    @contextmanager
    def use(self) -> Iterator[App]:
        """Yield an App for one request; whatever goes wrong in it, the next one has another."""
        app = self._app
        if app is None or _stamp(app) != self._stamp:
            self.close()
            app = self._open.enter_context(self._opened())
            if self._shelf is not None and self._shelf.folder == app.folder.root:
                app.shelf = self._shelf
            self._shelf = app.shelf
        self._app = None
        try:
            yield app
            self._app, self._stamp = app, _stamp(app)
        finally:
            if self._app is None or not self._stays:
                self.close()

    def close(self) -> None:
        """Close what is open; whoever goes on opens it anew."""
        self._app = None
        self._open.close()


def _stamp(app: App) -> object:
    """Return what changes with the settings, and when folder, index or state are other ones."""
    folder = app.folder
    settings = [files.identify(path) for path in (folder.config, app.places.user_config)]
    others = [files.identify(path) for path in (folder.root, folder.mirror, folder.state)]
    return settings, [one and one.inode for one in others]
