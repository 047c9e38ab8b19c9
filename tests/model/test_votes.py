"""Votes stay in bounds, and fade with time, not with how often somebody looks."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.votes import MOST, NO_VOTES, Fading, Votes, read
from tests.builders import A_DAY

hours = st.floats(0, 24 * 400)


@given(st.lists(st.tuples(st.sampled_from(["up", "down"]), hours), max_size=120), st.integers(1, 50))
def test_whoever_votes_however_often_the_score_stays_in_bounds(cast, most):
    meta, now = dict[str, str](), A_DAY
    for direction, later in cast:
        now += timedelta(hours=later)
        changed = Fading(now).cast(meta, direction, most)
        meta = {key: value for key, value in {**meta, **changed}.items() if value is not None}
        assert abs(Fading(now).of(meta)) <= most


@given(st.floats(-50, 50), st.lists(hours, max_size=20), st.floats(0.01, 1))
def test_what_is_left_depends_on_the_time_and_not_on_how_often_it_was_asked(score, looks, decay):
    votes, now = Votes(score, A_DAY), A_DAY
    for later in looks:
        now += timedelta(hours=later)
        Fading(now, decay).left(votes)
    left = Fading(now, decay).left(votes)
    assert abs(left) <= abs(score)
    assert left == Fading(A_DAY + (now - A_DAY), decay).left(votes)


def test_a_vote_halves_in_three_days_and_is_gone_in_two_weeks():
    vote = Votes(1.0, A_DAY)
    assert Fading(A_DAY + timedelta(hours=81)).left(vote) == pytest.approx(0.5, abs=0.01)
    assert Fading(A_DAY + timedelta(days=15)).left(vote) == 0
    assert Fading(A_DAY - timedelta(days=1)).left(vote) == 1, "a clock that was wrong adds nothing"


def test_at_the_limit_nothing_is_written_and_none_leaves_no_trace():
    full = {"votes": "50", "voted": "2026-03-16T10:30:00Z"}
    assert Fading(A_DAY).cast(full, "up") == {}
    assert Fading(A_DAY).cast({"votes": "1"}, "down") == {"votes": None, "voted": None}


@pytest.mark.parametrize("said", ["", "many", "nan", "inf", "-inf", "1e999"])
def test_what_is_no_number_counts_for_none(said):
    assert read({"votes": said}) == NO_VOTES


def test_what_a_person_wrote_without_a_time_does_not_fade_and_has_the_same_bounds():
    assert Fading(A_DAY).of({"votes": "3", "voted": "yesterday"}) == 3
    assert read({"votes": "-99"}).score == -MOST
