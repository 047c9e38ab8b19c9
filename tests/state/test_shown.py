from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from agent_memory.state.shown import MAX_DIGESTS, MAX_SESSIONS
from agent_memory.state.store import StateStore

AT = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.sqlite3"


@pytest.fixture
def shown(path):
    with closing(StateStore.open(path)) as state:
        yield state.shown


def test_a_session_knows_what_it_was_shown_and_no_other_does(shown, path):
    shown.add("a", ["1", "2"], AT)
    shown.add("a", ["2", "3"], AT)

    with closing(StateStore.open(path)) as another:
        assert another.shown.of("a") == {"1", "2", "3"}
        assert another.shown.of("b") == frozenset()


def test_after_a_compaction_everything_is_new(shown):
    shown.add("a", ["1"], AT)
    shown.add("b", ["1"], AT)
    shown.clear("a")

    assert (shown.of("a"), shown.of("b")) == (frozenset(), {"1"})


def test_the_sessions_that_were_quiet_for_longest_are_dropped(shown):
    for number in range(MAX_SESSIONS + 3):
        shown.add(f"s{number}", ["1"], AT + timedelta(minutes=number))
        shown.add("busy", [str(number)], AT + timedelta(minutes=number))

    assert [shown.of(f"s{number}") for number in (0, 3)] == [frozenset(), frozenset()]
    assert len(shown.of("busy")) == MAX_SESSIONS + 3
    assert shown.of(f"s{MAX_SESSIONS + 2}") == {"1"}


def test_one_session_keeps_the_latest_of_very_many(shown):
    shown.add("a", map(str, range(MAX_DIGESTS)), AT)
    shown.add("a", ["new"], AT)

    assert len(shown.of("a")) == MAX_DIGESTS
    assert "new" in shown.of("a")


def test_a_sessions_name_may_be_anything(shown):
    shown.add("\udce9'; drop table shown; --\0", ["1"], AT)

    assert shown.of("\udce9'; drop table shown; --\0") == {"1"}
