"""From what was found to what it is linked to."""

from typing import Any

import pytest

from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.recall import Hit
from agent_memory.recall.expand import expand
from agent_memory.recall.pages import Pages
from tests.builders import A_PAGE, a_memory, a_page_state

ARCHIVE = A_PAGE.counterpart
ANA = PageRef("ana", "decisions")


def an_entry(number: int, links: str = "", *, page: PageRef = A_PAGE, **meta: str) -> Memory:
    named = {key.replace("_", "-"): value for key, value in meta.items()} | ({"links": links} if links else {})
    return a_memory(f"Entry number {number}.", id=str(number), page=page, meta=named, position=number)


@pytest.fixture(params=["mirror", "pages"])
def index_of(request, tmp_path):
    def made(*memories: Memory) -> Any:
        pages = {memory.page for memory in memories}
        states = [a_page_state(*(m for m in memories if m.page == page), page=page) for page in pages]
        if request.param == "pages":
            return Pages(states, lambda text: text)
        mirror = Mirror.open(tmp_path / "mirror.sqlite3", redact=lambda text: text)
        mirror.sync(states)
        request.addfinalizer(mirror.close)
        return mirror

    return made


def a_hit(number: int) -> Hit:
    return Hit(A_PAGE, str(number), a_memory().at, (), f"Entry number {number}.", 1.0)


def ids(found):
    return [hit.id for hit in found]


def test_what_it_leads_to_comes_first_then_what_leads_to_it(index_of):
    index = index_of(an_entry(1, "relates-to>3"), an_entry(2, "references>1"), an_entry(3), an_entry(4))

    assert ids(expand(index, [a_hit(1)], "default")) == ["1", "3", "2"]


def test_a_step_is_one_unless_more_are_wanted_and_circles_end(index_of):
    index = index_of(an_entry(1, "relates-to>2"), an_entry(2, "relates-to>3"), an_entry(3, "relates-to>1,relates-to>4"),
                     an_entry(4))  # fmt: skip

    assert ids(expand(index, [a_hit(1)], "default")) == ["1", "2", "3"]
    assert set(ids(expand(index, [a_hit(1)], "default", depth=2))) == {"1", "2", "3", "4"}


def test_there_are_never_more_than_wanted(index_of):
    links = ",".join(f"relates-to>{number}" for number in range(2, 40))
    index = index_of(an_entry(1, links), *(an_entry(number) for number in range(2, 40)))

    assert len(expand(index, [a_hit(1)], "default")) == 13
    assert len(expand(index, [a_hit(1)], "default", most=0)) == 1


def test_what_no_longer_counts_gives_way_to_what_took_its_place(index_of):
    index = index_of(
        an_entry(1, "relates-to>2,relates-to>4,relates-to>6"),
        an_entry(2, status="superseded", superseded_by="3"),
        an_entry(3, status="superseded", superseded_by="5"),
        an_entry(4, status="evicted"),
        an_entry(5),
        an_entry(6, page=ARCHIVE, status="consolidated", superseded_by="7"),
        an_entry(7),
    )

    assert ids(expand(index, [a_hit(1)], "default")) == ["1", "5", "7"]


def test_a_circle_of_successors_leads_nowhere_and_costs_nobody_else(index_of):
    index = index_of(
        an_entry(1, "relates-to>2,relates-to>4"),
        an_entry(2, status="superseded", superseded_by="3"),
        an_entry(3, status="superseded", superseded_by="2"),
        an_entry(4),
    )

    assert ids(expand(index, [a_hit(1)], "default")) == ["1", "4"]


def test_what_compaction_archived_counts_and_another_agents_does_not(index_of):
    index = index_of(an_entry(1, "relates-to>2,relates-to>3"), an_entry(2, page=ARCHIVE), an_entry(3, page=ANA))

    assert ids(expand(index, [a_hit(1)], "default")) == ["1", "2"]


def test_contradictions_are_marked_on_both_sides(index_of):
    index = index_of(an_entry(1, "contradicts>2"), an_entry(2), an_entry(3, "supersedes>1"))

    found = {hit.id: hit.mark for hit in expand(index, [a_hit(1), a_hit(3)], "default")}

    assert found == {"1": "contradicts 2", "2": "contradicts 1", "3": ""}


def test_nothing_leads_to_nothing(index_of):
    assert expand(index_of(an_entry(1)), [], "default") == []
