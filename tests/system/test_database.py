import random
from contextlib import closing, suppress

import pytest

from agent_memory.errors import DatabaseBroken, DatabaseError, DatabaseTooNew
from agent_memory.system.database import Database, Migration


def _notes(db: Database) -> None:
    db.run("create table notes (text text) strict")


def _tags(db: Database) -> None:
    db.run("alter table notes add column tag text")


FIRST = Migration("2026-11-30 notes", _notes)
SECOND = Migration("2026-12-01 tags", _tags)


@pytest.fixture
def database(tmp_path):
    opened = Database.open(tmp_path / ".vault" / "x.sqlite3")
    yield opened
    opened.close()


def test_migrating_twice_is_a_no_op(database):
    assert database.migrate([FIRST]) == [FIRST.name]
    assert database.migrate([FIRST]) == []
    assert database.migrate([FIRST, SECOND]) == [SECOND.name]


def test_a_migration_that_fails_leaves_nothing_behind(database):
    def half(db):
        db.run("create table half (x)")
        db.run("create tabel")

    with pytest.raises(DatabaseError):
        database.migrate([Migration("2026-12-02 half", half)])

    assert database.rows("select name from sqlite_master where name = 'half'") == []
    assert database.migrate([FIRST]) == [FIRST.name]


def test_a_database_of_a_newer_program_is_refused(database):
    database.migrate([FIRST, SECOND])

    with pytest.raises(DatabaseTooNew) as caught:
        database.migrate([FIRST])

    assert "Update" in caught.value.hint


def test_a_block_that_raises_is_rolled_back(database):
    database.migrate([FIRST])

    def insert_and_fail():
        with database.atomic():
            database.run("insert into notes values ('x')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        insert_and_fail()

    assert database.rows("select * from notes") == []


def test_two_connections_take_turns(database, tmp_path):
    database.migrate([FIRST])
    other = Database.open(tmp_path / ".vault" / "x.sqlite3")
    for each in (database, other) * 3:
        with each.atomic():
            each.run("insert into notes values ('x')")

    assert len(other.rows("select * from notes")) == 6
    other.close()


def test_garbage_is_told_from_a_database_that_refuses(tmp_path):
    (tmp_path / "x.sqlite3").write_bytes(b"garbage " * 500)

    with pytest.raises(DatabaseBroken):
        Database.open(tmp_path / "x.sqlite3")


def test_a_folder_in_its_place_is_an_error_of_ours(tmp_path):
    (tmp_path / "x.sqlite3").mkdir()

    with pytest.raises(DatabaseError):
        Database.open(tmp_path / "x.sqlite3")


def test_a_statement_that_finds_no_table_has_met_a_damaged_file(tmp_path):
    database = Database.open(tmp_path / "x.sqlite3")

    with pytest.raises(DatabaseBroken):
        database.row("select 1 from bookmarks")
    database.close()


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_damaged_the_error_is_ours(tmp_path, seed):
    """Even where SQLite's own message quotes bytes that are no text, and sqlite3 cannot make a message of it."""
    path = tmp_path / "x.sqlite3"
    with closing(Database.open(path)) as database:
        database.migrate([FIRST])
        database.run("insert into notes values ('x')")
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    start = data.index(b"CREATE TABLE", 100) - 100 + chance.randrange(200)
    data[start : start + 16] = chance.randbytes(16)
    path.write_bytes(data)

    with suppress(DatabaseError), closing(Database.open(path)) as database:
        database.migrate([FIRST])
        database.rows("select * from notes")
