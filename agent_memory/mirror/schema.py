"""The mirror's schema, and the rule for a mirror that has another one: make it anew.

A mirror is derived, so there are no migrations here. The number in ``pragma user_version`` is taken
from the schema's text and from ``ROWS_VERSION``; a file with any other number, older or newer, loses
its tables and is filled again from the pages. This is done in place, in one transaction, because other
processes may have the file open.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from agent_memory.model.ids import digest
from agent_memory.system.database import Database

ROWS_VERSION: Final = "4"
"""Raised when the same page would give other rows: new keys, other redaction, another page grammar."""


@cache
def statements() -> tuple[str, ...]:
    """Return the schema's statements in order, as the package ships them."""
    text = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")  # importlib.resources costs 5 ms
    return tuple(part.strip() for part in text.split("\n\n"))


def version() -> int:
    """Return the number that marks a mirror as one of this program's: positive, 28 bits."""
    return int(digest(ROWS_VERSION, *statements(), digits=7), 16) or 1


def ensure(database: Database) -> None:
    """Give ``database`` the tables of this program; a mirror that has them is left as it is."""
    if _version_of(database) == version():
        return
    with database.atomic():
        if _version_of(database) != version():  # another process may have been quicker
            _make(database)


def reset(database: Database) -> None:
    """Empty the mirror: drop whatever is in it and make the tables anew. Vectors stay, for they are slow to make."""
    with database.atomic():
        _make(database, keep="vectors" if _version_of(database) == version() else "")


def _make(database: Database, *, keep: str = "") -> None:
    for kind in ("trigger", "view", "table"):
        _drop_all(database, kind, keep)
    for statement in statements():
        database.run(statement)
    database.run(f"pragma user_version = {version()}")


def _drop_all(database: Database, kind: str, keep: str) -> None:
    """Drop everything of one kind: virtual tables first, with their shadow tables, then the youngest first."""
    query = "select name from sqlite_master where type = ? order by sql not like 'create virtual%', rowid desc"
    for row in database.rows(query, [kind]):
        name = str(row["name"]).replace('"', '""')
        if not name.startswith("sqlite_") and name != keep:
            database.run(f'drop {kind} if exists "{name}"')


def _version_of(database: Database) -> int:
    row = database.row("pragma user_version")
    return 0 if row is None else int(row[0])
