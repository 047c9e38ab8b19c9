from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from types import FrameType

import pytest

from agent_memory.errors import UnknownEntry
from agent_memory.model.memory import Add, Amend, Batch, Change, Move, PageRef, Remove, Restore, TakenLine
from agent_memory.vault.taken import Taken
from tests.builders import A_DAY
from tests.vault.worlds import ARCHIVE, NOW, REF, World, a_draft

HAND = "## 2026-03-10\n\nMine, as I wrote it.  \n\n## 2026-03-09\n\nOlder.\n"
OWNED = "<!-- id:5 by:user -->\n## 2026-03-10\n\nMine.\n"


def with_two() -> World:
    world = World()
    world.apply(Batch((Add(REF, a_draft("one", entry="1")), Add(REF, a_draft("two", entry="2")))))
    return world


def test_a_new_page_begins_with_its_front_matter() -> None:
    world = World()
    world.apply(Batch((Add(PageRef("Ana Maria", "yes"), a_draft(entry="1")),)))
    text = world.text(PageRef("Ana Maria", "yes"))
    assert text.startswith('---\nagent: "Ana Maria"\ncategory: "yes"\nformat: 1\n---\n\n<!-- id:1 ')
    assert text.endswith("\nUse SQLite.\n\n---\n")


def test_an_id_is_the_minute_and_the_keys_share_of_it_unless_taken() -> None:
    world = World(taken=Taken([TakenLine("other", "1773657025519", A_DAY, "stored")]))
    (first,) = world.added(Batch((Add(REF, a_draft(key="k")),)))
    second = world.added(Batch((Add(REF, a_draft(key="k")), Add(REF, a_draft(key="k")))))
    assert int(first) // 60_000 == int(A_DAY.timestamp()) // 60
    assert second == (str(int(first) + 1), str(int(first) + 2))


def test_what_has_no_key_gets_an_id_of_now() -> None:
    added = World().added(Batch((Add(REF, a_draft()), Add(REF, a_draft()))))
    now = int(NOW.timestamp() * 1000)
    assert added == (str(now), str(now + 1))


def test_a_ledger_line_without_id_gets_the_one_that_was_added_under_its_key() -> None:
    line = TakenLine("k", "", NOW, "stored", "w")
    world = World()
    outcome = world.apply(Batch((Add(REF, a_draft(key="k")),), (line,)))
    assert [taken.id for taken in outcome.taken] == world.ids()
    assert not world.apply(Batch((), (line,)))


def test_the_machine_changes_its_own_words_and_their_sum() -> None:
    world = with_two()
    world.apply(Batch((Amend(REF, "1", body="new", tags=("a",)),)))
    (memory,) = world.view().by_id("1")
    assert (memory.body, memory.tags, memory.edited) == ("new", ("a",), False)


def test_an_amendment_that_changes_nothing_is_none() -> None:
    world = with_two()
    same = Amend(REF, "1", body="one\n", tags=(), at=A_DAY, meta={"by": "heuristic", "status": None})
    assert not world.apply(Batch((same,)))
    hand = World((REF, HAND))
    assert not hand.apply(Batch((Amend(REF, hand.ids()[0], body="Mine, as I wrote it.  ", by_person=True),)))


def test_a_persons_words_are_refused_to_the_machine_and_the_comment_is_not() -> None:
    world = World((REF, OWNED))
    world.apply(Batch((Amend(REF, "5", body="theirs", tags=("x",), at=NOW, meta={"status": "superseded"}),)))
    assert world.text() == OWNED.replace("by:user", "by:user status:superseded")


def test_a_refusal_alone_writes_nothing() -> None:
    assert not World((REF, OWNED)).apply(Batch((Amend(REF, "5", body="theirs"),)))


def test_a_persons_own_change_makes_the_words_theirs() -> None:
    world = with_two()
    world.apply(Batch((Amend(REF, "1", body="## 2026-03-16\nmine", by_person=True),)))
    (memory,) = world.view().by_id("1")
    assert (memory.body, memory.edited, memory.meta["edited"]) == ("## 2026-03-16\nmine", True, "1")
    assert not world.apply(Batch((Amend(REF, "1", body="the machine's"),)))


def test_an_entry_without_id_gets_one_above_it_and_stays_byte_for_byte() -> None:
    world = World((REF, HAND))
    name = world.ids()[0]
    world.apply(Batch((Amend(REF, name, meta={"status": "superseded"}),)))
    new = str(int(NOW.timestamp() * 1000))
    assert world.text() == f"<!-- id:{new} status:superseded -->\n{HAND}"


def test_new_tags_leave_a_persons_body_as_it_is() -> None:
    world = World((REF, OWNED))
    world.apply(Batch((Amend(REF, "5", tags=("a b",), by_person=True),)))
    assert world.text() == "<!-- id:5 by:user edited:1 -->\n## 2026-03-10 · #a-b\n\nMine.\n"


def test_a_new_time_moves_an_entry_to_its_place() -> None:
    world = with_two()
    assert world.bodies() == ["two", "one"]
    world.apply(Batch((Amend(REF, "1", body="later", at=A_DAY + timedelta(hours=1)),)))
    assert world.bodies() == ["later", "two"]
    assert not any(memory.edited for memory in world.view().memories)


def test_a_move_takes_the_entry_whole() -> None:
    world = World((REF, HAND + "\n" + OWNED))
    run = world.run(Batch((Move(REF, "5", {"status": "consolidated"}), Move(REF, world.ids()[0]))))
    assert world.bodies() == ["Older."]
    assert "<!-- id:5 by:user status:consolidated -->\n## 2026-03-10\n\nMine.\n" in world.text(ARCHIVE)
    assert "## 2026-03-10\n\nMine, as I wrote it.  \n" in world.text(ARCHIVE)
    assert [change.op for change in run.changes] == ["move", "move"]


