"""How often each note was recalled, and when last: what decides which leave when there are too many.

It stands here and not in the note's comment, because a read must not rewrite a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from agent_memory.model.text import clean
from agent_memory.system.database import Database


class Uses:
    """The table of uses, in an open state."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, entries: Iterable[str], at: datetime) -> None:
        """Note that each of ``entries`` was recalled once."""
        moment = at.astimezone(UTC).isoformat()
        with self._database.atomic():
            self._database.run_many(
                "insert into uses values (?, 1, ?) on conflict do update set times = times + 1, last = excluded.last",
                [(entry, moment) for entry in {clean(entry): None for entry in entries}],
            )

    def all(self) -> dict[str, tuple[int, datetime]]:
        """Return how often, and when last, by entry."""
        rows = self._database.rows("select * from uses")
        return {row["entry"]: (row["times"], datetime.fromisoformat(row["last"])) for row in rows}
