from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.recall.dates import Named, named_in


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what did we decide on 2026-03-16?", [Named(2026, 3, 16)]),
        ("what happened in 2026-03", [Named(2026, 3)]),
        ("the outage of May 7th, 2023", [Named(2023, 5, 7)]),
        ("the outage of 7 May 2023", [Named(2023, 5, 7)]),
        ("a queda de 7 de maio de 2023", [Named(2023, 5, 7)]),
        ("o que foi dito em março?", [Named(None, 3)]),
        ("in October and November", [Named(None, 10), Named(None, 11)]),
        ("all of 2024", [Named(2024)]),
        ("it may fail on port 2000x", []),
        ("1º de abril", [Named(None, 4, 1)]),
    ],
)
def test_dates_are_read_in_both_languages(text, named):
    assert list(named_in(text)) == named


def test_a_date_includes_what_it_does_not_name():
    moment = datetime(2023, 5, 7, 9, 30, tzinfo=UTC)
    assert all(named.includes(moment) for named in (Named(2023), Named(None, 5), Named(2023, 5, 7)))
    assert not Named(2023, 5, 8).includes(moment)


@given(st.text(alphabet="0123456789- abcdemaiory,º"))
def test_any_text_is_read(text):
    named_in(text)
