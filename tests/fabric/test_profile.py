"""What setting and removing a fact does to a page."""

from datetime import UTC, datetime, timedelta

import pytest

from agent_memory.errors import InvalidValue, UnknownEntry
from agent_memory.fabric import versions
from agent_memory.fabric.profile import Assertion, assert_fact, remove_fact
from agent_memory.model.ids import fingerprint
from agent_memory.model.memory import Fact, PageRef, TakenLine
from agent_memory.vault.taken import Taken
from tests.vault.worlds import World

PAGE = PageRef("default", "profile")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def hours(number):
    return START + timedelta(hours=number)


def chain_of(world):
    return versions.versions(world.view().of("default", "profile"))


def put(world, key, value, hour, *, keywords=(), limit=500, **known):
    said = Assertion(Fact(key, value, not keywords, tuple(keywords)), hours(hour), **known)
    decision = assert_fact(world.view(), PAGE, chain_of(world), said, max_entries=limit)
    world.apply(decision.batch)
    return decision.outcome


def values(world, moment=None):
    chain = chain_of(world)
    found = versions.current(chain) if moment is None else versions.as_of(chain, moment)
    return {key: version.fact.value for key, version in found.items()}


def told(world, message=""):
    return [version.fact.key for version in versions.shown(chain_of(world), message)]


def test_a_new_value_supersedes_and_nothing_is_overwritten():
    world = World()
    for hour, value in enumerate(("vim", "emacs", "nano")):
        assert put(world, "editor", value, hour) == "set"

    assert values(world) == {"editor": "nano"}
    assert [values(world, hours(hour)).get("editor") for hour in (-1, 0, 1, 1.5, 2, 9)] == [
        None, "vim", "emacs", "emacs", "nano", "nano",
    ]  # fmt: skip
    assert [version.status for version in chain_of(world)] == ["superseded", "superseded", "active"]


def test_a_removal_leaves_a_tombstone_with_the_last_value():
    world = World()
    put(world, "editor", "vim", 0)
    world.apply(remove_fact(world.view(), PAGE, chain_of(world), "editor", hours(2)))

    (last,) = chain_of(world)
    assert (last.fact.value, last.status, last.valid_to) == ("vim", "removed", hours(2))
    assert (values(world), values(world, hours(1)), values(world, hours(2))) == ({}, {"editor": "vim"}, {})
    with pytest.raises(UnknownEntry):
        remove_fact(world.view(), PAGE, chain_of(world), "editor", hours(3))

    put(world, "editor", "vim", 4)
    assert [version.status for version in chain_of(world)] == ["removed", "active"]


def test_the_same_again_writes_nothing_and_another_way_to_be_told_changes_the_comment_only():
    world = World()
    put(world, "editor", "vim", 0)

    assert put(world, "editor", " VIM. ".strip(), 1) == "unchanged"
    assert put(world, "editor", "vim", 2, keywords=("edit",)) == "amended"
    assert put(world, "editor", "vim", 3, keywords=("edit",)) == "unchanged"
    assert put(world, "editor", "vim", 4) == "amended"
    (version,) = chain_of(world)
    assert (version.fact, version.valid_from) == (Fact("editor", "vim"), hours(0))


def test_another_key_that_says_the_same_is_named():
    world = World()
    put(world, "editor", "vim", 0)

    with pytest.raises(InvalidValue) as refused:
        put(world, "my_preferred_editor", "vim", 1)

    assert refused.value.facts["field"] == "key"
    assert refused.value.facts["existing"] == "editor"


def test_a_value_may_hold_since_earlier_but_not_since_before_the_last_one_nor_from_tomorrow():
    world = World()
    put(world, "editor", "vim", 0, since=hours(-48))
    assert values(world, hours(-24)) == {"editor": "vim"}

    for since, reason in ((hours(-49), "has had a value"), (hours(5), "future")):
        with pytest.raises(InvalidValue, match=reason):
            put(world, "editor", "emacs", 1, since=since)

    put(world, "editor", "emacs", 1, since=hours(-12))
    assert values(world, hours(-13)) == {"editor": "vim"}
    assert values(world, hours(-12)) == {"editor": "emacs"}


def test_the_cap_counts_unpinned_facts_alone_and_spares_what_was_just_written():
    world = World()
    put(world, "pinned", "old", 0)
    for number in range(3):
        put(world, f"fact{number}", f"value {number}", number + 1, keywords=("w",), limit=3)
    put(world, "fact9", "value 9", 9, keywords=("w",), limit=3)

    assert values(world) == {"pinned": "old", "fact1": "value 1", "fact2": "value 2", "fact9": "value 9"}
    evicted = next(version for version in chain_of(world) if version.fact.key == "fact0")
    assert (evicted.status, evicted.memory.page.archived) == ("evicted", True)

    put(world, "fact10", "value 10", 10, keywords=("w",), limit=1)
    assert values(world) == {"pinned": "old", "fact10": "value 10"}


