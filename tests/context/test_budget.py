from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.context.budget import MAX_LINE_CHARS, Fitted, fit, pack, size
from agent_memory.model.recall import Cut, Section


def more(number: int) -> str:
    return f"… {number} more"


def a_section(name: str, *lines: str) -> Section:
    return Section(name, lines)


def packed(space: int, *sections: Section) -> dict[str, tuple[str, ...]]:
    shown = pack(sections, space, headings={section.name: 10 for section in sections}, more=more)
    return {section.name: section.lines for section in shown}


def test_what_fits_is_left_alone():
    assert fit(a_section("tasks", "one", "two"), 8, more) == Fitted("tasks", ("one", "two"))


def test_what_does_not_fit_ends_with_how_many_are_missing():
    shown = fit(a_section("tasks", *(f"line {n}" for n in range(10))), 35, more)
    assert shown.lines == ("line 0", "line 1", "line 2", "… 7 more")
    assert shown.cut(50) == Cut("tasks", 7, "no room left within 50 tokens")


def test_one_long_line_does_not_take_the_room_of_the_others():
    shown = fit(a_section("decisions", "palavra " * 200, "short"), 1000, more)
    assert len(shown.lines[0]) <= MAX_LINE_CHARS
    assert shown.lines[1] == "short"
    assert (shown.dropped, shown.shortened) == (0, 1)
    assert shown.cut(250) == Cut("decisions", 0, "1 shortened to stay within 250 tokens")


def test_a_first_line_that_has_no_room_whole_is_shortened():
    shown = fit(a_section("decisions", "word " * 100), 100, more)
    assert shown.lines[0].endswith("…")
    assert shown.dropped == 0


def test_a_beginning_too_short_to_say_anything_is_not_shown():
    assert fit(a_section("decisions", "word " * 100), 40, more).lines == ()


def test_an_essential_section_without_room_says_how_much_there_is():
    assert fit(a_section("tasks", *["word " * 100] * 12), 40, more).lines == ("… 12 more",)


def test_the_project_is_cut_before_the_lessons_and_these_before_the_decisions():
    sections = [a_section(name, "x" * 50) for name in ("handoff", "tasks", "decisions", "lessons", "project")]
    whole = packed(5 * 61, *sections)
    assert all(whole.values())
    for lost in range(1, 4):
        shown = packed((5 - lost) * 61, *sections)
        assert [name for name, lines in shown.items() if not lines] == ["decisions", "lessons", "project"][3 - lost :]


def test_a_long_handoff_leaves_the_tasks_half_the_room():
    shown = packed(400, a_section("handoff", *["h" * 20] * 100), a_section("tasks", *["t" * 20] * 100))
    assert len(shown["handoff"]) > 3
    assert len(shown["tasks"]) > 3


def test_few_tasks_leave_a_long_handoff_all_the_rest():
    shown = packed(400, a_section("handoff", *["h" * 20] * 100), a_section("tasks", "one"))
    assert size(shown["handoff"]) > 330
    assert shown["tasks"] == ("one",)


lines = st.lists(st.text(alphabet="ab c,", max_size=600), max_size=40)


@given(st.sampled_from(["tasks", "decisions"]), lines, st.integers(-50, 2000))
def test_a_section_never_takes_more_than_its_room(name, lines, room):
    shown = fit(Section(name, tuple(lines)), room, more)
    assert not shown.lines or size(shown.lines) <= room
    assert shown.dropped + len(shown.lines) - (1 if shown.dropped and shown.lines else 0) == len(lines)
