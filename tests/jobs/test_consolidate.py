"""What upkeep makes of a vault: lessons out of what agrees, nothing out of what does not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agent_memory.fabric.lessons import Distilled, Keeping, parents_of
from agent_memory.jobs.cluster import MAX_MEMBERS
from agent_memory.jobs.consolidate import Rules, consolidate
from agent_memory.jobs.distil import borne_out, extracted
from agent_memory.model.memory import Add, Amend, Batch, Draft, Move, PageRef, Remove
from agent_memory.model.votes import Fading
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.store import Vault
from tests.builders import A_DAY

NOW = A_DAY + timedelta(days=10)
RULES = Rules(now=NOW, fading=Fading(NOW))
LOCKS = (
    "Checkout failed because the report held the SQLite lock for a minute.",
    "The SQLite lock is taken up front, so that no checkout waits for a report.",
    "A report opens SQLite read-only and never holds the lock at checkout.",
)
DATES = (
    "Delivery dates are plain days in the Lisbon calendar, without an hour.",
    "A delivery date in the calendar moved by a day, since Lisbon was an hour behind.",
    "O calendário mostra as delivery dates de Lisbon como dias, sem hora.",
)
NOISE = ("The footer is green.", "Ana likes short commit messages.", "Images are cut to four by three.")


@pytest.fixture
def vault(tmp_path, clock):
    clock.moment = NOW
    return Vault(MemoryFolder(tmp_path / ".memory"), clock, lock_timeout_s=5)


def put(vault, *bodies, category="notes", by="reflection", tags=(), agent="default", at=A_DAY, **meta):
    drafts = [
        Add(PageRef(agent, category), Draft(body, at + timedelta(minutes=n), by, tags, meta=meta))
        for n, body in enumerate(bodies)
    ]
    return vault.update(lambda view: Batch(tuple(drafts)), verb="test").ids("add")


def run(vault, rules=RULES, distil=None):
    def make(cluster, likeness):
        return extracted(cluster, likeness, lambda text: text)

    plan = consolidate(vault.view(), rules, distil or make)
    vault.update(lambda view: plan.batch, verb="consolidate")
    return plan


def lessons(vault):
    return [memory for memory in vault.view().memories if memory.meta.get("by") == "consolidation"]


def test_what_agrees_becomes_a_lesson_and_two_things_become_two(vault):
    locks, dates = put(vault, *LOCKS), put(vault, *DATES)
    put(vault, *NOISE)
    run(vault)

    assert {frozenset(parents_of(lesson)) for lesson in lessons(vault)} == {frozenset(locks), frozenset(dates)}
    (lesson,) = (one for one in lessons(vault) if set(parents_of(one)) == set(locks))
    assert set(lesson.body.split("\n")) <= set(LOCKS)
    assert "lock" in lesson.meta["activation"]
    assert 0 < float(lesson.meta["confidence"]) <= 0.9
    assert lesson.at == A_DAY + timedelta(minutes=2), "a lesson is as old as the youngest it rests on"


def test_what_it_rests_on_is_read_by_its_id_in_the_archive_and_leads_to_the_lesson(vault):
    first, *_ = put(vault, *LOCKS)
    run(vault)

    (memory,) = vault.view().by_id(first)
    assert (memory.page.archived, memory.status, memory.body) == (True, "consolidated", LOCKS[0])
    assert memory.meta["superseded-by"] == lessons(vault)[0].id


def test_decisions_and_a_persons_words_stay_where_they_stand(vault):
    decided = put(vault, LOCKS[0], category="decisions")
    said = put(vault, LOCKS[1], by="user")
    noted = put(vault, LOCKS[2])
    run(vault)

    assert set(parents_of(lessons(vault)[0])) == {*decided, *said, *noted}
    assert [vault.view().by_id(one)[0].active for one in (*decided, *said, *noted)] == [True, True, False]


def test_two_are_too_few_and_what_is_fresh_waits(vault):
    put(vault, *LOCKS[:2])
    put(vault, LOCKS[2], at=NOW - timedelta(hours=23))

    assert (run(vault).made, lessons(vault)) == ([], [])


def test_another_agents_entries_are_another_matter(vault):
    put(vault, *LOCKS[:2])
    put(vault, LOCKS[2], agent="ana")

    assert run(vault).made == []


def test_one_run_makes_only_so_many_and_the_next_goes_on(vault):
    put(vault, *LOCKS, *DATES)
    one = replace(RULES, most=1)

    assert [len(run(vault, one).made) for _ in range(3)] == [1, 1, 0]


def test_a_cluster_has_a_limit_and_no_entry_is_in_two(vault):
    put(vault, *(f"{text} Case {n}." for text in LOCKS for n in ("alpha", "beta", "gamma", "delta", "zeta")))
    run(vault)

    parents = [parent for lesson in lessons(vault) for parent in parents_of(lesson)]
    assert len(parents) == len(set(parents))
    assert max(len(parents_of(lesson)) for lesson in lessons(vault)) <= MAX_MEMBERS


def test_where_entries_contradict_each_other_the_later_speaks_and_if_few_are_left_nobody(vault):
    timeouts = (f"The SQLite busy timeout of the checkout is {seconds} seconds." for seconds in (30, 5))
    put(vault, *timeouts, LOCKS[0], LOCKS[1])
    run(vault)
    assert all("30 seconds" not in lesson.body for lesson in lessons(vault))


def test_entries_that_all_contradict_each_other_teach_nothing(vault):
    put(vault, *(f"The SQLite busy timeout of the checkout is {seconds} seconds." for seconds in (5, 30, 60)))
    plan = run(vault)

    assert (plan.clusters, plan.made) == (1, [])


def test_a_deleted_or_undone_lesson_is_not_made_again(vault):
    put(vault, *LOCKS, category="decisions")
    run(vault)
    (lesson,) = lessons(vault)
    vault.update(lambda view: Batch((Remove(lesson.page, lesson.id),)), verb="vault delete")

    assert run(vault).made == []


def test_links_are_drawn_once_and_what_was_taken_away_stays_away(vault):
    first, second = put(vault, *LOCKS[:2])
    run(vault)
    linked = vault.view().by_id(second)[0]
    assert linked.meta["links"] == f"relates-to>{first}"
    vault.update(lambda view: Batch((Amend(linked.page, second, meta={"links": None}),)), verb="links remove")

    assert (run(vault).links, vault.view().by_id(second)[0].meta.get("links")) == (0, None)


def test_a_half_way_move_counts_as_in_the_page_and_is_finished(vault):
    first, *_ = put(vault, *LOCKS)
    page = vault.view().by_id(first)[0].page
    text = vault.shelf.path_of(page).read_text()
    vault.update(lambda view: Batch((Move(page, first),)), verb="compact")
    vault.shelf.path_of(page).write_text(text)

    assert len(run(vault).made) == 1
    assert [memory.status for memory in vault.view().by_id(first)] == ["consolidated"]


def test_a_model_makes_the_procedure_too_and_both_say_what_they_rest_on(vault):
    entries = put(vault, *LOCKS)
    says = Distilled("a locked checkout", "Reports read.", ("sqlite",), 0.7, ("Open it read-only.", "Close it."))
    run(vault, distil=lambda cluster, likeness: says)

    lesson, procedure = lessons(vault)
    assert (procedure.page.category, procedure.body) == ("procedures", "1. Open it read-only.\n2. Close it.")
    assert parents_of(procedure) == (lesson.id, *entries)


def test_what_a_model_says_must_be_borne_out(vault):
    put(vault, *LOCKS)
    found = []
    run(vault, distil=lambda cluster, likeness: found.append(cluster))

    def says(principle, *steps):
        return borne_out(Distilled("SQLite lock", principle, (), 0.7, steps), found[0])

    assert says("A report that holds the SQLite lock makes checkout fail.")
    assert not says("A report that holds the SQLite lock for 90 seconds makes checkout fail.")
    assert not says("Always deploy with Kubernetes on Fridays before lunch.")
    assert not says("A report holds the SQLite lock.", "Format the disk of every customer twice.")


def test_what_nobody_needs_any_more_is_deprecated_and_stays_readable(vault):
    put(vault, *LOCKS)
    run(vault)
    later = NOW + timedelta(days=181)
    keeping = {"lessons": Keeping(10, timedelta(days=180))}
    plan = run(vault, replace(RULES, now=later, fading=Fading(later), keeping=keeping))

    (lesson,) = lessons(vault)
    assert (lesson.status, lesson.page.archived, [why for _, why in plan.let_go]) == (
        "deprecated",
        False,
        ["never used"],
    )