def test_votes_decide_before_age_which_fact_leaves():
    old = "<!-- id:{} by:user fact:{} pinned:0 keywords:w votes:{} -->\n## 2026-02-01T00:00\n\n{}: x{}\n\n---\n"
    page = "".join(old.format(n, f"k{n}", votes, f"k{n}", n) for n, votes in ((11, "2"), (12, "-1"), (13, "no number")))
    world = World((PAGE, page))

    put(world, "new", "y", 0, keywords=("w",), limit=3)

    assert set(values(world)) == {"k11", "k13", "new"}


def test_several_hand_written_entries_of_one_key_are_one_fact_and_the_latest_holds():
    page = "## 2026-02-02\n\neditor: emacs\n\n---\n\n## 2026-02-01\n\nEditor: vim\n"
    world = World((PAGE, page))
    assert values(world) == {"editor": "emacs"}
    assert values(world, datetime(2026, 2, 1, 5, tzinfo=UTC)) == {"editor": "vim"}

    put(world, "editor", "nano", 0)

    assert values(world) == {"editor": "nano"}
    assert [version.fact.value for version in chain_of(world)] == ["vim", "emacs", "nano"]
    assert "Editor: vim" in world.text(PAGE)
    world.apply(remove_fact(world.view(), PAGE, chain_of(world), "editor", hours(1)))
    assert values(world) == {}


def test_pinned_facts_are_told_always_and_first_and_the_others_where_a_keyword_comes_up():
    world = World()
    put(world, "a_ci", "only on tags", 0, keywords=("ci",))
    put(world, "editor", "vim", 1)
    put(world, "z_shell", "fish", 2)

    assert told(world, "the CI is red") == ["editor", "z_shell", "a_ci"]
    assert told(world) == ["editor", "z_shell"]
    assert [v.fact.key for v in versions.shown(chain_of(world), "", gated=False)] == ["editor", "z_shell", "a_ci"]


def test_a_name_is_told_only_if_somebody_vouches_for_it():
    world = World()
    put(world, "name", "Zed", 0, by="reflection")
    assert told(world) == []
    assert values(world) == {"name": "Zed"}

    assert put(world, "name", "Zed", 1, by="reflection", grounded=True) == "amended"
    assert told(world) == ["name"]

    other = World()
    put(other, "name", "Zed", 0, by="agent")
    put(other, "name", "Zed", 1, by="user")
    assert told(other) == ["name"]
    assert told(World((PAGE, "## 2026-02-02\n\nname: Ana\n"))) == ["name"]


def test_a_name_that_nobody_vouches_for_takes_no_confirmed_ones_place():
    world = World()
    put(world, "name", "Ana", 0)

    assert put(world, "name", "Zed", 1, by="agent") == "blocked"
    assert put(world, "name", "Ana", 2, by="agent") == "unchanged"
    assert put(world, "name", "Bia", 3, by="agent", grounded=True) == "set"
    assert values(world) == {"name": "Bia"}


def test_a_model_that_repeats_a_fact_does_not_change_when_it_is_told():
    world = World()
    put(world, "deploy", "never", 0, keywords=("ci",))

    assert put(world, "deploy", "never", 1, by="reflection") == "unchanged"
    assert told(world) == []


def test_what_is_older_than_what_the_key_has_had_since_is_left_out():
    world = World()
    put(world, "editor", "vim", 0)
    assert put(world, "editor", "emacs", 5, by="reflection", said_at=hours(-1)) == "blocked"
    world.apply(remove_fact(world.view(), PAGE, chain_of(world), "editor", hours(2)))
    assert put(world, "editor", "vim", 5, by="reflection", said_at=hours(1)) == "blocked"
    assert put(world, "editor", "vim", 5, by="reflection", said_at=hours(3)) == "set"
    assert values(world, hours(3)) == {"editor": "vim"}


def test_forgotten_words_do_not_come_back_as_a_fact():
    forgotten = TakenLine("", "", hours(4), "forgotten", fingerprint("codename bluefinch"))
    world = World(taken=Taken([forgotten]))

    assert put(world, "codename", "Bluefinch", 5, by="reflection", said_at=hours(3)) == "blocked"


def test_a_clock_that_goes_back_gives_no_value_a_time_before_the_one_it_replaces():
    world = World()
    put(world, "editor", "vim", 5)
    put(world, "editor", "emacs", 1)

    assert values(world) == {"editor": "emacs"}
    assert [version.valid_from for version in chain_of(world)] == [hours(5), hours(5)]


def test_times_in_a_comment_that_are_none_are_passed_over():
    text = "<!-- id:12 fact:editor valid-from:yesterday recorded:never -->\n## 2026-02-02T03:00\n\neditor: vim\n"

    (version,) = chain_of(World((PAGE, text)))

    assert version.valid_from == datetime(2026, 2, 2, 3, tzinfo=UTC)
