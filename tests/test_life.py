"""The generated life is what its truth says of it."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from tests.life import CONTRADICTED, SESSIONS, SUPERSEDED, TASKS, THEMES, WORDING, _lived, life, statements

SEEDS = pytest.mark.parametrize("seed", [1, 2, 77])


def themes_of(text: str) -> list[str]:
    return [theme.name for theme in THEMES if theme.told_in(text)]


@SEEDS
def test_the_same_seed_is_the_same_life(seed: int) -> None:
    first = life(seed), statements(seed)
    _lived.cache_clear()
    assert (life(seed), statements(seed)) == first
    assert life(seed) != life(seed + 1)


@SEEDS
def test_three_hundred_sessions_follow_each_other_for_half_a_year(seed: int) -> None:
    lived = life(seed)
    assert [session.number for session in lived] == list(range(1, SESSIONS + 1))
    assert all(one.at + timedelta(minutes=len(one.turns)) < other.at for one, other in pairwise(lived))
    assert timedelta(days=175) < lived[-1].at - lived[0].at < timedelta(days=185)
    assert len({session.id for session in lived}) == SESSIONS
    assert all(turn.text for session in lived for turn in session.turns)


@SEEDS
def test_each_theme_is_said_forty_times_in_each_language_and_never_twice_alike(seed: int) -> None:
    said = [one for one in statements(seed) if one.theme != "other"]
    counted = Counter((one.theme, one.lang) for one in said)
    assert set(counted) == {(theme.name, lang) for theme in THEMES for lang in ("en", "pt")}
    assert min(counted.values()) >= 40
    texts = [(one.theme, one.text.casefold()) for one in said]
    assert len(set(texts)) == len(texts)


@SEEDS
def test_every_statement_stands_in_its_session_and_tells_its_theme_alone(seed: int) -> None:
    lived = life(seed)
    for one in statements(seed):
        turns = [turn for turn in lived[one.session - 1].turns if turn.role == one.role and one.text in turn.text]
        assert len(turns) == 1, one
        assert themes_of(one.text) == [one.theme] * (one.theme != "other"), one


@SEEDS
def test_most_sessions_teach_nothing(seed: int) -> None:
    taught = {one.session for one in statements(seed)}
    taught |= {number for change in (*SUPERSEDED, *TASKS) for number in (change.said_in, change.replaced_in)}
    assert len(taught) < SESSIONS / 2
    noise = [turn.text for one in life(seed) if one.number not in taught for turn in one.turns]
    assert [text for text in noise if themes_of(text)] == []


@SEEDS
def test_what_is_replaced_is_said_once_and_weeks_before(seed: int) -> None:
    lived = life(seed)
    for change in (*SUPERSEDED, *CONTRADICTED, *TASKS):
        said = [one.number for one in lived if any(change.statement in turn.text for turn in one.turns)]
        assert said == [change.said_in], change
        if change.replaced_in:
            then = lived[change.replaced_in - 1]
            assert then.at - lived[change.said_in - 1].at > timedelta(weeks=2), change
            assert any(change.replacement in turn.text for turn in then.turns), change
        assert themes_of(change.statement) == [change.theme] * (change.theme != "other"), change


def test_no_session_serves_two_changes() -> None:
    numbers = [number for one in (*SUPERSEDED, *CONTRADICTED, *TASKS) for number in (one.said_in, one.replaced_in)]
    assert max(Counter(number for number in numbers if number).values()) == 1


def test_noise_tells_no_theme() -> None:
    lines = [str(line) for lang in WORDING["noise"].values() for kind in lang.values() for line in kind]
    lines += [value for values in WORDING["slots"].values() for value in values]
    assert [line for line in lines if themes_of(line)] == []
