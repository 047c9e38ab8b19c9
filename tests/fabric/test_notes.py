"""What becomes of a note that is to be stored."""

from datetime import UTC, datetime, timedelta

import pytest

from agent_memory.errors import InvalidValue
from agent_memory.fabric import notes
from agent_memory.fabric.notes import Note, Rules, Use
from agent_memory.model.links import links_of
from agent_memory.model.memory import PageRef
from tests.builders import a_memory
from tests.vault.worlds import World

PAGE = PageRef("default", "notes")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUNS_18 = "The build server runs node 18 because of its glibc."


def put(world, text, *, tags=(), hour=0, page=PAGE, **rules):
    note = Note(text, tuple(tags), "agent")
    now = START + timedelta(hours=hour)
    decision = notes.store(world.view(), page, note, Rules(now, **{"max_entries": 1000, **rules}))
    world.apply(decision.batch)
    return decision


def active(world):
    return [memory for memory in world.view().of("default", "notes") if memory.active]


@pytest.mark.parametrize(
    ("text", "tags", "field"),
    [
        ("", (), "content"),
        ("  \n ", (), "content"),
        ("x" * 4001, (), "content"),
        ("x", tuple(f"t{n}" for n in range(17)), "tags"),
        ("x", ("t" * 41,), "tags"),
    ],
)
def test_what_is_too_long_or_too_much_is_refused_with_its_field(text, tags, field):
    with pytest.raises(InvalidValue) as refused:
        (notes.checked_text(text, max_chars=4000), notes.checked_tags(tags))

    assert refused.value.facts["field"] == field


def test_limits_themselves_are_fine_and_tags_are_as_headings_have_them():
    assert notes.checked_text(f" {'x' * 4000}\n", max_chars=4000) == "x" * 4000
    assert notes.checked_tags(["#pool.py", "pool.py", " ", "ação", *(f"t{n}" for n in range(14))])[:2] == (
        "pool-py",
        "ação",
    )


def test_the_same_words_are_known_already():
    world = World()
    first = put(world, RUNS_18, tags=("build",))

    again = put(world, "the build server runs NODE 18, because of its glibc", hour=1)

    assert (again.outcome, again.entry) == ("known", first.entry)
    assert len(active(world)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RUNS_18, RUNS_18.replace("18", "20")),
        ("Tests must run before each deploy of the shop.", "Tests must not run before each deploy of the shop."),
        (
            "Os testes rodam antes de cada deploy da loja.",
            "Os testes nunca rodam antes de cada deploy da loja.",
        ),
        ("Os testes rodam com rede no servidor de build.", "Os testes rodam sem rede no servidor de build."),
        ("Copy the files from the old server to the new one.", "Copy the files from the new server to the old one."),
        ("Use port 5.", "Use port 6."),
    ],
)
def test_a_correction_is_no_repetition(old, new):
    world = World()
    put(world, old)

    assert put(world, new, hour=1).outcome == "stored"
    assert {memory.body for memory in active(world)} == {old, new}


def test_what_says_more_is_written_and_supersedes_what_it_repeats():
    world = World()
    old = put(world, RUNS_18)

    more = put(world, f"{RUNS_18[:-1]} version.", hour=1)

    assert more.outcome == "linked"
    (memory,) = active(world)
    assert links_of(memory) == (("supersedes", old.entry),)
    superseded = world.view().by_id(old.entry)[0]
    assert (superseded.status, superseded.meta["superseded-by"]) == ("superseded", more.entry)


def test_what_says_something_else_too_is_linked_and_both_stay():
    world = World()
    old = put(world, RUNS_18)

    more = put(world, f"Careful with upgrades: {RUNS_18[:-1]}, which Debian pins for us.", hour=1)

    assert more.links == (("relates-to", old.entry),)
    assert len(active(world)) == 2


def test_new_tags_are_more_too():
    world = World()
    old = put(world, RUNS_18, tags=("build",))

    assert put(world, RUNS_18, tags=("build", "glibc"), hour=1).links == (("supersedes", old.entry),)
    assert [memory.tags for memory in active(world)] == [("build", "glibc")]


