from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from agent_memory.errors import DatabaseError
from agent_memory.mirror import queries
from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Query
from agent_memory.recall.engine import recall
from tests.builders import A_DAY, a_memory, a_page_state

DECISIONS = PageRef("default", "decisions")


def as_it_is(text: str) -> str:
    return text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".vault" / "mirror.sqlite3"


@pytest.fixture
def mirror(path: Path):
    opened = Mirror.open(path, redact=as_it_is)
    yield opened
    opened.close()


def found(mirror: Mirror, text: str, **kwargs) -> list[str]:
    return [hit.body for hit in recall(mirror, Query(text, **kwargs))]


def test_a_word_is_found_without_its_accents_and_with_them(mirror):
    mirror.sync([a_page_state(a_memory("As decisões de ontem valem."), a_memory("Outra coisa.", position=1))])
    assert found(mirror, "decisoes") == ["As decisões de ontem valem."]
    assert found(mirror, "DECISÕES") == ["As decisões de ontem valem."]


def test_an_identifier_is_found_by_its_parts_and_by_its_whole(mirror):
    mirror.sync([a_page_state(a_memory("Raise connectionPoolTimeout to 30."), a_memory("Ship it.", position=1))])
    assert found(mirror, "pool timeout") == found(mirror, "connectionPoolTimeout") != []


def test_the_most_relevant_comes_first_and_its_score_is_the_sum_of_its_parts(mirror):
    mirror.sync(
        [
            a_page_state(
                a_memory("Redis once, in a long sentence about many other things that were said that day."),
                a_memory("Redis: the Redis cache.", position=1),
                *(a_memory(f"Something else {n}.", position=n) for n in range(2, 9)),
            )
        ]
    )
    hits = recall(mirror, Query("redis"))
    assert [hit.body[:6] for hit in hits] == ["Redis:", "Redis "]
    assert hits[0].score > hits[1].score > 0
    assert sum(hits[0].parts.values()) == pytest.approx(hits[0].score)


def test_among_equals_the_latest_said_comes_first(mirror):
    older = a_memory("Deploy on Friday.", at=A_DAY, position=1)
    newer = a_memory("Deploy on Friday.", at=A_DAY + timedelta(days=1), position=0)
    mirror.sync([a_page_state(newer, older)])
    assert [hit.at for hit in recall(mirror, Query("deploy"))] == [newer.at, older.at]


def test_an_agent_sees_only_its_own_and_a_category_only_itself(mirror):
    pages = [PageRef("ana", "decisions"), PageRef("rui", "decisions"), PageRef("ana", "lessons")]
    mirror.sync([a_page_state(a_memory(f"Kafka in {page.path}.", page=page), page=page) for page in pages])
    assert len(found(mirror, "kafka")) == 3
    assert found(mirror, "kafka", agent="rui") == ["Kafka in rui/decisions.md."]
    assert found(mirror, "kafka", agent="ana", category="lessons") == ["Kafka in ana/lessons.md."]


@pytest.mark.parametrize("status", ["superseded", "proposed", "deprecated", "consolidated", "evicted"])
def test_what_does_not_count_today_is_found_on_request_only(mirror, status):
    mirror.sync([a_page_state(a_memory("Use Mongo.", meta={"status": status}))])
    assert found(mirror, "mongo") == []
    assert len(recall(mirror, Query("mongo", inactive=True))) == 1
    assert mirror.memories("default", "decisions") == []


def test_what_was_archived_for_its_size_is_still_found(mirror):
    archive = DECISIONS.counterpart
    mirror.sync([a_page_state(a_memory("Use Mongo.", page=archive), page=archive)])
    assert found(mirror, "mongo") == ["Use Mongo."]
    assert len(mirror.memories("default", "decisions")) == 1


def test_of_two_copies_the_page_outweighs_the_archive_even_where_it_no_longer_counts(mirror):
    archive = DECISIONS.counterpart
    page = a_page_state(a_memory("Use Mongo.", id="17", meta={"status": "superseded"}))
    mirror.sync([page, a_page_state(a_memory("Use Mongo.", id="17", page=archive), page=archive)])
    assert found(mirror, "mongo") == []
    assert len(recall(mirror, Query("mongo", inactive=True))) == 1


def test_two_agents_may_have_the_same_id(mirror):
    other = PageRef("ana", "decisions")
    mirror.sync(
        [
            a_page_state(a_memory("Use Mongo.", id="17")),
            a_page_state(a_memory("Use Mongo.", id="17", page=other), page=other),
        ]
    )
    assert {hit.page.agent for hit in recall(mirror, Query("mongo"))} == {"default", "ana"}


def test_memories_come_newest_first_and_as_many_as_asked_for(mirror):
    mirror.sync([a_page_state(*(a_memory(f"Task {n}", at=A_DAY - timedelta(hours=n), position=n) for n in range(5)))])
    assert [hit.body for hit in mirror.memories("default", "decisions", limit=2)] == ["Task 0", "Task 1"]
    assert len(mirror.memories("default", "decisions")) == mirror.count() == 5


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_finds_nothing(mirror, limit):
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    assert found(mirror, "mongo", limit=limit) == mirror.memories("default", "decisions", limit=limit) == []


def test_a_limit_beyond_all_numbers_is_no_error(mirror):
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    assert len(found(mirror, "mongo", limit=10**30)) == len(mirror.memories("default", "decisions", limit=10**30)) == 1


def test_an_agent_that_no_alphabet_has_is_no_error(mirror):
    assert found(mirror, "mongo", agent="\ud800\0") == mirror.memories("\ud800", "\0") == []


