"""What is in ``state.sqlite3``: small, private, and no word of a transcript but in memos and replies.

Losing the file costs work, never correctness, so a broken one is moved aside, not mended.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from agent_memory.errors import DatabaseBroken, FileError
from agent_memory.model.transcript import Bookmark, FileIdentity, Mark
from agent_memory.state.calls import Calls
from agent_memory.state.migrations import MIGRATIONS
from agent_memory.state.shown import Shown
from agent_memory.state.uses import Uses
from agent_memory.system.database import Database
from agent_memory.system.database import lacks as lacks


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of an upkeep job, with what it says it did."""

    job: str
    at: datetime
    summary: Mapping[str, Any]


class StateStore:
    """The open state of one memory folder.

    ``moved_aside`` is where a broken file went when this one was opened, None if there was none; ``shown``
    is what each session has been told, ``uses`` how often notes were recalled, ``calls`` what models were asked,
    what it cost and what they replied.
    """

    def __init__(self, database: Database, *, moved_aside: Path | None = None) -> None:
        self._database = database
        self.moved_aside = moved_aside
        self.shown = Shown(database)
        self.uses = Uses(database)
        self.calls = Calls(database)

    @classmethod
    def open(cls, path: Path) -> StateStore:
        """Open or create ``path``; a broken file is moved to ``<name>.broken-<n>`` beside it."""
        try:
            return cls(_open_sound(path))
        except DatabaseBroken:
            moved = _move_aside(path)
        return cls(_open_sound(path), moved_aside=moved)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._database.close()

    def bookmark(self, conversation: str) -> Bookmark | None:
        """Return how far ``conversation`` has been taken, None if never."""
        row = self._database.row("select body from bookmarks where conversation = ?", [conversation])
        return None if row is None else _from_stored(row["body"])

    def is_settled(self, conversation: str, identity: FileIdentity) -> bool:
        """Tell whether everything was taken when the conversation's file was as it is now."""
        query = "select 1 from bookmarks where conversation = ? and settled = ?"
        return self._database.row(query, [conversation, _stamp(identity)]) is not None

    def bookmarks(self) -> list[Bookmark]:
        """Return every bookmark, in the order of the conversations' ids."""
        rows = self._database.rows("select body from bookmarks order by conversation")
        return [found for row in rows if (found := _from_stored(row["body"])) is not None]

    def save(self, bookmarks: Iterable[Bookmark]) -> None:
        """Store ``bookmarks`` instead of their conversations' earlier ones, in one transaction."""
        query = "insert or replace into bookmarks (conversation, body, settled) values (?, ?, ?)"
        rows = [[one.conversation, _stored(one), _stamp(one.identity) if one.settled else None] for one in bookmarks]
        with self._database.atomic():
            self._database.run_many(query, rows)

    def forget(self, conversation: str) -> bool:
        """Drop a conversation's bookmark, so that it is read from the start; tell whether there was one."""
        with self._database.atomic():
            return self._database.run("delete from bookmarks where conversation = ?", [conversation]) > 0

    def forget_where(self, holds: Callable[[str], bool]) -> None:
        """Drop the bookmarks with a memo, and the replies, that ``holds``; leave no trace of them in the file."""
        self.calls.forget_where(holds)
        for bookmark in self.bookmarks():
            if any(holds(mark.memo) for mark in bookmark.marks):
                self.forget(bookmark.conversation)
        self._database.shrink()

    def purge(self, holds: Callable[[str], bool]) -> None:
        """Drop every row with a text, and every bookmark with a memo, that ``holds``; leave no trace of them."""
        for table in self._database.rows("select name from sqlite_schema where type = 'table'"):
            name = f'"{table["name"]}"'
            for row in self._database.rows(f"select * from {name}"):  # noqa: S608  its own tables
                if any(isinstance(value, str) and holds(value) for value in row):
                    columns = " and ".join(f'"{column}" is ?' for column in row.keys())  # noqa: SIM118  no mapping
                    self._database.run(f"delete from {name} where {columns}", list(row))  # noqa: S608
        self.forget_where(holds)

    def memos(self) -> Iterator[str]:
        """Yield the texts that lie packed in the file, so that no look at its bytes finds them."""
        return (mark.memo for bookmark in self.bookmarks() for mark in bookmark.marks)

    def record_run(self, job: str, at: datetime, summary: Mapping[str, Any]) -> None:
        """Note that ``job`` ran; ``summary`` must be plain JSON."""
        text = json.dumps(summary, ensure_ascii=False, sort_keys=True)
        self._database.run("insert into runs (job, at, summary) values (?, ?, ?)", [job, at.isoformat(), text])

    def last_run(self, job: str) -> Run | None:
        """Return the latest run of ``job``, None if it never ran."""
        row = self._database.row("select * from runs where job = ? order by id desc limit 1", [job])
        if row is None:
            return None
        return Run(row["job"], datetime.fromisoformat(row["at"]), json.loads(row["summary"]))


def _open_sound(path: Path) -> Database:
    with contextlib.ExitStack() as on_error:
        database = Database.open(path)
        on_error.callback(database.close)
        finding = database.row("pragma quick_check(1)")
        if finding is None or finding[0] != "ok":
            raise DatabaseBroken(f"{path} is damaged.", hint="Move the file away.", path=str(path))
        database.migrate(MIGRATIONS)
        # A damaged schema may have lost some of them.
        database.row("select 1 from bookmarks, runs, shown, uses, replies, calls limit 1")
        on_error.pop_all()
    return database


def _move_aside(path: Path) -> Path:
    """Give a broken database, with what SQLite keeps beside it, the first free name."""
    number = 1
    while (target := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    try:
        for suffix in ("-wal", "-shm"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                beside.rename(target.with_name(target.name + suffix))
        return path.rename(target)
    except OSError as error:
        raise FileError(f"{path} is broken and cannot be moved away: {error.strerror}.", path=str(path)) from error


def _stored(bookmark: Bookmark) -> bytes:
    return zlib.compress(json.dumps(bookmark, default=_to_store).encode("ascii"))


def _stamp(identity: FileIdentity) -> str:
    return f"{identity.device}:{identity.inode}:{identity.size}:{identity.mtime_ns}"


def _to_store(value: Any) -> Any:
    """Return a part of a bookmark as JSON has it; ``dataclasses.asdict`` copies it all, and takes ten times as long."""
    if isinstance(value, datetime):
        return value.isoformat()
    return {part.name: getattr(value, part.name) for part in fields(value)}


def _from_stored(body: bytes) -> Bookmark | None:
    """Read a stored bookmark; one that makes no sense counts as lost, which costs a re-reading."""
    try:
        stored = json.loads(zlib.decompress(body))
        stored["identity"] = FileIdentity(**stored["identity"])
        times = [mark.pop("said_at") for mark in stored["marks"]]
        moments = [datetime.fromisoformat(time) if time else None for time in times]
        stored["marks"] = tuple(Mark(**mark, said_at=at) for mark, at in zip(stored["marks"], moments, strict=True))
        stored["alarms"] = tuple(stored.get("alarms", ()))
        return Bookmark(**stored)
    except (zlib.error, ValueError, TypeError, KeyError):
        return None
