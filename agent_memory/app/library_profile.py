"""What an open memory does with facts of the profile and with notes; ``library`` has the rest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agent_memory.app import notes, profile
from agent_memory.app.container import App
from agent_memory.app.notes import Scope, Stored
from agent_memory.app.profile import Kept, Known, Listing
from agent_memory.model.memory import Fact, Memory
from agent_memory.model.recall import Hit


class ProfileAndNotes:
    """The part of an open memory that answers for ``agent``'s profile and notes."""

    def __init__(self, app: App, agent: str) -> None:
        self._app = app
        self.agent = agent

    def profile_set(
        self,
        key: str,
        value: str,
        *,
        keywords: Sequence[str] = (),
        for_user: bool = False,
        since: datetime | None = None,
        said: Sequence[str] = (),
    ) -> Kept:
        """Set a fact of the profile; the value before it stays in its history.

        Args:
            key: What it is about.
            value: What holds now.
            keywords: Tell it only where one of these comes up; always, without any.
            for_user: Keep it in the user's own vault, for every workspace.
            since: When it began to hold, with its time zone; now, if None.
            said: The user's own words: a name is told only if it stands in them.

        Raises:
            InvalidValue: Something of it cannot be; ``facts["field"]`` says what.
        """
        fact = Fact(key, value, pinned=not keywords, keywords=tuple(keywords))
        return profile.set_fact(
            self._app, fact, for_user=for_user, agent=self.agent, by="agent", since=since, said=said
        )

    def profile_list(self, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Listing:
        """Return the facts that hold, or held ``as_of`` a moment, as far as they were ``known_at`` another."""
        return profile.listed(self._app, as_of=as_of, known_at=known_at, agent=self.agent)

    def profile_history(self, key: str) -> list[Known]:
        """Return every value that a key has or had, the oldest first."""
        return profile.history(self._app, key, agent=self.agent)

    def profile_remove(self, key: str, *, for_user: bool = False) -> Known:
        """End a fact; its last value stays in its history."""
        return profile.remove(self._app, key, for_user=for_user, agent=self.agent)

    def notes_store(self, text: str, *, tags: Sequence[str] = (), scope: Scope = "project") -> Stored:
        """Store a note, unless one says all of it already; one that adds to another is linked to it."""
        return notes.store(self._app, text, tags, scope=scope, agent=self.agent, by="agent")

    def notes_recall(
        self, text: str = "", *, k: int | None = None, scope: Scope = "all", tags: Sequence[str] = ()
    ) -> list[Hit]:
        """Return the notes that ``text`` speaks of and that have all of ``tags``; for tags alone the latest."""
        return notes.recall(self._app, text, k=k, scope=scope, tags=tags, agent=self.agent)

    def notes_get(self, entry_id: str) -> Memory:
        """Return one note by its id, whatever has become of it."""
        return notes.by_id(self._app, entry_id, agent=self.agent)

    def notes_forget(self, entry_id: str, *, for_good: bool = False) -> None:
        """Delete a note, which can be undone; ``for_good`` removes its words everywhere, which cannot."""
        (notes.forget if for_good else notes.delete)(self._app, entry_id, agent=self.agent)
