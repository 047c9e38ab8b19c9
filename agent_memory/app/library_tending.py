"""What an open memory does with links, votes, lessons and procedures; ``library`` has the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_memory.app import lessons, tending
from agent_memory.app.lessons import Shelf
from agent_memory.app.library_sessions import Sessions
from agent_memory.app.tending import Linked
from agent_memory.model.memory import Memory
from agent_memory.model.votes import Direction

if TYPE_CHECKING:
    from agent_memory.app.consolidate import Consolidation


class Tending(Sessions):
    """The part of an open memory that says how memories hang together, and what came of them."""

    def links(self, entry_id: str) -> list[Linked]:
        """Return what an entry leads to, then what leads to it.

        Raises:
            UnknownEntry: There is none with this id.
        """
        return tending.links(self._app, entry_id)

    def link(self, entry_id: str, kind: str, other_id: str) -> None:
        """Draw a link: ``relates-to``, ``caused-by``, ``references``, ``contradicts``, ``duplicates``, ``supersedes``.

        Raises:
            UnknownEntry: One of them is not there.
            InvalidValue: The kind is none, or the other end cannot be one.
        """
        tending.link(self._app, entry_id, kind, other_id)

    def unlink(self, entry_id: str, other_id: str) -> int:
        """Take the links from one entry to another away, and return how many there were."""
        return tending.unlink(self._app, entry_id, other_id)

    def vote(self, entry_id: str, direction: Direction) -> float:
        """Vote ``up`` where a memory helped, ``down`` where it was wrong; return what its votes come to now."""
        return tending.vote(self._app, entry_id, direction)[1]

    def lessons(self, text: str, *, shelf: Shelf = "lessons", k: int | None = None) -> list[Memory]:
        """Return the ``agent``'s lessons, or ``procedures``, that ``text`` speaks of, best first, ``k`` at most."""
        return lessons.recall(self._app, shelf, text, k=k, agent=self.agent)

    def lesson(self, entry_id: str, *, shelf: Shelf = "lessons") -> Memory:
        """Return one lesson, or procedure, whatever has become of it; that counts as a use of it."""
        return lessons.by_id(self._app, shelf, entry_id)

    def deprecate(self, entry_id: str, *, shelf: Shelf = "lessons") -> None:
        """Have a lesson, or a procedure, told no more; its id still finds it."""
        lessons.deprecate(self._app, shelf, entry_id)

    def consolidate(self, *, dry_run: bool = False) -> Consolidation:
        """Make lessons of what was said of one thing; say what was made, or would be."""
        from agent_memory.app.consolidate import consolidate  # dear to load, and few hosts do it themselves

        return consolidate(self._app, dry_run=dry_run)
