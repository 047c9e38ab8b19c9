from __future__ import annotations

import sqlite3
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_memory.errors import DatabaseError, DatabaseTooNew
from agent_memory.model.transcript import Bookmark, FileIdentity, Mark
from agent_memory.state.migrations import MIGRATIONS
from agent_memory.state.store import Run, StateStore
from agent_memory.system.database import Database

DUMPS = Path(__file__).parent.parent / "fixtures" / "state"
AT = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)


def a_bookmark(conversation: str = "c", *, settled: bool = False, path: str = "/t/ação/c.jsonl") -> Bookmark:
    marks = tuple(
        Mark(n, "user", 100 * n + 100, 80, "ab" * 16, '{"open": ["é"]}', lines=n, said_at=AT if n else None)
        for n in range(16)
    )
    identity = FileIdentity(device=2**64 - 1, inode=2**127, size=5_000, mtime_ns=1_773_679_871_839_000_000)
    return Bookmark(conversation, path, identity, 1024, "cd" * 16, settled, marks)


@pytest.fixture
def store(tmp_path):
    opened = StateStore.open(tmp_path / "vault" / "state.sqlite3")
    yield opened
    opened.close()


def test_a_bookmark_comes_back_as_it_was(store, tmp_path):
    store.save([a_bookmark(settled=True)])
    store.close()

    again = StateStore.open(tmp_path / "vault" / "state.sqlite3")

    assert again.bookmark("c") == a_bookmark(settled=True)
    assert again.bookmark("other") is None
    again.close()


def test_a_path_that_is_no_utf8_comes_back_as_it_was(store):
    store.save([a_bookmark(path="/t/\udce9/c.jsonl")])

    assert store.bookmark("c") == a_bookmark(path="/t/\udce9/c.jsonl")


def test_saving_again_replaces(store):
    store.save([a_bookmark(settled=True)])
    store.save([a_bookmark()])

    assert store.bookmarks() == [a_bookmark()]


def test_bookmarks_come_in_the_order_of_their_conversations(store):
    for name in "bca":
        store.save([a_bookmark(name)])

    assert [bookmark.conversation for bookmark in store.bookmarks()] == ["a", "b", "c"]


def test_a_forgotten_conversation_is_read_from_the_start(store):
    store.save([a_bookmark()])

    assert store.forget("c")
    assert not store.forget("c")
    assert store.bookmark("c") is None


@pytest.mark.parametrize("body", ["", "{", "[]", "null", "{}", '{"identity": {}, "marks": []}', '{"identity": 3}'])
def test_a_bookmark_that_makes_no_sense_counts_as_lost(store, tmp_path, body):
    store.save([a_bookmark("good")])
    store.save([a_bookmark("bad")])
    with sqlite3.connect(tmp_path / "vault" / "state.sqlite3") as other:
        other.execute("update bookmarks set body = ? where conversation = 'bad'", [zlib.compress(body.encode())])
    other.close()

    assert store.bookmark("bad") is None
    assert [bookmark.conversation for bookmark in store.bookmarks()] == ["good"]


def test_the_last_run_of_a_job_is_remembered(store):
    store.record_run("compact", AT, {"moved": 1})
    store.record_run("compact", AT, {"moved": 2, "página": "decisões"})
    store.record_run("decay", AT, {})

    assert store.last_run("compact") == Run("compact", AT, {"moved": 2, "página": "decisões"})
    assert store.last_run("consolidate") is None


def test_migrating_twice_is_a_no_op(tmp_path):
    database = Database.open(tmp_path / "state.sqlite3")

    assert database.migrate(MIGRATIONS) == [step.name for step in MIGRATIONS]
    assert database.migrate(MIGRATIONS) == []
    database.close()


@pytest.mark.parametrize("dump", sorted(DUMPS.glob("*.sql")), ids=lambda dump: dump.stem)
def test_every_past_schema_opens_with_all_it_holds(tmp_path, dump):
    path = tmp_path / "state.sqlite3"
    old = sqlite3.connect(path)
    old.executescript(dump.read_text(encoding="utf-8"))
    old.close()

    store = StateStore.open(path)

    assert store.moved_aside is None
    assert store.bookmarks() == [a_bookmark()]
    assert store.last_run("compact") == Run("compact", AT, {"moved": 2})
    store.close()


@pytest.mark.parametrize(
    "garbage", [b"this is no database, but long enough to look like one" * 40, b"\0" * 5_000, b"SQLite format 3\0junk"]
)
def test_a_broken_file_is_moved_aside_whole_and_a_new_one_made(tmp_path, garbage):
    path = tmp_path / "state.sqlite3"
    for number in (1, 2):
        path.write_bytes(garbage)
        store = StateStore.open(path)
        store.save([a_bookmark()])
        store.close()

        aside = tmp_path / f"state.sqlite3.broken-{number}"
        assert store.moved_aside == aside
        assert aside.read_bytes() == garbage


def test_a_damaged_page_counts_as_broken(tmp_path):
    path = tmp_path / "state.sqlite3"
    store = StateStore.open(path)
    for n in range(200):
        store.save([a_bookmark(f"c{n}")])
    store.close()
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 9] = b"\xaa" * 4096 * 6
    path.write_bytes(data)

    store = StateStore.open(path)

    assert store.moved_aside is not None
    assert store.bookmarks() == []
    store.close()


def test_a_sound_file_stays(tmp_path):
    for _ in range(2):
        store = StateStore.open(tmp_path / "state.sqlite3")
        store.close()

        assert store.moved_aside is None
    assert [path.name for path in tmp_path.iterdir()] == ["state.sqlite3"]


def test_a_newer_state_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "state.sqlite3"
    database = Database.open(path)
    database.migrate(MIGRATIONS)
    database.run("insert into migrations (name) values ('2999-01-01 telepathy')")
    database.close()

    with pytest.raises(DatabaseTooNew):
        StateStore.open(path)

    assert [found.name for found in tmp_path.iterdir()] == ["state.sqlite3"]


def test_a_folder_in_the_place_of_the_state_says_so(tmp_path):
    (tmp_path / "state.sqlite3").mkdir()

    with pytest.raises(DatabaseError):
        StateStore.open(tmp_path / "state.sqlite3")
