from dataclasses import replace
from datetime import timedelta

import pytest

from agent_memory.fabric.choices import key_of_replaced
from agent_memory.fabric.take import Proposal, Rules, take
from agent_memory.model.memory import Add, Amend, Batch, TakenLine
from agent_memory.model.transcript import FileIdentity
from agent_memory.vault.apply import work_out
from agent_memory.vault.store import View
from agent_memory.vault.taken import Taken
from agent_memory.vault.view import StoredPage
from tests.builders import A_DAY, a_candidate, a_turn

NOW = A_DAY + timedelta(hours=2)


def rules(**changes):
    return replace(Rules(now=NOW, min_confidence=0.5), **changes)


def proposing(*candidates, turn=None, agent="default", resumed=True):
    return Proposal(turn or a_turn("x"), candidates, agent, resumed)


def after(view: View, taking) -> View:
    return written(view, taking.batch)


def written(view: View, batch: Batch) -> View:
    """The vault once the batch is written, for batches of additions and amendments."""
    outcome = work_out(batch, view, now=NOW)
    pages = dict(view.pages)
    for ref, page in outcome.final.items():
        data = page.render().encode()
        pages[ref] = StoredPage(ref, FileIdentity(1, 1, len(data), 1), data)
    return View(pages.values(), Taken([*view.taken.lines, *outcome.taken]), ["default"])


def taken(*candidates, view=None, **changes):
    view = view or View()
    return after(view, take(view, [proposing(*candidates)], rules(**changes)))


def test_a_candidate_becomes_an_entry_with_key_origin_and_confidence():
    candidate = a_candidate(tags=("sqlite",))

    memory = taken(candidate).memories[0]

    assert (memory.body, memory.key, memory.origin) == (candidate.body, candidate.key, candidate.origin)
    assert memory.tags == ("sqlite", "auto-extract")
    assert memory.meta["confidence"] == "1.00"


def test_a_key_is_never_added_twice_even_in_one_batch():
    candidate = a_candidate()
    view = taken(candidate, candidate)

    again = take(view, [proposing(candidate)], rules())

    assert len(view.memories) == 1
    assert not again.batch
    assert again.count("known") == 1


def test_a_key_that_stands_in_a_page_but_not_in_the_ledger_gets_its_line():
    candidate = a_candidate()
    view = taken(candidate)
    without_ledger = View(view.pages.values(), Taken(), ["default"])

    taking = take(without_ledger, [proposing(candidate)], rules())

    assert taking.batch.changes == ()
    assert [line.key for line in taking.batch.taken] == [candidate.key]


def test_what_is_too_uncertain_is_left():
    taking = take(View(), [proposing(a_candidate())], rules(min_confidence=1.1))

    assert (taking.count("doubtful"), bool(taking.batch)) == (1, False)


def test_the_same_said_elsewhere_is_a_duplicate_of_the_entry():
    view = taken(a_candidate())
    again = a_candidate("use sqlite for the mirror, because it ships with python", conversation="other")

    taking = take(view, [proposing(again)], rules())

    assert taking.count("duplicate") == 1
    assert [(line.id, line.why) for line in taking.batch.taken] == [(view.memories[0].id, "duplicate")]


def test_two_that_say_the_same_in_one_batch_are_one():
    pair = [a_candidate(), a_candidate(conversation="other")]

    taking = take(View(), [proposing(*pair)], rules())

    assert len([change for change in taking.batch.changes if isinstance(change, Add)]) == 1
    assert {line.id for line in taking.batch.taken} == {taking.batch.taken[0].id}


def test_another_agents_entry_is_no_duplicate():
    view = taken(a_candidate())

    taking = take(view, [proposing(a_candidate(conversation="other"), agent="another")], rules())

    assert taking.count("stored") == 1


def test_a_superseded_entry_is_no_duplicate():
    view = taken(a_candidate())
    memory = view.memories[0]
    amended = Amend(memory.page, memory.id, meta={"status": "superseded", "superseded-by": "1"})
    outcome = work_out(Batch((amended,)), view, now=NOW)
    data = outcome.final[memory.page].render().encode()
    gone = View([StoredPage(memory.page, FileIdentity(1, 1, len(data), 2), data)], view.taken, ["default"])

    assert take(gone, [proposing(a_candidate(conversation="other"))], rules()).count("stored") == 1


def test_what_a_grown_turn_no_longer_proposes_is_superseded_and_comes_back_if_it_does():
    short, long = a_turn("a", role="assistant"), a_turn("a", "b", role="assistant")
    candidate = a_candidate(digest=short.digest)
    view = after(View(), take(View(), [proposing(candidate, turn=short)], rules()))

    view = after(view, take(view, [proposing(turn=long)], rules()))
    assert [memory.status for memory in view.memories] == ["superseded"]

    view = after(view, take(view, [proposing(a_candidate(digest=long.digest), turn=long)], rules()))
    assert [memory.status for memory in view.memories] == [None]
    assert view.memories[0].meta["origin"].endswith(long.digest)


def test_a_turn_that_is_read_again_unchanged_supersedes_nothing():
    turn = a_turn("a", role="assistant")
    view = after(View(), take(View(), [proposing(a_candidate(digest=turn.digest), turn=turn)], rules()))

    assert not take(view, [proposing(turn=turn)], rules()).batch


