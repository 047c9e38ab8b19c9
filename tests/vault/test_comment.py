from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.text import clean
from agent_memory.vault.comment import Comment, encode, parse


@given(st.text())
def test_any_value_survives_in_a_comment(value: str) -> None:
    line = Comment("12").changed({"origin": value}).render()
    assert "\n" not in line
    read = parse(line)
    assert read is not None
    assert read.meta == {"origin": clean(value)}


@given(st.text())
def test_any_line_is_a_comment_or_none_and_never_an_error(text: str) -> None:
    parse("<!-- id:" + text)


@pytest.mark.parametrize(
    "line",
    [
        "<!-- id: 12 -->",
        "<!-- id:12 --> and more -->",
        "<!-- id:12",
        "<!-- id:12a -->",
        "<!-- id:१२ -->",
        "<!-- id:" + "9" * 40 + " -->",
        " <!-- id:12 -->",
        "<!-- id:-->",
        "<!-- id:>",
        "<!-- ID:12 -->",
    ],
)
def test_what_only_resembles_an_id_comment_is_none(line: str) -> None:
    assert parse(line) is None


def test_words_that_say_nothing_to_us_stay_where_they_are() -> None:
    comment = parse("<!-- id:12 note by:user x-other:1 sum:aa -->")
    assert comment is not None
    changed = comment.changed({"by": "agent", "sum": None, "status": "superseded"})
    assert changed.render() == "<!-- id:12 note by:agent x-other:1 status:superseded -->"


def test_a_key_that_stands_twice_is_one_after_a_change() -> None:
    assert Comment("1", "by:a n:1 by:b").changed({"by": "c"}).words == "by:c n:1"


def test_values_stay_readable_and_cannot_close_the_comment() -> None:
    assert encode("cursor/3f2a/42/10-97") == "cursor/3f2a/42/10-97"
    assert encode("depends-on>12,decisão") == "depends-on>12,decisão"
    assert encode("a --> b") == "a%20--%3E%20b"
