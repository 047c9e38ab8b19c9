"""The one door to SQLite: pragmas, transactions that hold their lock from the start, migrations.

Always ``BEGIN IMMEDIATE``: a deferred transaction that later writes fails at once under contention,
whatever the timeout. WAL where the file system allows it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent_memory.errors import DatabaseBroken, DatabaseError, DatabaseTooNew

BUSY_TIMEOUT_MS: Final = 5_000
_DAMAGE: Final = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_NOTADB}
_STRICT_TABLES: Final = (3, 37)
_MOVE_AWAY: Final = "Move the file away; agent-memory makes a new one."

Row = sqlite3.Row
Parameters = Sequence[Any] | dict[str, Any]


class Migration(NamedTuple):
    """One step of a schema, applied in a transaction of its own; ``name`` begins with its date."""

    name: str
    apply: Callable[[Database], None]


class Database:
    """An open SQLite file whose errors are ours. Threads may share it: each waits for the others' transactions."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._in_use = threading.RLock()
        self.path = path

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open or create ``path``, owner-only; ``DatabaseBroken`` if the file is no database."""
        from agent_memory.system.files import make_folder  # a hook never makes a file, and has no time to load this

        make_folder(path.parent, private=True)
        with _translated(path), contextlib.ExitStack() as on_error:
            connection = sqlite3.connect(
                path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000, check_same_thread=False
            )
            on_error.callback(connection.close)
            connection.row_factory = sqlite3.Row
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
            connection.execute("pragma foreign_keys = on")
            path.chmod(0o600)
            on_error.pop_all()
        return cls(connection, path)

    @classmethod
    def glance(cls, path: Path, *, writing: bool = False) -> Database:
        """Open what is there, to read or to write a row; never make a file nor wait for whoever has it locked."""
        with _translated(path):
            address = f"{path.absolute().as_uri()}?mode={'rw' if writing else 'ro'}"
            connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=0, check_same_thread=False)
            connection.row_factory = sqlite3.Row
        return cls(connection, path)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._connection.close()

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        with self._in_use, _translated(self.path):
            return self._connection.execute(sql, parameters).rowcount

    def run_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Execute one statement for each row."""
        with self._in_use, _translated(self.path):
            self._connection.executemany(sql, rows)

    def insert(self, sql: str, parameters: Parameters = ()) -> int:
        """Execute one insert and return the new row's id."""
        with self._in_use, _translated(self.path):
            return int(self._connection.execute(sql, parameters).lastrowid or 0)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return every row of a query."""
        with self._in_use, _translated(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query, None if it has none."""
        with self._in_use, _translated(self.path):
            found: Row | None = self._connection.execute(sql, parameters).fetchone()
            return found

    def stamp(self) -> tuple[int, int]:
        """Return what differs from an earlier stamp once anybody has written to the file."""
        version = self.row("pragma data_version")
        return (0 if version is None else int(version[0])), self._connection.total_changes

    @contextlib.contextmanager
    def atomic(self) -> Iterator[None]:
        """Commit everything in the block, or nothing. Blocks do not nest."""
        with self._in_use:
            self.run("begin immediate")
            try:
                yield
            except BaseException:
                with _translated(self.path):
                    if self._connection.in_transaction:
                        self._connection.execute("rollback")
                raise
            self.run("commit")

    def optimise(self) -> None:
        """Merge the pieces of every text index into one, and renew what queries are planned by."""
        for row in self.rows("select name from sqlite_schema where sql like 'create virtual table % using fts5 (%'"):
            self.run(f'insert into "{row["name"]}" ("{row["name"]}") values (\'optimize\')')  # noqa: S608  its own tables
        self.run("pragma optimize")

    def shrink(self) -> None:
        """Write the file anew, so that nothing that was deleted is left in it or beside it."""
        self.run("vacuum")
        self.row("pragma wal_checkpoint(truncate)")

    def migrate(self, migrations: Sequence[Migration]) -> list[str]:
        """Apply what has not been applied yet, one transaction each; return the names applied.

        A file with migrations that this program does not know is ``DatabaseTooNew``.
        """
        with self.atomic():
            self.run("create table if not exists migrations (name text primary key) strict")
        known = [migration.name for migration in migrations]
        done = {row["name"] for row in self.rows("select name from migrations")}
        if unknown := done - set(known):
            raise DatabaseTooNew(
                f"{self.path} was written by a newer agent-memory ({min(unknown)}).",
                hint="Update agent-memory.",
                path=str(self.path),
            )
        return [step.name for step in migrations if step.name not in done and self._apply(step)]

    def _apply(self, step: Migration) -> bool:
        with self.atomic():
            if self.row("select 1 from migrations where name = ?", [step.name]):
                return False  # another process was quicker
            step.apply(self)
            self.run("insert into migrations (name) values (?)", [step.name])
        return True


def lacks() -> str:
    """Say what this Python's SQLite is missing that we need; empty if it is nothing."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        options = {row[0] for row in connection.execute("pragma compile_options")}
    missing = [] if sqlite3.sqlite_version_info >= _STRICT_TABLES else ["strict tables"]
    missing += [] if "ENABLE_FTS5" in options else ["FTS5"]
    return f"SQLite {sqlite3.sqlite_version} lacks {' and '.join(missing)}." if missing else ""


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Tell whether the file is to blame. A statement of ours that SQLite calls wrong has met a damaged schema."""
    code = getattr(error, "sqlite_errorcode", None)  # text that is no UTF-8 has none
    return code & 0xFF in _DAMAGE if code is not None else type(error) is sqlite3.OperationalError


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:  # SQLite's message quotes a damaged schema, and sqlite3 cannot read it
        raise DatabaseBroken(f"{path} is damaged.", hint=_MOVE_AWAY, path=str(path)) from error
    except sqlite3.DatabaseError as error:
        broken = _is_damage(error)
        kind = DatabaseBroken if broken else DatabaseError
        hint = _MOVE_AWAY if broken else "Try again."
        raise kind(f"{path} cannot be used: {error}.", hint=hint, path=str(path)) from error
    except OSError as error:
        raise DatabaseError(f"{path} cannot be opened: {error.strerror}.", path=str(path)) from error
