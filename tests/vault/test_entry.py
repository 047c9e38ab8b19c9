from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given

from agent_memory.model.memory import Draft, PageRef
from agent_memory.vault.entry import Entry, draft_text, escape, trim, unescape
from tests.builders import A_DAY, a_candidate
from tests.vault.pages import page_texts

REF = PageRef("default", "decisions")


def an_entry(body: str = "Use SQLite.", *, tags: tuple[str, ...] = (), newline: str = "\n") -> Entry:
    return Entry(draft_text(Draft(body, A_DAY, "heuristic", tags), "12", newline))


def test_a_draft_is_written_as_the_format_says() -> None:
    candidate = a_candidate("Use SQLite.", digest="77e0a1b2c3d4")
    draft = Draft(
        candidate.body,
        candidate.said_at,
        "heuristic",
        ("sqlite", "pool.py"),
        key=candidate.key,
        origin=candidate.origin,
        meta={"confidence": "0.93"},
    )
    assert draft_text(draft, "1773657012899", "\n") == (
        f"<!-- id:1773657012899 by:heuristic key:{candidate.key} "
        "origin:cursor/3f2a9c1e-0000-4000-8000-000000000001/0/0-11/77e0a1b2c3d4 confidence:0.93 sum:f54251ac -->\n"
        "## 2026-03-16T10:30 · #sqlite #pool-py\n"
        "\n"
        "Use SQLite."
    )


def test_what_the_machine_wrote_is_not_edited_and_what_it_did_not_is() -> None:
    entry = an_entry("Use SQLite.")
    assert not entry.edited
    assert Entry(entry.raw.replace("SQLite", "Postgres")).edited
    assert Entry(entry.raw.replace("10:30", "10:31")).edited
    assert Entry(entry.raw.replace("sum:", "other:")).edited
    assert Entry(entry.raw.replace("sum:", "edited:1 sum:")).edited


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_and_trailing_blanks_are_no_edit(newline: str) -> None:
    entry = an_entry("one\ntwo", newline=newline)
    assert not entry.edited
    assert not Entry(entry.raw.replace(newline, "  \r\n")).edited
    assert not Entry(entry.raw.replace(newline, "\n")).edited
    assert not Entry(entry.raw.replace(" -->", " -->\n\n")).edited


@given(page_texts())
def test_escaping_can_be_undone(text: str) -> None:
    assert unescape(escape(text)) == text


def test_only_words_with_a_sum_have_escapes() -> None:
    assert an_entry("\\## 2026-03-16\n## 2026-03-17").body == "\\## 2026-03-16\n## 2026-03-17"
    assert Entry("<!-- id:1 -->\n## 2026-03-16\n\n\\## 2026-03-17").body == "\\## 2026-03-17"


def test_a_body_keeps_its_indentation_and_loses_blank_lines_around_it() -> None:
    assert trim("\n  \n    code\n\nmore\n \n") == "    code\n\nmore"
    assert trim(" \n ") == ""


def test_an_entry_without_a_heading_dates_from_its_id() -> None:
    assert Entry("<!-- id:1773679871839 -->\nwords").at == datetime(2026, 3, 16, 16, 51, 11, 839000, tzinfo=UTC)
    assert Entry("<!-- id:999999999999999999 -->\nwords").at == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_memory_has_the_tags_of_heading_and_body() -> None:
    memory = an_entry("Because of #latency and #redis.", tags=("redis",)).memory(REF, "12", 0)
    assert memory.tags == ("redis", "latency")


def test_bytes_that_are_no_text_do_not_reach_readers() -> None:
    entry = Entry("## 2026-03-16\n\ncaf\udce9 \0")
    assert entry.body.isprintable()
    assert entry.raw.endswith("caf\udce9 \0")
