"""Plain statements are judged right wherever they stand; ``anchors.toml`` has them.

``phrases.toml`` has what is less plain: most of it must be judged right, and hardly anything taken for what
it is not.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from agent_memory.extraction import Memo, step
from agent_memory.model.transcript import Role
from tests.builders import a_turn

FIXTURES = Path(__file__).parent.parent / "fixtures"


def statements(name: str) -> list[tuple[Role, str, str]]:
    roles = cast("dict[Role, dict[str, list[str]]]", tomllib.loads((FIXTURES / name).read_text(encoding="utf-8")))
    return [(role, kind, text) for role, kinds in roles.items() for kind, texts in kinds.items() for text in texts]


CASES, PHRASES = statements("anchors.toml"), statements("phrases.toml")
PLACES = {"first": (0, Memo.empty()), "later": (4, replace(Memo.empty(), asked="question", mood="reported"))}
SURE = 0.5


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("role", "kind", "text"), CASES)
def test_a_plain_statement_is_judged_right(role: Role, kind: str, text: str, place: str) -> None:
    ordinal, memo = PLACES[place]

    _, found = step(memo, a_turn(text, role=role, ordinal=ordinal))

    assert [one.category for one in found if one.confidence >= SURE] == ([] if kind == "none" else [kind])


def judged(role: Role, text: str) -> str:
    ordinal, memo = PLACES["later"]
    _, found = step(memo, a_turn(text, role=role, ordinal=ordinal))
    return next((one.category for one in found if one.confidence >= SURE), "none")


def test_most_phrases_are_judged_right_and_hardly_one_is_taken_for_something_else() -> None:
    verdicts = [(kind, judged(role, text)) for role, kind, text in PHRASES]

    assert sum(kind == verdict for kind, verdict in verdicts) / len(verdicts) >= 0.65
    assert sum(verdict not in (kind, "none") for kind, verdict in verdicts) / len(verdicts) <= 0.05
