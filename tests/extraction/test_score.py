"""The same signals always give the same answer, though a set has no order."""

from __future__ import annotations

import random

import pytest

from agent_memory.extraction.score import CATEGORIES, Category, classify, confidence
from agent_memory.extraction.table import weights
from agent_memory.model.transcript import Role


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_signals_weigh_the_same_in_whatever_order_they_come(category: Category, role: Role) -> None:
    chance, names = random.Random(4), sorted(weights()[f"{category}.{role}"].keys() - {"bias"})

    for _ in range(200):
        chosen = chance.sample(names, 9)
        assert confidence(category, role, chosen) == confidence(category, role, chosen[::-1])


def test_a_vetoed_sentence_is_nothing() -> None:
    assert classify("user", frozenset({"vetoed", "choose"})) is None
