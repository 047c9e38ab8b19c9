"""What the screen shows, without a screen: rows, wrapping, the place one is at, what a channel lists."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_memory.app.browse import Found
from agent_memory.interfaces.tui import channels
from agent_memory.interfaces.tui.channels import CHANNELS, Item, Seeing
from agent_memory.interfaces.tui.detail import MAX_BODY_CHARS, About, lines_of
from agent_memory.interfaces.tui.fit import Cells, bar, headline, row, wrapped
from agent_memory.interfaces.tui.keys import KEYS, help_lines
from agent_memory.interfaces.tui.screen import Memories
from agent_memory.interfaces.tui.views import Rows, Text
from agent_memory.interfaces.tui.words import WORDS, Words
from agent_memory.model.memory import PageRef
from agent_memory.model.votes import Fading
from tests.builders import A_DAY, a_memory

SEEING = Seeing(Words(), Fading(datetime(2026, 3, 20, tzinfo=UTC)))
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def an_item(body="Bread.", place="workspace", **given):
    return Item(Found(a_memory(body, **given), place))


def rows(count=0):
    view = Rows("Notes", lambda app: [], channels.hit, SEEING)
    if count:
        view.take([an_item(position=place) for place in range(count)])
    return view


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, st.integers(0, 130), st.integers(1, 30))
def test_a_row_is_as_wide_as_the_screen_and_steers_nothing(primary, secondary, meta, width, first):
    line = row(Cells(primary, secondary, meta), first, width)

    assert cell_len(line) <= width or width < 2
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line)


@given(ANY_TEXT, st.integers(2, 100))
def test_wrapping_keeps_every_word_and_fits(text, width):
    lines = wrapped(text, width)

    assert all(cell_len(line) <= width for line in lines)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))
    if text.isprintable():
        assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.integers(1, 60), st.lists(st.integers(-80, 80), max_size=20), st.integers(1, 30))
def test_the_chosen_row_is_always_in_sight(count, moves, height):
    view = rows(count)
    for by in moves:
        view.move(by, height, 80)
        view.settle(height, 80)

    assert 0 <= view.top <= view.cursor < min(view.top + height, count)


@given(st.lists(st.integers(-50, 50), max_size=9), st.integers(0, 60), st.integers(1, 30))
def test_text_is_scrolled_no_further_than_to_its_end(moves, count, height):
    view = Text("", [("", str(place)) for place in range(count)])
    for by in moves:
        view.move(by, height, 80)

    assert 0 <= view.top <= max(count - height, 0)


def test_what_was_chosen_stays_chosen_when_rows_come_and_go():
    view = rows(10)
    view.move(5, 8, 80)
    items = list(view.items)

    more = [an_item(position=99), *items]
    view.take(more)
    assert view.chosen == items[5]
    view.take(more, gone={items[5].name})
    assert view.chosen == items[6]
    view.take(items[:3])
    assert view.chosen == items[2]
    view.take([])
    assert view.chosen is None
    assert view.position() == "0"


def test_rows_that_are_not_read_yet_say_so():
    assert "Reading" in rows().line(0, 80)[1]


def test_thousands_of_rows_cost_what_is_in_sight():
    drawn = []

    def drawing(item, seeing):
        drawn.append(item)
        return Cells("", "", "")

    view = Rows("", lambda app: [], drawing, SEEING)
    view.take([an_item()] * 10_000)
    view.move(9_000, 20, 80)
    view.settle(20, 80)
    for place in range(20):
        view.line(view.top + place, 80)

    assert len(drawn) == 20


def test_letters_of_two_cells_are_cut_between_them():
    assert wrapped("黒パンは四十分焼く", 7) == ["黒パン", "は四十", "分焼く"]


def test_indents_and_line_ends_of_a_text_stay():
    assert wrapped("- a list\n  with more of it\n\tand code", 12) == [
        "- a list",
        "  with more",
        "  of it",
        "    and code",
    ]


@pytest.mark.parametrize("width", [80, 60, 20])
def test_the_bar_has_the_chosen_channel_in_brackets(width):
    names = ["Profile", "Notes", "Lessons", "Procedures"]
    for place, name in enumerate(names):
        assert f"{place + 1} {name}]" in "".join(bar(names, place, "1234", width, 9))
        assert len(bar(names, place, "1234", 20, 1)) == 1
        assert f"[{place + 1} {name}]" in bar(names, place, "1234", 20, 1)[0]


def test_a_headline_keeps_its_right_end_and_the_end_of_its_left():
    assert headline("~/a/long/path/to/.memory", "Notes · 1/2", 30) == "…/path/to/.memory  Notes · 1/2"


def test_filters_part_what_counts_from_what_does_not():
    archived = PageRef("default", "decisions", archived=True)
    found = [
        Found(a_memory("holds", position=1), "workspace"),
        Found(a_memory("superseded", meta={"status": "superseded"}, position=2), "workspace"),
        Found(a_memory("moved", page=archived, position=3), "workspace"),
        Found(a_memory("proposed", meta={"status": "proposed"}, position=4), "workspace"),
    ]
    bodies = {which: {item.memory.body for item in channels.plain(found, which)} for which in channels.FILTERS}

    assert bodies["active"] == {"holds"}
    assert bodies["archived"] == {"superseded", "moved"}
    assert bodies["all"] == {"holds", "superseded", "moved", "proposed"}


def test_tasks_are_a_row_for_each_open_box():
    found = [Found(a_memory("- [ ] one\n- [x] two\n- [ ] three", page=PageRef("default", "tasks")), "workspace")]

    assert [item.words for item in channels.tasks(found, "active")] == ["one", "three"]


def test_duplicates_say_the_same_on_one_page():
    one, two = a_memory("Rye, always!", position=1), a_memory("rye always", position=2)
    elsewhere = a_memory("Rye always", page=PageRef("cook", "decisions"), position=3)
    linked = a_memory("Wheat.", meta={"links": f"duplicates>{one.id}"}, position=4)
    found = [Found(memory, "workspace") for memory in (one, two, elsewhere, linked)]

    listed = channels.duplicates(found, "active")
    assert {item.memory.id for item in listed if not item.other_id} == {one.id, two.id}
    assert [(item.memory.id, item.other) for item in listed if item.other_id] == [(linked.id, one)]


def test_every_entry_is_in_a_channel_of_its_category():
    categories = ["profile", "notes", "tasks", "projects", "recipes", "handoffs"]
    for category in categories:
        found = [Found(a_memory("- [ ] key: value", page=PageRef("default", category)), "workspace")]
        listing = [
            channel.name
            for channel in CHANNELS
            if category in (channel.categories or ()) or channel.name == "other"
            if channel.pick(found, "active")
        ]
        assert listing == [category if category in {channel.name for channel in CHANNELS} else "other"]


def test_a_detail_is_cut_at_its_limit_and_says_so():
    lines = lines_of(an_item("x" * (MAX_BODY_CHARS + 1)), Words())

    assert ("dim", "[truncated]") in lines
    assert max(len(text) for _, text in lines) == MAX_BODY_CHARS


def test_a_detail_whose_conversation_is_gone_says_so():
    item = an_item(meta={"origin": "cursor/chat/3/1-5/0123456789abcdef"})

    said = [text for _, text in lines_of(item, Words(), About(None, [], [], 0.0))]
    assert "The conversation is not to be found any more." in said


def test_both_languages_say_everything_with_the_same_gaps():
    for name, (english, portuguese) in WORDS.items():
        assert re.findall(r"{\w+}", english) == re.findall(r"{\w+}", portuguese), name
    assert Words("pt")("tasks") == "Tarefas"


def test_every_key_has_an_action_and_a_line_of_help():
    actions = [action.split("(")[0] for key in KEYS for _, action in key.does]

    assert all(hasattr(Memories, f"action_{action}") for action in actions)
    names = [name for key in KEYS for names, _ in key.does for name in names.split(",")]
    assert len(names) == len(set(names))
    for language in ("en", "pt"):
        lines = list(help_lines(Words(language)))
        assert len(lines) == len(KEYS)
        assert max(map(len, lines)) <= 80


def test_votes_fade_in_their_rows():
    meta = {"votes": "2", "voted": (A_DAY - timedelta(days=2)).isoformat()}
    found = [Found(a_memory("Bread.", meta=meta), "workspace")]
    item = channels.voted(found, "active")[0]
    votes = next(channel for channel in CHANNELS if channel.name == "votes")

    assert votes.cells(item, Seeing(Words(), Fading(A_DAY))).primary == f"UP +{2 * 0.95**8:.1f}"
