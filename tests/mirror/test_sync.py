from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory.mirror import queries, schema
from agent_memory.mirror.sync import MOST_ROWS, sync
from agent_memory.model.memory import Memory, PageRef
from agent_memory.system.database import Database
from tests.builders import a_memory, a_page_state


@pytest.fixture
def database(tmp_path: Path):
    opened = Database.open(tmp_path / "mirror.sqlite3")
    schema.ensure(opened)
    yield opened
    opened.close()


def never() -> list[Memory]:
    raise AssertionError("an unchanged page was loaded")


def run(database: Database, *pages) -> int:
    return sync(database, pages, lambda text: text)


def test_a_page_that_did_not_change_is_not_loaded(database):
    assert run(database, a_page_state(a_memory())) == 1
    assert run(database, a_page_state(load=never)) == 0


def test_a_page_that_was_only_touched_is_not_loaded_but_known_again(database):
    run(database, a_page_state(a_memory(), mtime_ns=1))
    assert run(database, a_page_state(load=never, mtime_ns=2)) == 0
    assert [stamp.mtime_ns for stamp in queries.stamps(database).values()] == [2]


def test_other_bytes_are_seen_even_where_size_and_time_are_the_same(database):
    run(database, a_page_state(a_memory("Use Mongo."), digest="one"))
    assert run(database, a_page_state(a_memory("Use Redis."), digest="two")) == 1


def test_a_page_that_vanished_loses_its_rows(database):
    page = PageRef("default", "lessons")
    run(database, a_page_state(a_memory()), a_page_state(a_memory(page=page), page=page))
    assert run(database, a_page_state(a_memory())) == 1
    assert list(queries.stamps(database)) == [PageRef("default", "decisions")]
    assert queries.count(database) == 1


def test_a_page_that_cannot_be_loaded_leaves_the_mirror_as_it_was(database):
    run(database, a_page_state(a_memory("Use Mongo.")))
    with pytest.raises(AssertionError):
        run(database, a_page_state(load=never, digest="two"))
    assert queries.count(database) == 1


def test_copies_of_an_id_in_one_page_are_rows_of_their_own(database):
    run(database, a_page_state(a_memory("One.", id="17"), a_memory("Two.", id="17", position=1)))
    assert [row.chunks[0].body for row in queries.entries(database, PageRef("default", "decisions"))] == [
        "One.",
        "Two.",
    ]


def test_a_long_new_page_cut_short_on_its_way_in_is_finished_by_the_next_sync(database):
    memories = [a_memory(f"Shelf {n}.", position=n) for n in range(MOST_ROWS + 2)]

    def cut_short():
        yield from memories[:-1]
        raise OSError

    with pytest.raises(OSError):
        run(database, a_page_state(load=cut_short))
    assert queries.count(database) == MOST_ROWS  # not all of it was ever held at once
    assert run(database, a_page_state(*memories)) == 1
    bodies = [row.chunks[0].body for row in queries.entries(database, PageRef("default", "decisions"))]
    assert bodies == [memory.body for memory in memories]
    assert run(database, a_page_state(load=never)) == 0


def test_a_schema_is_made_once(database):
    run(database, a_page_state(a_memory()))
    schema.ensure(database)
    assert queries.count(database) == 1
