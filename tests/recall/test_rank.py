from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Lead, Query
from agent_memory.model.votes import Fading, Votes
from agent_memory.recall import rank as ranking
from agent_memory.recall.rank import rank
from tests.builders import A_DAY, A_PAGE


def a_lead(row: int = 0, words: float = 1.0, **known) -> Lead:
    return Lead(row, known.pop("page", A_PAGE), known.pop("at", A_DAY), parts={"words": words}, **known)


def best(leads, text="x") -> int:
    board = rank(leads, Query(text))
    return board.leads[max(range(len(leads)), key=board.totals.__getitem__)].row


def test_who_is_named_in_the_query_is_preferred_unless_everybody_is():
    leads = [a_lead(1, 1.2, author="Melanie"), a_lead(2, author="Caroline")]
    assert best(leads, "what did Caroline say?") == 2
    assert best(leads, "what did Caroline and Melanie say?") == 1


def test_without_an_author_the_agent_counts():
    leads = [a_lead(1, 1.2), a_lead(2, page=PageRef("ana", "decisions"))]
    assert best(leads, "what did Ana decide?") == 2


def test_a_conversation_with_much_that_was_found_lifts_what_is_in_it():
    leads = [a_lead(1, 1.1, conversation="a"), *(a_lead(n, conversation="b") for n in range(2, 5))]
    assert best(leads) in range(2, 5)


def test_an_entry_of_no_conversation_is_not_behind_weaker_ones_of_a_talkative_one():
    assert best([a_lead(1, 2.0), *(a_lead(n, 1.2, conversation="b") for n in range(2, 9))]) == 1


def test_a_date_named_in_the_query_lifts_what_was_said_then():
    leads = [a_lead(1, 1.1), a_lead(2, at=A_DAY + timedelta(days=31))]
    assert best(leads, "what was decided in April?") == 2


def test_among_equals_more_votes_win_and_then_the_later_said():
    assert best([a_lead(1), a_lead(2, votes=Votes(2.0)), a_lead(3, votes=Votes(-2.0))]) == 2
    assert best([a_lead(1), a_lead(2, at=A_DAY + timedelta(days=1))]) == 2


def test_nothing_of_this_is_an_error_on_nothing():
    assert rank([], Query("in May 2023")).totals == []


leads = st.builds(
    a_lead,
    st.integers(),
    st.floats(0, 50),
    author=st.sampled_from(["", "Ana", "Rui"]),
    conversation=st.sampled_from([None, "a", "b"]),
    votes=st.builds(Votes, st.floats(-50, 50), st.none() | st.just(A_DAY)),
    at=st.integers(-5000, 5000).map(lambda days: A_DAY + timedelta(days=days)),
)


@given(st.lists(leads, max_size=8), st.sampled_from(["", "ana", "ana rui 2026", "march"]))
def test_parts_add_up_and_votes_and_recency_change_little(found, text):
    board = rank(found, Query(text, fading=Fading(A_DAY + timedelta(days=2))))
    relevance = [sum(parts.values()) - parts.get("votes", 0) - parts.get("recency", 0) for parts in board.parts]
    for parts, total, own in zip(board.parts, board.totals, relevance, strict=True):
        assert sum(parts.values()) == pytest.approx(total)
        assert abs(parts.get("votes", 0)) <= ranking.VOTES * own + 1e-9
        assert 0 <= parts["recency"] <= ranking.RECENCY * max(relevance) + 1e-9