def test_a_persons_words_are_linked_to_and_stay_active():
    world = World((PAGE, f"<!-- id:42 -->\n## 2026-02-01\n\n{RUNS_18}\n"))

    more = put(world, f"{RUNS_18[:-1]} version.", hour=1)

    assert more.links == (("supersedes", "42"),)
    assert len(active(world)) == 2


def test_another_page_and_what_left_for_good_are_not_compared():
    world = World()
    elsewhere = put(world, RUNS_18, page=PageRef("ana", "notes"))
    first = put(world, RUNS_18, hour=1)
    put(world, "Another note altogether.", hour=2, max_entries=1)

    again = put(world, RUNS_18, hour=3)

    assert len({elsewhere.entry, first.entry, again.entry}) == 3
    assert again.outcome == "stored"


def test_comparing_can_be_switched_off():
    world = World()
    put(world, RUNS_18)

    assert put(world, RUNS_18, hour=1, dedup=False).outcome == "stored"


def evicted(world):
    return {memory.body for memory in world.view().memories if memory.status == "evicted"}


def test_votes_then_use_then_age_decide_what_leaves_and_never_the_newest():
    world = World()
    ids = [put(world, f"note number {n}", hour=n).entry for n in range(4)]
    uses = {ids[0]: Use(1, START), ids[3]: Use(3, START)}

    put(world, "the newest", hour=9, max_entries=4, uses=uses)
    assert evicted(world) == {"note number 1"}

    put(world, "newer still", hour=10, max_entries=1, uses=uses)
    assert [memory.body for memory in active(world)] == ["newer still"]
    assert all(memory.page.archived for memory in world.view().memories if memory.status == "evicted")


def test_by_age_alone_the_oldest_leaves():
    world = World()
    ids = [put(world, f"note number {n}", hour=n).entry for n in range(2)]

    put(world, "the newest", hour=9, max_entries=2, uses={ids[0]: Use(9, START)}, by_use=False)

    assert evicted(world) == {"note number 0"}


def test_votes_weigh_more_than_use():
    page = "".join(
        f"<!-- id:{n} votes:{votes} -->\n## 2026-02-0{n}\n\nnote {n}\n\n---\n\n" for n, votes in ((2, -1), (1, 1))
    )
    world = World((PAGE, page))

    put(world, "the newest", max_entries=2, uses={"2": Use(9, START)})

    assert evicted(world) == {"note 2"}


def test_a_lessons_parent_and_what_is_kept_stay():
    lesson = "<!-- id:7 links:parent>1 -->\n## 2026-02-09\n\nA lesson, see [[2]].\n"
    page = "".join(
        f"<!-- id:{n} -->\n## 2026-02-0{n}{' · #keep' if n == 3 else ''}\n\nnote {n}\n\n---\n\n" for n in (4, 3, 2, 1)
    )
    world = World((PAGE, page), (PageRef("default", "lessons"), lesson))

    put(world, "the newest", max_entries=1)

    assert evicted(world) == {"note 4"}


def test_links_that_are_none_are_passed_over():
    memory = a_memory("See [[12]] and [[x]].", meta={"links": "supersedes>7,nonsense>8,relates-to>,relates-to>12"})

    assert links_of(memory) == (("supersedes", "7"), ("relates-to", "12"))


def test_the_note_that_says_the_same_is_found_among_those_that_are_near_and_its_tags_are_taken_over():
    world = World()
    first = put(world, "We keep the orders in SQLite, one file per shop, since a copy of it is a backup.", tags=("db",))
    put(
        world,
        "We keep the orders in Postgres, one file per shop, since a copy of it is a backup.",
        tags=("db",),
        hour=1,
    )

    again = put(
        world,
        "We keep the orders in SQLite, one file per shop, since a copy of it is a backup!",
        tags=("copy",),
        hour=2,
    )

    assert again.links == (("supersedes", first.entry),)
    assert [memory.tags for memory in active(world) if memory.id == again.entry] == [("copy", "db")]
