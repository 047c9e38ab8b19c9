from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agent_memory.state.calls import Spent
from agent_memory.state.store import StateStore

NOW = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    opened = StateStore.open(tmp_path / "state.sqlite3")
    yield opened
    opened.close()


def a_call(store: StateStore, *, subject: str = "e1", at: datetime = NOW, tokens: int = 100, cap: int = 1000) -> int:
    call = store.calls.reserve("reflection", subject, "m", at, tokens=tokens, cap=cap)
    assert call is not None
    return call


def test_a_call_counts_with_all_it_may_use_until_it_is_settled(store):
    call = a_call(store, tokens=100)
    assert store.calls.tokens_on(NOW) == 100

    store.calls.settle(call, Spent("ok", 30, 5, 1.5, 0.02))

    assert store.calls.tokens_on(NOW) == 35
    assert [entry.spent for entry in store.calls.entries()] == [Spent("ok", 30, 5, 1.5, 0.02)]


def test_what_would_go_beyond_the_cap_gets_no_place_and_is_noted_once(store):
    a_call(store, tokens=900)
    for _ in range(3):
        assert store.calls.reserve("reflection", "e2", "m", NOW, tokens=101, cap=1000) is None

    assert [entry.spent.outcome for entry in store.calls.entries()] == ["sent", "skipped"]
    assert store.calls.reserve("reflection", "e2", "m", NOW, tokens=100, cap=1000) is not None


def test_another_process_sees_the_reservation(store, tmp_path):
    a_call(store, tokens=900)
    other = StateStore.open(tmp_path / "state.sqlite3")

    assert other.calls.reserve("reflection", "e2", "m", NOW, tokens=200, cap=1000) is None
    other.close()


def test_a_new_day_has_its_whole_cap(store):
    a_call(store, tokens=1000, at=NOW)

    assert store.calls.tokens_on(NOW + timedelta(days=1)) == 0
    a_call(store, tokens=1000, at=NOW + timedelta(days=1))


def test_a_cap_of_nothing_sends_nothing(store):
    assert store.calls.reserve("reflection", "e1", "m", NOW, tokens=1, cap=0) is None


def test_the_reply_is_kept_with_the_outcome(store):
    store.calls.settle(a_call(store, subject="e1"), Spent("ok"), ("conversation", "NOTE é"))

    assert store.calls.reply("reflection", "conversation", "e1") == "NOTE é"
    assert store.calls.reply("reflection", "conversation", "e2") is None
    assert store.calls.reply("rewrite", "conversation", "e1") is None


def test_only_the_latest_replies_are_kept_where_they_are_many(store):
    for number in range(5):
        at = NOW + timedelta(seconds=number)
        store.calls.settle(a_call(store, subject=f"e{number}", at=at), Spent("ok"), ("c", f"reply {number}"))
    store.calls.keep_replies("rewrite", 0)
    store.calls.keep_replies("reflection", 2)

    assert [store.calls.reply("reflection", "c", f"e{n}") for n in range(5)] == [None, None, None, "reply 3", "reply 4"]


def test_forgotten_words_leave_the_replies_and_the_file(store, tmp_path):
    for subject, text in (("e1", "NOTE the heron flies"), ("e2", "NOTE bread")):
        store.calls.settle(a_call(store, subject=subject), Spent("ok"), ("c", text))

    store.forget_where(lambda text: "heron" in text)
    store.close()

    assert not [path for path in tmp_path.iterdir() if b"heron" in path.read_bytes()]
    again = StateStore.open(tmp_path / "state.sqlite3")
    assert again.calls.reply("reflection", "c", "e1") is None
    assert again.calls.reply("reflection", "c", "e2") == "NOTE bread"
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
        store.calls.settle(a_call(store, subject=f"e{number}", tokens=1), Spent(outcome))

    assert store.calls.failures_in_a_row("reflection") == row
    assert store.calls.failures_in_a_row("rewrite") == 0
