"""The schema of ``state.sqlite3``, as the dated steps that led to it. A step, once released, never changes."""

from __future__ import annotations

from typing import Final

from agent_memory.system.database import Database, Migration


def _bookmarks_and_runs(database: Database) -> None:
    # A bookmark is one JSON text: nobody asks for its parts, and JSON holds what SQLite's types do not,
    # the 128-bit inodes of Windows and names that are no UTF-8. It is deflated, to about a tenth: the
    # memos of a conversation's marks differ in little.
    database.run("create table bookmarks (conversation text primary key, body blob not null) strict, without rowid")
    database.run(
        "create table runs (id integer primary key, job text not null, at text not null, summary text not null) strict"
    )
    database.run("create index runs_of_job on runs (job, id)")


def _settled(database: Database) -> None:
    # How the file was when nothing in it was left to take: for thousands of files, unpacking each body is dear.
    database.run("alter table bookmarks add column settled text")


def _shown(database: Database) -> None:
    database.run(
        "create table shown (session text primary key, at text not null, digests text not null) strict, without rowid"
    )


def _uses(database: Database) -> None:
    database.run("create table uses (entry text primary key, times integer not null, last text not null) strict")


def _replies_and_calls(database: Database) -> None:
    database.run(
        "create table replies (purpose text not null, conversation text not null, digest text not null,"
        " at text not null, body text not null, primary key (purpose, conversation, digest)) strict, without rowid"
    )
    database.run(
        "create table calls (id integer primary key, at text not null, purpose text not null, subject text not null,"
        " model text not null, outcome text not null, prompt_tokens integer not null, reply_tokens integer not null,"
        " latency_s real not null, cost real not null) strict"
    )
    database.run("create index calls_at on calls (at)")
    database.run("create index calls_about on calls (purpose, subject)")


MIGRATIONS: Final = (
    Migration("2026-11-30 bookmarks and runs", _bookmarks_and_runs),
    Migration("2026-11-30 settled files", _settled),
    Migration("2026-11-30 what was shown", _shown),
    Migration("2026-11-30 uses of notes", _uses),
    Migration("2026-11-30 replies and calls of models", _replies_and_calls),
)
