from hypothesis import given
from hypothesis import strategies as st

from agent_memory.jobs.compact import Limits, halfway_moves, plan_compaction
from agent_memory.model.memory import Batch, Move, PageRef
from agent_memory.system.clock import SystemClock
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.journal import undo_batch
from agent_memory.vault.store import Vault
from agent_memory.vault.view import LONG_BYTES
from tests.jobs.conftest import fill, plan
from tests.vault.worlds import ARCHIVE, NOW, REF, World


def moved(vault):
    view = vault.view()
    ids = [change.id for change in plan(view).changes if isinstance(change, Move)]
    return [view.by_id(each)[0].body for each in ids]


def test_a_page_of_thirty_is_left_alone(vault):
    fill(vault, "decisions", 30)

    assert moved(vault) == []


def test_of_a_longer_page_the_twenty_newest_stay(vault):
    fill(vault, "decisions", 31)

    assert moved(vault) == [f"Shelf {n}" for n in range(11)]


def test_moving_leaves_every_byte_of_an_entry_and_twice_is_once(vault):
    fill(vault, "decisions", 31)
    before = {memory.id: memory.raw for memory in vault.view().memories}

    for _ in range(2):
        vault.update(plan, verb="compact")

    view = vault.view()
    assert {memory.id: memory.raw for memory in view.memories if memory.active} == before
    assert len([memory for memory in view.of("default", "decisions", archived=False) if memory.active]) == 20
    assert len(view.of("default", "decisions", archived=True)) == 11


def test_lessons_by_hand_and_open_tasks_stay(vault):
    fill(vault, "lessons", 40, by="user")
    fill(vault, "tasks", 40, body="- [ ] Shelf {}")

    assert moved(vault) == []


def test_extracted_lessons_and_done_tasks_move(vault):
    fill(vault, "lessons", 31)
    fill(vault, "tasks", 31, body="- [x] Shelf {}")

    assert len(moved(vault)) == 22


def test_what_is_kept_never_moves(vault):
    fill(vault, "decisions", 15, body="Kept {}", tags=("keep",))
    fill(vault, "decisions", 31)

    left = moved(vault)

    assert left
    assert [body for body in left if body.startswith("Kept")] == []


def test_a_category_of_the_users_own_is_left_alone(vault):
    fill(vault, "recipes", 40)

    assert moved(vault) == []


def hand_written(vault, *entries):
    path = vault.shelf.path_of(PageRef("default", "decisions"))
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n---\n\n".join(f"<!-- id:{n} -->\n## {day}\n\n{body}\n" for n, day, body in entries)
    path.write_text(text, encoding="utf-8")


def test_entries_that_share_an_id_stay_where_a_person_put_them(vault):
    mine = (1000, "2026-11-29", "My new words")
    hand_written(
        vault, mine, *((1000 + n, f"2026-01-{31 - n:02d}" if n else "2025-01-01", f"Old {n}") for n in range(31))
    )

    for _ in range(3):
        vault.update(halfway_moves, verb="compact")
        vault.update(plan, verb="compact")

    bodies = [memory.body for memory in vault.view().memories]
    assert {"My new words", "Old 0"} <= set(bodies)
    assert len([body for body in bodies if not body.startswith("Older entries")]) == 32


def test_what_was_copied_back_from_the_archive_and_kept_is_not_moved_again(vault):
    hand_written(vault, *((n, f"2026-01-{n % 28 + 1:02d}", f"Old {n}") for n in range(1, 41)))
    vault.update(plan, verb="compact")
    archived = vault.view().of("default", "decisions", archived=True)[0]
    path = vault.shelf.path_of(PageRef("default", "decisions"))
    copy = archived.raw.replace("Old", "#keep Old")
    path.write_text(copy + "\n\n---\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    vault.update(halfway_moves, verb="compact")

    assert any("#keep" in memory.body for memory in vault.view().of("default", "decisions", archived=False))


entries = st.builds(
    "{}\n## 2026-03-{:02}\n\n{}\n\n".format,
    st.sampled_from(["", "<!-- id:1 -->", "<!-- id:2 -->"]),
    st.integers(10, 12),
    st.sampled_from(["Use SQLite.", "Use Kafka.", "Bread is sold."]),
) | st.just("<!-- id:3 by:user key:00000000000000aa -->\n## 2026-03-11\n\nPrices are cents.\n\n")


@given(page=st.lists(entries, max_size=9), archive=st.lists(entries, max_size=5))
def test_whatever_stands_where_a_second_run_finds_nothing_to_do(page, archive):
    world = World((REF, "".join(page)), (ARCHIVE, "".join(archive)))
    limits = Limits(3, 2)

    before = {memory.body for memory in world.view().memories}
    world.apply(plan_compaction(world.view(), limits, now=NOW, clean=str))

    assert before <= {memory.body for memory in world.view().memories}
    assert plan_compaction(world.view(), limits, now=NOW, clean=str) == Batch()


def test_what_an_undo_has_put_back_pushes_nothing_of_the_same_minute_out():
    same = "<!-- id:{} -->\n## 2026-03-11\n\nShelf {}.\n\n".format
    world, limits = World((REF, "".join(same(number, number) for number in range(10, 19)))), Limits(3, 2)
    run = world.run(plan_compaction(world.view(), limits, now=NOW, clean=str))
    world.apply(undo_batch(run, world.view())[0])

    assert len(world.ids()) == 9
    assert plan_compaction(world.view(), limits, now=NOW, clean=str) == Batch()


def test_the_entries_of_a_long_page_are_looked_at_one_by_one_and_none_is_kept(vault):
    fill(vault, "decisions", 40, body="Shelf {} " + "x" * (LONG_BYTES // 40))
    view = vault.view()
    page = view.pages[PageRef("default", "decisions")]
    left = Vault(MemoryFolder(vault.shelf.folder), SystemClock(), lock_timeout_s=5).view()

    assert plan(left) == plan(view)
    assert vars(left.pages[page.ref]).keys().isdisjoint({"page", "memories"})
