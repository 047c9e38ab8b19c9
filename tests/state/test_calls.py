from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from agent_memory.state.calls import Outcome, Spent, Subject
from agent_memory.state.store import StateStore

NOW = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    opened = StateStore.open(tmp_path / "state.sqlite3")
    yield opened
    opened.close()


def about(subject: str = "e1", purpose: str = "reflection") -> Subject:
    return Subject(purpose, "c", subject, "m")


def reserve(store: StateStore, subject: str = "e1", *, at: datetime = NOW, tokens: int = 100, cap: int = 1000):
    return store.calls.reserve(about(subject), at, tokens=tokens, cap=cap, timeout_s=60)


def settle(store: StateStore, spent: Spent, subject: str = "e1", reply: str | None = None, **reserved: Any) -> None:
    call = reserve(store, subject, **reserved)
    assert call is not None
    store.calls.settle(call, about(subject), spent, reply)


def test_a_call_counts_with_all_it_may_use_until_it_is_settled(store):
    call = reserve(store, tokens=100)
    assert store.calls.tokens_on(NOW) == 100

    store.calls.settle(call, about(), Spent("ok", 30, 5, 1.5, 0.02))

    assert store.calls.tokens_on(NOW) == 35
    assert [entry.spent for entry in store.calls.entries()] == [Spent("ok", 30, 5, 1.5, 0.02)]


def test_what_would_go_beyond_the_cap_gets_no_place_and_is_noted_once(store):
    reserve(store, tokens=900)
    for _ in range(3):
        assert reserve(store, "e2", tokens=101) is None

    assert [entry.spent.outcome for entry in store.calls.entries()] == ["sent", "skipped"]
    assert reserve(store, "e2", tokens=100) is not None


def test_what_is_being_asked_is_not_asked_by_somebody_else_until_it_must_be_over(store):
    assert reserve(store) is not None
    assert reserve(store, at=NOW + timedelta(seconds=59)) is None
    assert reserve(store, at=NOW + timedelta(seconds=61)) is not None


def test_another_process_sees_the_reservation(store, tmp_path):
    reserve(store, tokens=900)
    other = StateStore.open(tmp_path / "state.sqlite3")

    assert reserve(other, "e2", tokens=200) is None
    other.close()


def test_a_new_day_has_its_whole_cap(store):
    reserve(store, tokens=1000, at=NOW)

    assert store.calls.tokens_on(NOW + timedelta(days=1)) == 0
    assert reserve(store, tokens=1000, at=NOW + timedelta(days=1)) is not None


def test_a_cap_of_nothing_sends_nothing(store):
    assert reserve(store, tokens=1, cap=0) is None


def test_the_reply_is_kept_with_the_outcome(store):
    settle(store, Spent("ok"), reply="NOTE é")

    assert store.calls.reply(about()) == "NOTE é"
    assert store.calls.reply(about("e2")) is None
    assert store.calls.reply(about(purpose="rewrite")) is None


def test_only_the_latest_replies_are_kept_where_they_are_many(store):
    for number in range(5):
        at = NOW + timedelta(seconds=number)
        settle(store, Spent("ok"), f"e{number}", f"reply {number}", at=at)
    store.calls.keep_replies("rewrite", 0)
    store.calls.keep_replies("reflection", 2)

    assert [store.calls.reply(about(f"e{n}")) for n in range(5)] == [None, None, None, "reply 3", "reply 4"]


def test_forgotten_words_leave_the_replies_and_the_file(store, tmp_path):
    for subject, text in (("e1", "NOTE the heron flies"), ("e2", "NOTE bread")):
        settle(store, Spent("ok"), subject, text)

    store.forget_where(lambda text: "heron" in text)
    store.close()

    assert not [path for path in tmp_path.iterdir() if b"heron" in path.read_bytes()]
    again = StateStore.open(tmp_path / "state.sqlite3")
    assert again.calls.reply(about("e1")) is None
    assert again.calls.reply(about("e2")) == "NOTE bread"
    again.close()


@pytest.mark.parametrize(
    ("outcomes", "row"),
    [
        ("failed timeout failed", 3),
        ("failed ok failed", 1),
        ("failed failed none", 0),
        ("failed aborted failed", 2),
        ("", 0),
    ],
)
def test_failures_in_a_row_are_counted_and_calls_given_up_say_nothing(store, outcomes, row):
    for number, outcome in enumerate(outcomes.split()):
        settle(store, Spent(cast("Outcome", outcome)), f"e{number}", tokens=1)

    assert store.calls.failures_in_a_row("reflection") == row
    assert store.calls.failures_in_a_row("rewrite") == 0