def test_a_done_task_is_ticked_and_stays_ticked_on_re_reading():
    task = a_candidate("- [ ] Rotate the key.", category="tasks", said="rotate the key")
    done = a_candidate("- [x] Rotate the key.", category="tasks", said="rotate the key")
    view = taken(task, view=None)

    view = after(view, take(view, [proposing(done)], rules()))
    view = after(view, take(view, [proposing(task), proposing(done)], rules()))

    assert [memory.body for memory in view.memories] == ["- [x] Rotate the key."]


def test_a_task_that_was_done_before_we_heard_of_it_is_none():
    done = a_candidate("- [x] Rotate the key.", category="tasks", said="rotate the key")

    assert taken(done).memories == ()


def test_words_that_a_person_removed_stay_away_unless_said_later():
    candidate = a_candidate(conversation="old")
    removed = View((), Taken([TakenLine("k", "1", NOW - timedelta(hours=1), "stored", candidate.words)]), ["default"])

    copied = a_candidate(conversation="copy")
    later = a_candidate(conversation="new", at=NOW)

    assert take(removed, [proposing(copied)], rules()).count("blocked") == 1
    assert take(removed, [proposing(later)], rules()).count("stored") == 1


def test_words_without_a_time_count_as_said_now_only_in_a_conversation_that_we_know():
    candidate = replace(a_candidate(conversation="copy"), approximate=True)
    removed = View((), Taken([TakenLine("k", "1", NOW - timedelta(hours=1), "stored", candidate.words)]), ["default"])

    assert take(removed, [proposing(candidate, resumed=False)], rules()).count("blocked") == 1
    assert take(removed, [proposing(candidate, resumed=True)], rules()).count("stored") == 1


def test_a_forgotten_key_is_blocked_even_while_its_entry_stands():
    candidate = a_candidate()
    view = taken(candidate)
    forgotten = TakenLine(candidate.key, view.memories[0].id, NOW, "forgotten", candidate.words)

    taking = take(View(view.pages.values(), Taken([forgotten]), ["default"]), [proposing(candidate)], rules())

    assert taking.count("blocked") == 1


def replacing(candidate, *others):
    return replace(candidate, replaces=tuple(other.key for other in others))


def statuses(view):
    return {memory.body: memory.status for memory in view.memories}


A = a_candidate("The kitchen printer is the old one.", turn=1)
B = replacing(a_candidate("The kitchen printer is the new one.", turn=3, at=A_DAY + timedelta(minutes=10)), A)
A_AGAIN = replacing(replace(A, said_at=A_DAY + timedelta(minutes=20)), B)


def test_the_last_choice_stays_active_and_what_it_replaced_says_so():
    view = taken(B, view=taken(A))

    assert statuses(view) == {A.body: "superseded", B.body: None}
    old = next(memory for memory in view.memories if memory.body == A.body)
    new = next(memory for memory in view.memories if memory.body == B.body)
    assert (old.meta["superseded-by"], old.meta["valid-to"]) == (new.id, "2026-03-16T10:40")


def test_a_choice_said_again_is_active_again_and_supersedes_what_replaced_it():
    view = taken(A_AGAIN, view=taken(B, view=taken(A)))

    assert statuses(view) == {A.body: None, B.body: "superseded"}


def test_the_same_holds_within_one_batch():
    assert statuses(taken(A, B)) == {A.body: "superseded", B.body: None}
    assert statuses(taken(A, B, A_AGAIN)) == {A.body: None, B.body: "superseded"}


def test_reading_choices_again_changes_nothing():
    view = taken(A, B)

    assert not take(view, [proposing(A), proposing(B)], rules()).batch

    view = taken(A, B, A_AGAIN)
    assert statuses(after(view, take(view, [proposing(A, B, A_AGAIN)], rules()))) == statuses(view)
    assert statuses(after(view, take(view, [proposing(A)], rules()))) == statuses(view)


YARN, PNPM = "We use yarn for the packages of the shop.", "Instead of yarn we use pnpm for the packages of the shop."
FORMER = a_candidate(YARN, conversation="one")
LATTER = a_candidate(PNPM, conversation="two", at=A_DAY + timedelta(hours=1))


@pytest.mark.parametrize(
    "arriving", [[[FORMER], [LATTER]], [[LATTER], [FORMER]], [[FORMER, LATTER]], [[LATTER, FORMER]]]
)
def test_what_another_conversation_replaces_falls_in_whatever_order_they_come(arriving):
    view = View()
    for batch in arriving:
        view = taken(*batch, view=view)

    old, new = sorted(view.memories, key=lambda memory: memory.at)
    assert (old.body, old.status, old.meta["superseded-by"]) == (YARN, "superseded", new.id)
    assert (new.body, new.active) == (PNPM, True)
    assert view.taken.by_key(key_of_replaced(old.id, new.id)), "so that upkeep does not do it again once it is undone"


@pytest.mark.parametrize("kept", [{"edited": "1"}, {"keep": "1"}])
def test_what_a_person_keeps_falls_to_no_other_conversation(kept):
    view = taken(FORMER)
    memory = view.memories[0]
    view = written(view, Batch((Amend(memory.page, memory.id, meta=kept),)))

    assert all(one.active for one in taken(LATTER, view=view).memories)


def test_what_another_agent_decided_what_is_too_uncertain_or_switched_off_replaces_nothing():
    view = taken(FORMER)
    other = take(view, [proposing(LATTER, agent="other")], rules())
    doubtful = take(view, [proposing(replace(LATTER, confidence=0.4))], rules(propose=True))
    off = take(view, [proposing(LATTER)], rules(across=False))

    assert [[type(change) for change in one.batch.changes] for one in (other, doubtful, off)] == [[Add]] * 3
