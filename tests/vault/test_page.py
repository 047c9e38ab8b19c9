from __future__ import annotations

import itertools
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import Draft, Memory, PageRef
from agent_memory.model.transcript import Origin
from agent_memory.vault import comment, front, heading
from agent_memory.vault import entry as entries_of
from agent_memory.vault.page import Page, decode, parse
from tests.builders import A_DAY

VAULTS = Path(__file__).parent.parent / "fixtures" / "vaults"
REF = PageRef("default", "decisions")


def read(path: str) -> tuple[Memory, ...]:
    return parse(decode((VAULTS / path).read_bytes())).memories(REF)


def add(page: Page, body: str, *, minutes: int = 0, origin: Origin | None = None, entry_id: str = "99") -> Page:
    draft = Draft(body, A_DAY + timedelta(minutes=minutes), "heuristic", origin=origin)
    return page.insert(entries_of.draft_text(draft, entry_id, page.newline))


def bodies(page: Page) -> list[str]:
    return [memory.body for memory in parse(page.render()).memories(REF)]


def test_a_page_of_the_npm_package_is_read_as_it_is() -> None:
    memories = read("npm/dev/decisions.md")
    assert [memory.id for memory in memories] == ["1796037091697", "1796037091691", "h-f19d1cb3", "1795900000000"]
    assert memories[0].tags == ("compacted", "auto-extract")
    assert memories[2].body == "Written by hand, without an id."
    assert memories[3].tags == ("front", "C--", "decisão")
    assert memories[3].body.endswith("name\n---|---\na | b")
    assert all(memory.edited for memory in memories)


def test_old_spellings_of_system_tags_are_read_as_todays() -> None:
    (handoff,) = read("npm/dev/handoffs.md")
    assert handoff.tags == ("auto-handoff", "auto-extract")
    assert handoff.body.startswith("## Session handoff\n### What was requested")


def test_a_page_written_by_hand_is_read() -> None:
    memories = read("hand/default/decisions.md")
    assert [memory.at.isoformat()[:16] for memory in memories] == ["2026-03-16T00:00", "2026-03-10T08:30"]
    assert memories[0].tags == ("finance",)
    assert "## What a heading without a date is" in memories[1].body


def test_a_page_with_a_bom_and_crlf_is_read_without_them() -> None:
    memories = read("hand/default/lessons.md")
    assert [memory.body for memory in memories] == ["O pool esgota se ninguém devolve a conexão.", "Segunda lição."]
    assert memories[0].tags == ("café",)


def test_separators_and_look_alikes_inside_a_body_end_nothing() -> None:
    (task,) = read("hand/default/tasks.md")
    assert task.body.startswith("- [ ] Keep `---` in bodies\n\n---\n\n- [ ] and")
    assert "Latin-1: caf" in task.body


def test_identical_entries_without_ids_are_counted() -> None:
    page = parse("## 2026-03-16\n\nsame\n\n## 2026-03-16\n\nsame  \n\n## 2026-03-16\n\nother\n")
    first, second, third = (memory.id for memory in page.memories(REF))
    assert second == f"{first}-2"
    assert third.startswith("h-")
    assert third != first


def test_front_matter_ends_before_any_entry() -> None:
    unfinished = "---\nagent: a\n\n## 2026-03-16\n\nbody\n\n---\n"
    assert parse(unfinished).front == ""
    assert [memory.body for memory in parse(unfinished).memories(REF)] == ["body"]
    assert parse("---\nagent: a\n---\n## 2026-03-16\n\nbody\n").front == "---\nagent: a\n---"
    assert parse("---\n\nagent: a\n---\n").front == ""


def test_a_comment_and_its_heading_may_be_parted_by_blank_lines() -> None:
    page = parse("<!-- id:12 -->\n\n## 2026-03-16\n\nbody\n")
    assert [(memory.id, memory.body) for memory in page.memories(REF)] == [("12", "body")]


def test_the_newest_stands_first_and_nothing_else_moves() -> None:
    page = parse("## 2026-03-10\n\nold\n\n## 2026-03-12\n\nout of order\n\n## 2026-03-01\n\noldest\n")
    assert bodies(add(page, "new")) == ["new", "old", "out of order", "oldest"]
    assert bodies(add(page, "between", minutes=-8 * 24 * 60)) == ["old", "out of order", "between", "oldest"]
    assert bodies(add(page, "last", minutes=-90 * 24 * 60)) == ["old", "out of order", "oldest", "last"]


def test_within_a_minute_the_later_turn_stands_first_whatever_comes_first() -> None:
    def origin(turn: int) -> Origin:
        return Origin("cursor", "c", turn, (0, 1), "d")

    page = add(add(add(Page(), "two", origin=origin(2)), "three", origin=origin(3)), "one", origin=origin(1))
    assert bodies(page) == ["three", "two", "one"]


@pytest.mark.parametrize("text", ["intro\r\n", "---\r\nagent: a\r\n---\r\n"])
def test_an_entry_is_written_with_the_line_ends_of_its_page(text: str) -> None:
    rendered = add(parse(text), "one\ntwo").render()
    assert rendered.count("\n") == rendered.count("\r\n")


def test_a_page_without_a_last_line_end_stays_one() -> None:
    page = add(parse("## 2026-04-01\n\nbody"), "older")
    assert page.render().startswith("## 2026-04-01\n\nbody\n\n<!-- id:99")
    assert page.render().endswith("older\n\n---")


def test_a_heading_without_an_id_is_still_seen_when_the_entry_above_it_goes() -> None:
    page = parse("intro\n<!-- id:1 -->\n## 2026-03-16\n\nfirst\n\n## 2026-03-15\n\nsecond\n")
    assert bodies(page.remove(0)) == ["second"]
    assert page.remove(0).render().startswith("intro\n")


def test_a_page_of_a_hundred_thousand_blank_lines_is_read_in_no_time() -> None:
    text = "## 2026-03-16\n\na" + "\n" * 100_000 + "b" + " \n" * 100_000 + "## 2026-03-15\n\n" + "\\" * 100_000
    page = parse(text)
    assert page.render() == text
    assert len(page.memories(REF)) == 2


PIECES = (
    "<!-- id:12 -->",
    "<!-- id:x -->",
    "## 2026-03-16",
    "## 2026-03-16 · #a",
    "## Words",
    "---",
    "",
    " ",
    "a: b",
    "\r",
)
PAGES = st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join) | st.text(max_size=40)


def starts_by_walking(text: str) -> list[str]:
    """The grammar as it is told: line by line."""
    place = front.length(text)
    under_comment, after_blank, found = False, True, []
    while text_line := entries_of.line_at(text, place):
        blank = not text_line.strip(entries_of.BLANKS)
        if comment.parse(text_line):
            found.append(place)
            under_comment = True
        elif not blank:
            if after_blank and not under_comment and text_line.startswith("## ") and heading.parse(text_line):
                found.append(place)
            under_comment = False
        after_blank = blank
        place += len(text_line)
    return [text[start:end] for start, end in itertools.pairwise([*found, len(text)])]


@given(bom=st.sampled_from(["", "\ufeff", "---\na: b\n---\n", "---\na: b\n---"]), text=PAGES)
def test_entries_begin_where_walking_over_every_line_finds_them(bom, text):
    page = parse(bom + text)

    assert [entry.raw + entry.tail for entry in page.entries] == starts_by_walking(bom + text)


@given(text=PAGES, before=PAGES)
def test_what_was_known_before_makes_no_difference(text, before):
    assert parse(text, parse(before)) == parse(text)
