from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.context.budget import MAX_LINE_TOKENS, Shown, Space, fit, pack
from agent_memory.context.counting import COUNTERS
from agent_memory.context.sections import Section
from agent_memory.model.briefing import Item
from agent_memory.model.text import Language
from tests.context.told import a_hit

SPACE = Space(COUNTERS["estimate"], "en", max_tokens=50)
A_HEADING = len("\n### abcdefghij\n")


def a_section(name: str = "any", *, priority: int = 1, **more) -> Section:
    heading: dict[Language, str] = {"en": "abcdefghij", "pt": "abcdefghij"}
    return Section(name, "session", heading, lambda source: (), priority=priority, **more)


def items(*lines: str) -> list[Item]:
    return [Item("any", (line,)) for line in lines]


def size(shown: Shown) -> int:
    return SPACE.counter.size(shown.lines)


def test_what_fits_is_left_alone():
    shown = fit(a_section(), items("one", "two"), 8, SPACE)
    assert shown.lines == ("one", "two")
    assert [item.fate for item in shown.items] == ["shown", "shown"]


def test_what_does_not_fit_ends_with_how_many_are_missing():
    shown = fit(a_section(), items(*(f"line {n}" for n in range(10))), 35, SPACE)
    assert shown.lines == ("line 0", "line 1", "line 2", "… 7 more")
    assert {item.reason for item in shown.items if item.fate == "cut"} == {"no room left within 50 tokens"}


def test_a_section_takes_no_more_than_it_may():
    shown = fit(a_section(max_tokens=12), items(*(f"line {n}" for n in range(10))), 1000, SPACE)
    assert shown.lines == ("line 0", "line 1", "line 2", "… 7 more")
    assert shown.items[-1].reason == "no room left within 12 tokens"


def test_one_long_line_does_not_take_the_room_of_the_others():
    shown = fit(a_section(), items("palavra " * 200, "short"), 1000, SPACE)
    assert SPACE.counter.tokens(shown.lines[0]) <= MAX_LINE_TOKENS
    assert shown.lines[1] == "short"
    assert [item.fate for item in shown.items] == ["shortened", "shown"]


def test_a_first_line_that_has_no_room_whole_is_shortened():
    shown = fit(a_section(), items("word " * 100), 100, SPACE)
    assert shown.lines[0].endswith("…")
    assert shown.items[0].fate == "shortened"


def test_a_beginning_too_short_to_say_anything_is_not_shown():
    assert fit(a_section(), items("word " * 100), 40, SPACE).lines == ()


def test_an_essential_section_without_room_says_how_much_there_is():
    assert fit(a_section(essential=True), items(*["word " * 100] * 12), 40, SPACE).lines == ("… 12 more",)


def test_of_a_whole_section_no_part_of_an_item_is_shown():
    paragraphs = [Item("any", ("one", "two")), Item("any", ("three", "four " * 30))]
    assert fit(a_section(whole=True), paragraphs, 100, SPACE).lines == ("one", "two", "… 1 more")
    assert fit(a_section(whole=True), paragraphs[1:], 100, SPACE).lines == ()


def packed(room: int, *sections: tuple[Section, list[Item]]) -> dict[str, tuple[str, ...]]:
    return {name: shown.lines[2:] for name, shown in pack(sections, room, SPACE).items()}


def test_what_has_the_last_priority_is_cut_first_wherever_it_stands():
    names = ("project", "handoff", "decisions", "lessons", "tasks")
    ranks = {"handoff": 1, "tasks": 2, "decisions": 3, "lessons": 4, "project": 5}
    sections = [(a_section(name, priority=ranks[name]), items("x" * 50)) for name in names]
    one = A_HEADING + 51
    for lost in range(4):
        shown = packed((5 - lost) * one, *sections)
        assert list(shown) == list(names)
        missing = {name for name, lines in shown.items() if not lines}
        assert missing == {name for name, rank in ranks.items() if rank > 5 - lost}


def test_a_long_handoff_leaves_the_tasks_half_the_room():
    handoff, tasks = a_section("handoff", essential=True), a_section("tasks", priority=2, essential=True)
    shown = packed(400, (handoff, items(*["h" * 20] * 100)), (tasks, items(*["t" * 20] * 100)))
    assert len(shown["handoff"]) > 3
    assert len(shown["tasks"]) > 3
    shown = packed(400, (handoff, items(*["h" * 20] * 100)), (tasks, items("one")))
    assert len("".join(shown["handoff"])) > 300
    assert shown["tasks"] == ("one",)


def test_a_memory_is_told_once_and_what_was_clipped_may_be_told_elsewhere():
    told = [Item("any", (f"line {n}",), a_hit(id=str(n))) for n in range(3)]
    first, second = a_section("recalled", max_tokens=9), a_section("index", priority=2, rows=2)

    result = pack([(second, told), (first, told)], 1000, SPACE)

    assert result["recalled"].lines[2:] == ("line 0", "… 2 more")
    assert result["index"].lines[2:] == ("line 1", "line 2")
    assert [item.reason for item in result["index"].items if item.fate == "cut"] == ["already in recalled"]


lines = st.lists(st.text(alphabet="ab c,ã記", max_size=600), max_size=40)


@given(st.booleans(), st.booleans(), lines, st.integers(-50, 2000), st.sampled_from(sorted(COUNTERS)))
def test_a_section_never_takes_more_than_its_room(essential, whole, lines, room, counter):
    space = Space(COUNTERS[counter], "pt", max_tokens=50)
    shown = fit(a_section(essential=essential, whole=whole), items(*lines), room, space)
    assert not shown.lines or space.counter.size(shown.lines) <= room
    assert len(shown.items) == len(lines)


@given(st.text(), st.integers(-5, 60), st.sampled_from(sorted(COUNTERS)))
def test_what_is_clipped_fits_and_is_a_beginning(text, room, counter):
    clipped = COUNTERS[counter].clip(text, room)
    assert not clipped or COUNTERS[counter].units(clipped) <= room
    assert text.startswith(clipped.removesuffix("…"))