def test_secrets_never_enter(path):
    mirror = Mirror.open(path, redact=lambda text: text.replace("hunter2", "[REDACTED:password]"))
    mirror.sync([a_page_state(a_memory("The password is hunter2.", tags=("hunter2",)))])
    assert found(mirror, "hunter2") == []
    assert "[REDACTED:password]" in found(mirror, "password")[0]
    mirror.close()
    assert all(b"hunter2" not in file.read_bytes() for file in path.parent.iterdir())


def test_a_text_that_cannot_be_stored_is_cleaned(mirror):
    mirror.sync([a_page_state(a_memory("Broken \ud800 and \0 words.", tags=("x\udcff",), id="h-\udc80"))])
    assert len(found(mirror, "broken")) == 1


@pytest.mark.parametrize("garbage", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_garbage_where_the_mirror_should_be_is_replaced(path, garbage):
    path.parent.mkdir()
    path.write_bytes(garbage)
    mirror = Mirror.open(path, redact=as_it_is)
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    assert found(mirror, "mongo") == ["Use Mongo."]
    mirror.close()


def test_a_file_whose_header_is_sound_and_whose_tables_are_not_is_replaced(path):
    Mirror.open(path, redact=as_it_is).close()
    with path.open("r+b") as file:
        file.seek(60)
        file.write(bytes(4))  # the version, so that the tables are looked at
        file.seek(100)
        file.write(b"\xff" * 3900)
    mirror = Mirror.open(path, redact=as_it_is)
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    assert found(mirror, "mongo") == ["Use Mongo."]
    mirror.close()


def test_a_mirror_damaged_while_it_is_open_mends_itself_and_still_answers(path):
    mirror = Mirror.open(path, redact=as_it_is)
    mirror.sync([a_page_state(*(a_memory(f"Use Mongo {n} " + "words " * 200, position=n) for n in range(50)))])
    mirror.close()
    mirror = Mirror.open(path, redact=as_it_is)
    pages = [a_page_state(a_memory("Use Mongo."), digest="other")]
    mirror.sync(pages)
    with path.open("r+b") as file:
        for offset in range(4096, path.stat().st_size, 512):
            file.seek(offset)
            file.write(b"\xff" * 512)
    path.with_name(path.name + "-wal").write_bytes(b"")
    assert found(mirror, "mongo") == ["Use Mongo."]
    mirror.close()


@pytest.mark.parametrize("version", [0, 1, 2**31 - 1])
def test_a_mirror_of_another_version_is_made_anew(path, version):
    mirror = Mirror.open(path, redact=as_it_is)
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    mirror.close()
    with sqlite3.connect(path) as connection:
        connection.execute("create table something_newer (x)")
        connection.execute(f"pragma user_version = {version}")
    connection.close()
    mirror = Mirror.open(path, redact=as_it_is)
    assert mirror.count() == 0
    mirror.sync([a_page_state(a_memory("Use Mongo."))])
    assert found(mirror, "mongo") == ["Use Mongo."]
    assert mirror._database.row("select 1 from sqlite_master where name = 'something_newer'") is None
    mirror.close()


def test_a_mirror_deleted_while_it_is_open_is_made_anew_at_the_next_sync(path, mirror):
    page = a_page_state(a_memory("Use Mongo."))
    mirror.sync([page])
    for file in path.parent.glob("mirror.sqlite3*"):
        file.unlink()
    assert mirror.sync([page]) == 1
    other = Mirror.open(path, redact=as_it_is)
    assert found(other, "mongo") == ["Use Mongo."]
    other.close()


def test_a_folder_where_the_mirror_should_be_is_an_error_of_ours(path):
    path.mkdir(parents=True)
    with pytest.raises(DatabaseError):
        Mirror.open(path, redact=as_it_is)


def test_two_that_have_it_open_see_each_others_rows(path, mirror):
    other = Mirror.open(path, redact=as_it_is)
    page = a_page_state(a_memory("Use Mongo."))
    mirror.sync([page])
    assert found(other, "mongo") == ["Use Mongo."]
    assert other.sync([page]) == 0
    other.sync([a_page_state(a_memory("Use Redis."), digest="later")])
    assert found(mirror, "mongo") == []
    other.close()


def test_a_mirror_as_the_pages_have_it_shows_no_drift(mirror):
    page = a_page_state(a_memory("Use Mongo."))
    mirror.sync([page])
    assert not mirror.check([page])
    assert not mirror.repair([page])


def test_drift_in_rows_pages_or_index_is_seen_and_repaired(mirror):
    kept, changed, gone = (PageRef("default", name) for name in ("decisions", "lessons", "tasks"))
    mirror.sync([a_page_state(a_memory("Use Mongo.", page=page), page=page) for page in (kept, changed, gone)])
    now = [
        a_page_state(a_memory("Use Mongo.", page=kept), page=kept),
        a_page_state(a_memory("Use Redis.", page=changed, meta={"origin": "cursor/a/1/0-9/77e0"}), page=changed),
    ]
    assert mirror.check(now).pages == (changed, gone)
    assert mirror.repair(now)
    assert not mirror.check(now)
    mirror._database.run("insert into nearby (nearby) values ('delete-all')")
    assert not mirror.check(now).sound
    assert mirror.repair(now)
    assert found(mirror, "redis") == ["Use Redis."]


def test_the_schema_has_no_statement_that_names_a_column_it_lacks(mirror):
    assert queries.stamps(mirror._database) == {}
    assert queries.is_sound(mirror._database)
