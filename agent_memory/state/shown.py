"""What each session has been told already: digests of items and ids of memories, never their words.

Lost, something is told twice, and a reflection has less to speak of.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from agent_memory.model.text import clean
from agent_memory.system.database import Database

MAX_SESSIONS: Final = 100
MAX_DIGESTS: Final = 2_000
"""Of one session; more than any budget lets through in hundreds of prompts."""


class Shown:
    """The table of what was shown, in an open state."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, session: str) -> frozenset[str]:
        """Return the digests of what ``session`` has been shown since it began, or since it was cleared."""
        return frozenset(self.all_of(session))

    def all_of(self, session: str) -> list[str]:
        """Return the same in order, what was shown last at the end."""
        row = self._database.row("select digests from shown where session = ?", [clean(session)])
        return [] if row is None else str(row["digests"]).split()

    def all(self) -> frozenset[str]:
        """Return the digests of what any session that is remembered has been shown."""
        rows = self._database.rows("select digests from shown")
        return frozenset(one for row in rows for one in str(row["digests"]).split())

    def add(self, session: str, digests: Iterable[str], at: datetime) -> None:
        """Note that ``session`` was shown these too; the sessions that were shown nothing for longest are dropped."""
        with self._database.atomic():
            new = dict.fromkeys(digests)
            known = [*(one for one in self.all_of(session) if one not in new), *new]
            row = [clean(session), at.astimezone(UTC).isoformat(), " ".join(known[-MAX_DIGESTS:])]
            self._database.run("insert or replace into shown values (?, ?, ?)", row)
            self._database.run(
                "delete from shown where session not in (select session from shown order by at desc limit ?)",
                [MAX_SESSIONS],
            )

    def clear(self, session: str) -> None:
        """Note that a session's context was emptied, so that everything is new to it."""
        self._database.run("delete from shown where session = ?", [clean(session)])
