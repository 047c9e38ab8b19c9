"""Plain statements are judged right wherever they stand; ``anchors.toml`` has them."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from agent_memory.extraction import Memo, step
from agent_memory.model.transcript import Role
from tests.builders import a_turn

ANCHORS = tomllib.loads((Path(__file__).parent.parent / "fixtures" / "anchors.toml").read_text(encoding="utf-8"))
CASES = [(role, kind, text) for role, kinds in ANCHORS.items() for kind, texts in kinds.items() for text in texts]
PLACES = {"first": (0, Memo.empty()), "later": (4, replace(Memo.empty(), asked="question", mood="said"))}
SURE = 0.5


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("role", "kind", "text"), CASES)
def test_a_plain_statement_is_judged_right(role: Role, kind: str, text: str, place: str) -> None:
    ordinal, memo = PLACES[place]

    _, found = step(memo, a_turn(text, role=role, ordinal=ordinal))

    assert [one.category for one in found if one.confidence >= SURE] == ([] if kind == "none" else [kind])
