"""Laws of extraction: a pure fold whose state survives JSON, and no feedback (law 8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.extraction import Memo, handoff, step
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Role, Todo, ToolUse, Turn
from tests.builders import a_turn

PHRASES = (
    "never use a lock, always one writer process",
    "então sempre um processo só grava, nunca lock",
    "2",
    "sim",
    "1. a lock for each shard\n2. one writer process with a queue\n\nWhich one?",
    "Root cause: the driver never frees a handle after a signal, so the second open fails.",
    "**Causa raiz:** o driver não solta o arquivo, então a segunda abertura falha.",
    "- [ ] rotate the key before the launch",
    "Fixed: the key is rotated and the rotation works.",
    "## Pendências\n\n- falta migrar os registros antigos",
)
TOOLS = (ToolUse("TodoWrite", todos=(Todo("port the parser", "pending"),)), ToolUse("Write", ("a.py",)))
BEGIN, END = "<!-- agent-memory:briefing v1 -->", "<!-- /agent-memory:briefing -->"
BRIEFING = "\n".join((BEGIN, *PHRASES, END))

ROLES: st.SearchStrategy[Role] = st.sampled_from(("user", "assistant"))
TURNS = st.lists(
    st.tuples(
        ROLES,
        st.one_of(st.sampled_from(PHRASES), st.text(max_size=80)),
        st.lists(st.sampled_from(TOOLS), max_size=1).map(tuple),
    ),
    max_size=6,
).map(lambda parts: [a_turn(text, role=role, ordinal=n, tools=tools) for n, (role, text, tools) in enumerate(parts)])


def fold(turns: list[Turn], *, through_json: bool) -> tuple[list[Candidate], Candidate | None]:
    memo, found = Memo.empty(), list[Candidate]()
    for turn in turns:
        memo = Memo.from_json(memo.to_json()) if through_json else memo
        memo, candidates = step(memo, turn)
        found += candidates
    return found, handoff(memo)


@given(TURNS)
def test_the_fold_is_pure_and_its_state_survives_json(turns: list[Turn]) -> None:
    assert fold(turns, through_json=True) == fold(turns, through_json=False)


@given(TURNS)
def test_every_candidate_quotes_words_that_were_said(turns: list[Turn]) -> None:
    found, _ = fold(turns, through_json=False)

    for one in found:
        start, end = one.origin.span
        turn = turns[one.origin.turn]
        assert one.origin.digest == turn.digest
        assert 0 <= start <= end <= len(turn.text)
        assert 0 <= one.confidence <= 1
        assert one.body.strip()


@given(st.lists(ROLES, min_size=1, max_size=3), st.booleans())
def test_law_8_a_pasted_briefing_yields_nothing(roles: list[Role], closed: bool) -> None:
    text = BRIEFING if closed else BRIEFING.removesuffix(END)
    turns = [a_turn(text, role=role, ordinal=n) for n, role in enumerate(roles)]

    found, written = fold(turns, through_json=False)

    assert found == []
    assert written is None


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_law_8_words_around_a_briefing_are_still_heard(role: Role) -> None:
    turn = a_turn(f"{BRIEFING}\n\n- [ ] rotate the other key", role=role)

    _, found = step(Memo.empty(), turn)

    assert [one.body for one in found] == ["- [ ] Rotate the other key."]
