from datetime import timedelta

import pytest

from agent_memory.jobs.compact import Limits
from agent_memory.model.memory import Amend, Batch, PageRef, Remove
from tests.builders import A_DAY
from tests.jobs.conftest import fill, plan

PAGE = PageRef("default", "decisions")


def compact(vault, **options):
    vault.update(lambda view: plan(view, **options), verb="compact")


def summary(vault):
    (found,) = [memory for memory in vault.view().of(PAGE.agent, PAGE.category) if memory.is_summary]
    return found


def test_one_summary_stands_among_the_entries_where_the_newest_that_moved_stood(vault):
    fill(vault, "decisions", 31)
    compact(vault)

    found = summary(vault)
    assert found.at == (A_DAY + timedelta(days=10)).replace(second=0)
    assert found.tags == ("compacted",)
    assert found.body.startswith(
        "Older entries, 2026-03-16 to 2026-03-26: 11, whole in `default/archive/decisions.md`. The newest of them:\n\n"
        "- 2026-03-26 Shelf 10\n- 2026-03-25 Shelf 9\n"
    )
    assert vault.view().of(PAGE.agent, PAGE.category, archived=False)[-1].id == found.id


def test_it_rolls_on_and_counts_for_nothing(vault):
    fill(vault, "decisions", 31)
    compact(vault)
    first = summary(vault)
    fill(vault, "decisions", 31, body="Box {}")
    compact(vault)

    assert summary(vault).id == first.id
    assert ": 42, whole in" in summary(vault).body
    assert not summary(vault).active
    assert plan(vault.view()) == Batch()


@pytest.mark.parametrize("chars", [200, 2000])
def test_it_stays_short_however_much_has_moved(vault, chars):
    fill(vault, "decisions", 200, body="Prateleira {} " + "com muitas palavras " * 20)
    compact(vault, limits=Limits(30, 20, summary_chars=chars, language="pt"))

    assert chars - 150 < len(summary(vault).body) <= chars
    assert summary(vault).body.startswith("Entradas mais antigas, ")


def test_what_may_not_be_written_is_not_in_it(vault):
    fill(vault, "decisions", 31)
    compact(vault, clean=lambda text: "" if text == "Shelf 9" else text.replace("Shelf 8", "[gone]"))

    assert "Shelf 9" not in summary(vault).body
    assert "- 2026-03-24 [gone]\n" in summary(vault).body


def test_once_a_person_has_changed_it_it_is_theirs(vault):
    fill(vault, "decisions", 31)
    compact(vault)
    vault.update(lambda view: Batch((Amend(PAGE, summary(vault).id, body="Mine.", by_person=True),)), verb="edit")
    fill(vault, "decisions", 31, body="Box {}")
    compact(vault)

    assert summary(vault).body == "Mine."


def test_once_a_person_has_removed_it_it_stays_away(vault):
    fill(vault, "decisions", 31)
    compact(vault)
    vault.update(lambda view: Batch((Remove(PAGE, summary(vault).id),)), verb="delete")
    fill(vault, "decisions", 31, body="Box {}")
    compact(vault)

    assert [memory for memory in vault.view().memories if memory.is_summary] == []
