from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.recall import Query
from agent_memory.model.syntax import MOST_CONDITIONS, parse


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("deploy on friday", Query("deploy on friday")),
        ('redis "connection pool" cache', Query("redis cache", phrases=("connection pool",))),
        ('cache -redis -"in memory"', Query("cache", without=("redis", "in memory"))),
        ("tag:#redis tag:pool-py why", Query("why", tags=("redis", "pool-py"))),
        ('agent:"ana maria" category:lessons disk', Query("disk", agent="ana maria", category="lessons", lists=True)),
        ("before:2026 x", Query("x", before=datetime(2026, 1, 1, tzinfo=UTC))),
        ("after:2026-03 x", Query("x", after=datetime(2026, 3, 1, tzinfo=UTC))),
        ("after:2026-03-16T10:30 x", Query("x", after=datetime(2026, 3, 16, 10, 30, tzinfo=UTC))),
    ],
)
def test_what_a_person_types_is_read(text, query):
    assert parse(text) == query


@pytest.mark.parametrize(
    "text",
    ["before:yesterday", "after:2026-13", "after:2026-02-30", "tag:", "pytest-xdist", "a - b", "--flag", "-",
     'say "', "key:value", "http://tag:80", '""', "1 -- 2"],
)  # fmt: skip
def test_what_reads_as_no_condition_is_words(text):
    assert parse(text) == Query(text)


def test_what_was_given_stays_unless_the_text_says_otherwise():
    given_query = Query("", agent="ana", category="lessons", limit=3, inactive=True)
    assert parse("x agent:rui", given_query) == replace(given_query, text="x", agent="rui", lists=True)


def test_a_paste_full_of_conditions_is_mostly_words():
    query = parse("-x " * 1000)
    assert len(query.without) == MOST_CONDITIONS
    assert len(query.text.split()) == 1000 - MOST_CONDITIONS


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(parse(text), Query)