def test_between_the_two_writes_of_a_move_the_entry_is_in_both_pages() -> None:
    world = with_two()
    outcome = world.apply(Batch((Move(REF, "1"),)))
    assert REF not in outcome.grown
    assert outcome.grown[ARCHIVE].find("1") is not None
    assert outcome.final[REF].find("1") is None


def test_a_move_that_was_cut_short_is_finished_with_the_pages_copy() -> None:
    world = with_two()
    text = world.text()
    world.apply(Batch((Move(REF, "1"),)))
    world.texts[REF] = text.encode()
    world.apply(Batch((Amend(REF, "1", meta={"status": "superseded"}),)))
    world.apply(Batch((Move(REF, "1"),)))
    assert (world.bodies(), world.bodies(ARCHIVE)) == (["two"], ["one"])
    assert "superseded" in world.text(ARCHIVE)


def test_entries_that_share_an_id_are_both_moved_and_none_is_lost() -> None:
    world = World((REF, OWNED + "\n" + OWNED.replace("Mine", "Another's") + "\n" + OWNED))
    world.apply(Batch(tuple(Move(REF, name) for name in world.ids())))
    assert world.bodies() == []
    assert sorted(world.bodies(ARCHIVE)) == ["Another's.", "Mine.", "Mine."]


def test_a_stranger_in_the_archive_with_the_same_id_stays() -> None:
    world = World((REF, OWNED), (ARCHIVE, OWNED.replace("by:user", "key:k").replace("Mine", "Another's")))
    world.apply(Batch((Move(REF, "5"),)))
    assert sorted(world.bodies(ARCHIVE)) == ["Another's.", "Mine."]


def test_what_a_finished_move_replaces_is_in_the_journal() -> None:
    keyed = OWNED.replace("by:user", "key:k")
    world = World((REF, keyed), (ARCHIVE, keyed.replace("Mine", "Older")))
    outcome = world.apply(Batch((Move(REF, "5"),)))
    assert world.bodies(ARCHIVE) == ["Mine."]
    assert "Older." in str(outcome.journal[0].before)


def test_an_entry_can_be_moved_back_and_amended_in_one_batch() -> None:
    world = with_two()
    world.apply(Batch((Move(REF, "1"),)))
    world.apply(Batch((Move(ARCHIVE, "1"), Amend(REF, "1", body="resumed"))))
    assert (world.bodies(), world.bodies(ARCHIVE)) == (["two", "resumed"], [])


def test_identical_entries_without_ids_can_all_be_named_in_one_batch() -> None:
    world = World((REF, "## 2026-03-10\n\nsame\n\n## 2026-03-10\n\nsame\n"))
    world.apply(Batch(tuple(Remove(REF, name) for name in world.ids())))
    assert world.bodies() == []


@pytest.mark.parametrize(
    "change",
    [
        Remove(REF, "9"),
        Amend(REF, "9", body="x"),
        Move(REF, "9"),
        Remove(ARCHIVE, "1"),
        Restore(REF, "no entry"),
        Restore(REF, ""),
    ],
)
def test_a_change_to_what_is_not_there_fails_the_batch(change: Change) -> None:
    world = with_two()
    text = world.text()
    with pytest.raises(UnknownEntry) as failure:
        world.apply(Batch((Amend(REF, "1", body="x"), change)))
    assert failure.value.hint
    assert world.text() == text


def test_restoring_puts_an_entry_back_in_the_place_of_what_it_had_become() -> None:
    world = with_two()
    raw = world.view().by_id("1")[0].raw
    world.apply(Batch((Amend(REF, "1", body="changed"),)))
    changed = world.view().by_id("1")[0].raw
    world.apply(Batch((Restore(REF, raw, changed),)))
    assert world.bodies() == ["two", "one"]
    assert not world.apply(Batch((Restore(REF, raw),)))


def test_restoring_one_of_two_that_share_an_id_leaves_the_other() -> None:
    world = World((REF, OWNED + "\n" + OWNED.replace("Mine", "Another's")))
    raw = world.view().by_id("5")[0].raw
    world.apply(Batch((Remove(REF, "5"),)))
    world.apply(Batch((Restore(REF, raw),)))
    assert sorted(world.bodies()) == ["Another's.", "Mine."]


def test_a_persons_entry_never_replaces_another_that_happens_to_have_its_id() -> None:
    world = World((REF, OWNED), (ARCHIVE, OWNED.replace("Mine", "Older")))
    world.apply(Batch((Move(REF, "5"),)))
    assert sorted(world.bodies(ARCHIVE)) == ["Mine.", "Older."]


def calls_of(work: Callable[[], object]) -> int:
    """Count the calls of Python functions, which a noisy machine cannot change."""
    counted = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("change", [Move, lambda ref, name: Amend(ref, name, body="new")])
def test_twice_as_many_changes_take_twice_the_work(change: Callable[[PageRef, str], Change]) -> None:
    def work(count: int) -> int:
        world = World()
        drafts = [a_draft(f"Shelf {n}.", at=A_DAY + timedelta(minutes=n), entry=str(n + 1)) for n in range(count)]
        adding = Batch(tuple(Add(REF, draft) for draft in drafts))
        changing = Batch(tuple(change(REF, draft.id or "") for draft in drafts))
        return calls_of(lambda: (world.apply(adding), world.apply(changing)))

    assert work(160) < 2.5 * work(80)
