from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Add, Amend, Batch, Change, Move, PageRef, Remove
from agent_memory.vault import journal
from agent_memory.vault.journal import JournalChange, JournalRun, parse, read, undo_batch
from tests.builders import A_DAY
from tests.vault.worlds import ARCHIVE, NOW, REF, World, a_draft

HAND = "# Ours\n\n## 2026-03-10\n\nMine.\n\n## 2026-03-18\n\nNot sorted.\n"

changes = st.builds(
    JournalChange,
    op=st.sampled_from(("add", "amend", "move", "remove", "restore")),
    page=st.text(),
    id=st.text(),
    before=st.none() | st.text(),
    after=st.none() | st.text(),
    beside=st.integers(0, 3),
)
runs = st.builds(
    JournalRun,
    run=st.text(),
    at=st.just(NOW),
    verb=st.text(),
    changes=st.lists(changes, unique=True).map(tuple),
    undoes=st.none() | st.text(),
    made=st.lists(st.text()).map(tuple),
)


def line(run: JournalRun) -> str:
    return "".join(journal.line(run)).removesuffix("\n")


def undone(world: World, run: JournalRun) -> list[str]:
    batch, kept = undo_batch(run, world.view())
    world.apply(batch)
    return kept


def with_two() -> World:
    world = World()
    world.apply(Batch((Add(REF, a_draft("one", entry="1")), Add(REF, a_draft("two", entry="2")))))
    return world


@given(runs)
def test_what_is_written_is_read_again(run: JournalRun) -> None:
    assert "\n" not in line(run)
    assert line(run).isascii()
    assert parse(line(run)) == (run,)


@given(st.text())
def test_any_text_is_a_journal(text: str) -> None:
    parse(text)


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    first, second = JournalRun("a", NOW, "x", ()), JournalRun("b", NOW + timedelta(days=1), "y", (), undoes="a")
    path = tmp_path / "journal.jsonl"
    torn = line(second)[:-4]
    nameless = '{"run": 1, "at": "2026-03-16T10:30:00Z", "verb": "x", "changes": []}'
    foreign = '{"run": "c", "at": "2026-03-16T10:30:00Z", "verb": "x", "changes": [{"op": "sell"}]}'
    path.write_text(
        "\n".join(
            [line(first), torn, foreign, nameless, "[]", "\udc80".encode("utf-8", "replace").decode(), line(second)]
        )
    )
    assert read(path) == (first, second)
    assert read(tmp_path / "none") == ()


def test_a_run_that_started_over_is_one() -> None:
    one, two = (JournalChange("add", REF.path, name, None, name) for name in "12")
    runs = parse("\n".join(map(line, [JournalRun("a", NOW, "x", (one,)), JournalRun("a", NOW, "x", (one, two))])))
    assert [run.changes for run in runs] == [(one, two)]


def test_undoing_an_addition_removes_it_and_gives_the_page_back() -> None:
    world = World((REF, HAND))
    run = world.run(Batch((Add(REF, a_draft(entry="1")),)))
    assert undone(world, run) == []
    assert world.text() == HAND


def test_undoing_a_removal_restores_it() -> None:
    world = with_two()
    before = world.text()
    run = world.run(Batch((Remove(REF, "2"), Remove(REF, "1"))))
    assert undone(world, run) == []
    assert world.text() == before


def test_undoing_an_amendment_brings_the_words_back_where_they_stood() -> None:
    world = World((REF, HAND))
    name = world.ids()[0]
    run = world.run(Batch((Amend(REF, name, body="Changed.", meta={"status": "superseded"}, by_person=True),)))
    assert "Changed." in world.text()
    assert undone(world, run) == []
    new = str(int(NOW.timestamp() * 1000))
    assert world.text() == HAND.replace("## 2026-03-10", f"<!-- id:{new} -->\n## 2026-03-10")


def test_undoing_a_move_takes_the_text_as_it_now_is_and_keeps_it_in_the_page() -> None:
    world = with_two()
    run = world.run(Batch((Move(REF, "1", {"status": "consolidated"}),)))
    world.apply(Batch((Amend(ARCHIVE, "1", body="amended there"),)))
    assert undone(world, run) == []
    (memory,) = world.view().by_id("1")
    assert (memory.page, memory.body, memory.status, memory.meta["keep"]) == (REF, "amended there", None, "1")


def test_undoing_a_return_to_the_page_archives_it_again() -> None:
    world = with_two()
    world.apply(Batch((Move(REF, "1"),)))
    run = world.run(Batch((Move(ARCHIVE, "1"), Amend(REF, "1", body="resumed", at=A_DAY + timedelta(hours=1)))))
    assert undone(world, run) == []
    assert (world.bodies(), world.bodies(ARCHIVE)) == (["two"], ["one"])
    assert "keep" not in world.view().by_id("1")[0].meta


def test_what_is_no_longer_as_the_change_left_it_stays_and_is_named() -> None:
    world = with_two()
    run = world.run(
        Batch((Add(REF, a_draft("three", entry="3")), Amend(REF, "1", body="new"), Amend(REF, "2", body="new 2")))
    )
    world.texts[REF] = world.text().replace("three", "drei").replace("new 2", "hand").encode()
    assert undone(world, run) == ["2", "3"]
    assert world.bodies() == ["drei", "hand", "one"]


