"""Consolidation from end to end: once, in one undo step, remembered, and with a scripted model."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from agent_memory.app import changes, forget, maintain, notes, stats, tending
from agent_memory.app.consolidate import consolidate
from tests.jobs.test_consolidate import LOCKS, NOISE
from tests.servers import hangs_up, model_server, says

REPLY = (
    "LESSON A report that holds the SQLite lock makes checkout fail.\nWHEN SQLite lock, checkout\nTAGS sqlite\n"
    "STEP Open the report read-only.\nSTEP Take the lock up front."
)


@pytest.fixture
def noted(workspace):
    with workspace.app() as app:
        for text in (*LOCKS, *NOISE):
            notes.store(app, text, by="agent")
            workspace.clock.advance(minutes=1)
    workspace.clock.advance(days=2)
    return workspace


def lessons(workspace):
    return [one for one in workspace.memories() if one.meta.get("by") == "consolidation" and one.active]


def pages(workspace):
    return {name: data for name, data in workspace.files().items() if name.startswith("default/")}


def bare(text):
    return text.replace(b" keep:1", b"")


def test_a_dry_run_says_it_and_writes_nothing(noted):
    before = noted.files()
    with noted.app() as app:
        done = consolidate(app, dry_run=True)

    assert [len(one.parents) for one in done.made] == [3]
    assert noted.files().keys() == before.keys()
    assert pages(noted) == {name: data for name, data in before.items() if name.startswith("default/")}


def test_twice_is_once_and_the_whole_run_is_one_undo_step(noted):
    before = pages(noted)
    with noted.app() as app:
        consolidate(app)
        once = pages(noted)
        assert consolidate(app).made == ()
        assert pages(noted) == once
        changes.undo(app, None)
        undone = pages(noted)
        assert {name: bare(data) for name, data in undone.items()} == before
        assert consolidate(app).made == (), "what was undone stays undone"
        changes.undo(app, changes.latest(app, "undo"))
        assert pages(noted).keys() == once.keys()
        changes.undo(app, changes.latest(app, "undo"))
        assert pages(noted) == undone, "a page that came back with its entries goes with them again"


def test_a_page_that_was_made_stays_for_what_else_has_come_to_stand_in_it(noted):
    with noted.app() as app:
        consolidate(app)
        page = noted.memory / "default" / "lessons.md"
        page.write_bytes(page.read_bytes() + b"\n## 2026-03-19\n\nMine.\n")
        changes.undo(app, None)

    assert [one.body for one in noted.memories() if one.page.category == "lessons"] == ["Mine."]


def test_a_vault_that_does_not_exist_is_not_made(workspace):
    with workspace.app() as app:
        consolidate(app)
    assert not workspace.memory.exists()


def test_it_is_due_every_six_hours_by_the_clock_and_not_when_switched_off(noted):
    with noted.app(consolidation__enabled=False) as app:
        assert "consolidate" not in maintain.run_due(app, 0, starting=True)
    with noted.app() as app:
        assert "consolidate" in maintain.run_due(app, 0, starting=False)
        noted.clock.advance(hours=5)
        assert "consolidate" not in maintain.run_due(app, 100, starting=True)
        noted.clock.advance(hours=1)
        assert "consolidate" in maintain.run_due(app, 0, starting=False)


def test_stats_say_what_it_came_to_and_why_nothing_happened(noted):
    with noted.app() as app:
        assert stats.stats(app).fabric.last_run is None
        consolidate(app)
        first = stats.stats(app).fabric
        consolidate(app)
        again = stats.stats(app).fabric
        changes.undo(app, None)
        notes.store(app, "Quite new.", by="agent")
        consolidate(app)
        undone = stats.stats(app).fabric

    assert (first.consolidated, first.distilled, first.linked > 0) == (3, 1, True)
    assert (first.last or {})["lessons"] == 1
    named = ("lessons", "clusters", "candidates", "spent", "young")
    assert [[(one.last or {})[name] for name in named] for one in (again, undone)] == [[0, 0, 3, 0, 0], [0, 0, 3, 3, 1]]


def test_forgotten_words_come_back_in_no_lesson_and_leave_those_that_have_them(noted):
    with noted.app() as app:
        consolidate(app)
        forget.forget(app, forget.words_of(app, None, LOCKS[0]))

    assert not [one for one in noted.memories() if LOCKS[0] in one.body]


def test_lessons_switched_off_make_none_and_links_are_still_drawn(noted):
    with noted.app(lessons__enabled=False) as app:
        done = consolidate(app)
    assert (done.made, done.links > 0) == ((), True)


def test_a_model_is_asked_once_for_a_cluster_and_its_steps_become_a_procedure(noted):
    with model_server(says(REPLY)) as server, noted.app(**server.settings()) as app:
        done = consolidate(app)
        consolidate(app)

    assert len(server.requests) == 1
    assert [one.principle for one in done.made] == ["A report that holds the SQLite lock makes checkout fail."]
    assert {one.page.category for one in lessons(noted)} == {"lessons", "procedures"}


def test_an_abstention_is_remembered_for_longer_each_time(noted):
    with model_server(says("NONE")) as server:
        for days, asked in ((0, 1), (0.5, 1), (0.6, 2), (1, 2), (1.1, 3)):
            noted.clock.advance(seconds=timedelta(days=days).total_seconds())
            with noted.app(**server.settings()) as app:
                assert consolidate(app).made == ()
            assert len(server.requests) == asked

    assert lessons(noted) == []


def test_what_a_model_invents_is_no_lesson(noted):
    invented = REPLY.replace("makes checkout fail", "for 90 seconds breaks Kubernetes")
    with model_server(says(invented)) as server, noted.app(**server.settings()) as app:
        assert consolidate(app).made == ()


def test_a_model_that_fails_makes_nothing_and_is_asked_again_the_next_time(noted):
    with model_server(hangs_up, says(REPLY)) as server, noted.app(**server.settings()) as app:
        assert consolidate(app).made == ()
        assert len(consolidate(app).made) == 1


def test_all_of_a_vault_is_considered_and_a_vote_makes_nothing_young(noted):
    with noted.app(dedup__enabled=False) as app:
        for number in range(250):
            notes.store(app, f"Chore {number:03} of shelf {number % 7}.", by="agent")
        for one in [memory for memory in noted.memories() if memory.body in LOCKS]:
            tending.vote(app, one.id, "up")
        done = consolidate(app)

    assert [one.principle for one in done.made if "SQLite" in one.principle]


def test_two_that_consolidate_at_once_make_one_lesson(noted):
    start = threading.Barrier(2)

    def run(_: int) -> int:
        with noted.app() as app:
            start.wait(20)
            return len(consolidate(app).made)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(run, range(2))) == [0, 1]
    assert len(lessons(noted)) == 1
