from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.vault.heading import hashtags, heading_for, parse, tag_of


@pytest.mark.parametrize(
    ("line", "at", "tags"),
    [
        (
            "## 2026-03-16T16:51 · #react #typescript",
            datetime(2026, 3, 16, 16, 51, tzinfo=UTC),
            ("react", "typescript"),
        ),
        ("## 2026-03-16", datetime(2026, 3, 16, tzinfo=UTC), ()),
        ("## 2026-03-16T16:51  \r\n", datetime(2026, 3, 16, 16, 51, tzinfo=UTC), ()),
        ("## 2026-03-16 · #decisão #日本語", datetime(2026, 3, 16, tzinfo=UTC), ("decisão", "日本語")),
        (
            "## 2026-03-16 · #autoextract #autohandoff",
            datetime(2026, 3, 16, tzinfo=UTC),
            ("auto-extract", "auto-handoff"),
        ),
    ],
)
def test_a_heading_says_when_and_what_about(line: str, at: datetime, tags: tuple[str, ...]) -> None:
    heading = parse(line)
    assert heading is not None
    assert (heading.at, heading.tags) == (at, tags)


@pytest.mark.parametrize(
    "line",
    [
        "## 2 things",
        "## 2026-02-30",
        "## 2026-03-16T25:00",
        "## 0000-01-01",
        "## 2026-03-16 and more",
        "## 2026-03-16 · no tag",
        "## 2026-03-16 · #tag and more",
        "## 2026-03-16 ·",
        "### 2026-03-16",
        " ## 2026-03-16",
        "## 2026-03-16T16:51:09",
    ],
)
def test_other_headings_belong_to_the_body(line: str) -> None:
    assert parse(line) is None


def test_under_an_id_comment_anything_may_follow_the_separator() -> None:
    heading = parse("## 2026-03-16 · #front end #C++", under_comment=True)
    assert heading is not None
    assert heading.tags == ("front", "C--")
    assert heading.render() == "## 2026-03-16 · #front end #C++"


@given(st.datetimes(timezones=st.just(timezone(timedelta(hours=-3)))), st.lists(st.text(max_size=8)))
def test_what_is_written_is_read_again(at: datetime, tags: list[str]) -> None:
    try:
        heading = heading_for(at, tags)
    except OverflowError:  # behind the last day of the calendar in UTC
        return
    read = parse(heading.render())
    assert read == heading
    assert all(tag_of(tag) in read.tags for tag in tags if tag_of(tag) not in ("", "transcript"))


@pytest.mark.parametrize(
    ("word", "tag"),
    [
        ("pool.py", "pool-py"),
        ("#café", "café"),
        ("decisa\u0303o", "decisão"),
        ("a/b-c_1", "a/b-c_1"),
        ("---", ""),
        ("#", ""),
    ],
)
def test_a_tag_keeps_letters_of_any_alphabet(word: str, tag: str) -> None:
    assert tag_of(word) == tag


def test_hashtags_in_a_body_are_tags() -> None:
    body = "We use #redis, and (#decisão). See #a/b.\n#start of a line"
    assert hashtags(body) == ("redis", "decisão", "a/b", "start")


@pytest.mark.parametrize(
    "body",
    [
        "fixes #123",
        "colour #fff or #A1B2C3",
        "# heading",
        "## heading",
        "https://example.org/#fragment and https://example.org/page#part",
        "[a link](#section)",
        '<a href="#top">',
        "`#include` and\n```c\n#define X\n```",
        "~~~\n#define X",
        "C# and #",
    ],
)
def test_numbers_colours_headings_addresses_and_code_are_no_tags(body: str) -> None:
    assert hashtags(body) == ()