def test_an_added_entry_that_was_moved_away_since_stays_and_is_named() -> None:
    world = World()
    run = world.run(Batch((Add(REF, a_draft(entry="1")),)))
    world.apply(Batch((Move(REF, "1"),)))
    assert undone(world, run) == ["1"]
    assert world.ids(ARCHIVE) == ["1"]


def test_a_removed_entry_that_the_archive_still_has_is_not_put_back_beside_it() -> None:
    world = with_two()
    text = world.text()
    world.apply(Batch((Move(REF, "1"),)))
    world.texts[REF] = text.encode()
    run = world.run(Batch((Remove(REF, "1"),)))
    assert undone(world, run) == ["1"]
    assert (world.ids(), world.ids(ARCHIVE)) == (["2"], ["1"])


def test_a_move_whose_entry_is_back_in_its_page_or_gone_needs_no_undoing() -> None:
    world = with_two()
    run = world.run(Batch((Move(REF, "1"), Move(REF, "2"))))
    world.apply(Batch((Move(ARCHIVE, "1"), Remove(ARCHIVE, "2"))))
    assert undone(world, run) == ["2"]
    assert (world.ids(), world.ids(ARCHIVE)) == (["1"], [])


def test_what_is_already_as_it_was_needs_nothing() -> None:
    world = with_two()
    run = world.run(Batch((Add(REF, a_draft("three", entry="3")), Amend(REF, "1", body="new"))))
    assert undone(world, run) == []
    assert undo_batch(run, world.view()) == (Batch(), [])


def test_an_intent_without_its_pages_is_void() -> None:
    world = with_two()
    lost = World((REF, world.text())).run(Batch((Add(REF, a_draft("three", entry="3")), Amend(REF, "1", body="new"))))
    assert undo_batch(lost, world.view()) == (Batch(), [])


def test_several_changes_to_one_entry_are_undone_from_the_last() -> None:
    world = World()
    run = world.run(Batch((Add(REF, a_draft("a", entry="1")), Amend(REF, "1", body="b"), Amend(REF, "1", body="c"))))
    assert undone(world, run) == []
    assert world.ids() == []


def test_an_undo_can_be_undone() -> None:
    world = with_two()
    before = world.text()
    batch, _ = undo_batch(world.run(Batch((Remove(REF, "1"), Amend(REF, "2", body="new")))), world.view())
    undo = world.run(batch)
    assert world.text() == before
    assert undone(world, undo) == []
    assert world.bodies() == ["new"]


def test_a_change_whose_page_is_none_of_ours_is_named() -> None:
    run = JournalRun("r", NOW, "x", (JournalChange("add", "../../etc.md", "1", None, "x"),))
    assert undo_batch(run, World().view()) == (Batch(), ["1"])


@given(st.data())
def test_undoing_any_batch_of_the_machine_gives_the_same_entries_back(data: st.DataObject) -> None:
    world = World()
    world.apply(
        Batch(tuple(Add(REF, a_draft(f"body {n}", at=A_DAY + timedelta(minutes=n), entry=str(n))) for n in range(1, 4)))
    )
    before = sorted(memory.raw for memory in world.view().memories)
    batch: list[Change] = []
    for name in data.draw(st.lists(st.sampled_from("123"), unique=True)):
        options: list[Change] = [Remove(REF, name), Amend(REF, name, body="x"), Amend(REF, name, at=NOW)]
        batch.append(data.draw(st.sampled_from(options)))
    batch.append(Add(PageRef("default", "lessons"), a_draft("a lesson", entry="9")))
    assert undone(world, world.run(Batch(tuple(batch)))) == []
    assert sorted(memory.raw for memory in world.view().memories) == before


@pytest.mark.parametrize("twin", ["Another with its id.", "one", "one\n\n---"])
@pytest.mark.parametrize("entry", ["<!-- id:1 -->\n## 2026-03-16T10:30\n\none\n\n", "## 2026-03-16T10:30\n\none\n\n"])
def test_taking_out_one_of_two_with_one_id_can_be_taken_back_and_done_again(entry: str, twin: str) -> None:
    other = entry.replace("\none\n", f"\n{twin}\n")
    world = World((REF, entry + other))
    before, removed = world.bodies(), world.view().memories[0]
    run = world.run(Batch((Remove(REF, removed.id),)))
    assert len(world.bodies()) == 1
    left = world.text()

    back = world.view()
    undoing = world.run(undo_batch(run, back)[0])
    assert sorted(world.bodies()) == sorted(before)
    assert undo_batch(run, world.view()) == (Batch(), [])  # it is back
    world.run(undo_batch(undoing, world.view())[0])
    assert world.text().split() == left.split()


def test_of_two_with_one_id_the_one_that_is_meant_is_changed() -> None:
    world = World((REF, "<!-- id:1 -->\n## 2026-03-16T10:30\n\none\n\n<!-- id:1 -->\n## 2026-03-16T10:30\n\ntwo\n"))
    one, two = world.view().memories

    world.apply(Batch((Amend(REF, "1", meta={"keep": "1"}, raw=two.raw),)))
    assert ["keep" in memory.meta for memory in world.view().memories] == [False, True]
    world.apply(Batch((Remove(REF, "1", world.view().memories[1].raw),)))
    assert world.bodies() == [one.body]
