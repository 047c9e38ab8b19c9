"""The memo survives JSON, and anything else is an empty one."""

from __future__ import annotations

import json

import pytest

from agent_memory.extraction.memo import FORMAT, Coverage, Memo, OpenTask, Option, Proposal, Said

FULL = Memo(
    conversation="c",
    source="cursor",
    portuguese=2,
    mood="accepted",
    asked="choice",
    proposal=Proposal(3, "d", True, (Option("2", "usar fila", 4, 9),)),
    said=(Said("k", "decisions", "One.", "o", "l"),),
    tasks=(OpenTask("k", "write it", todo=True),),
    coverage=Coverage(1, "f", "l", 3, "2026-03-16T10:30:00+00:00", True, 2, ("a",), ("b",), ("c.py",), "d"),
)


@pytest.mark.parametrize("memo", [Memo.empty(), FULL])
def test_a_memo_survives_json(memo: Memo) -> None:
    assert Memo.from_json(memo.to_json()) == memo


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"format":2}',
        '{"format":99}',
        '{"format":2,"magic":1}',
        "[" * 100_000,
        '{"format":2,"proposal":3}',
    ],
)
def test_a_broken_memo_is_an_empty_one(text: str) -> None:
    assert Memo.from_json(text) == Memo.empty()


@pytest.mark.parametrize(("name", "value"), [("portuguese", "2"), ("mood", None), ("tasks", [{"key": 1, "text": "x"}])])
def test_a_memo_with_a_value_of_the_wrong_kind_is_an_empty_one(name: str, value: object) -> None:
    assert Memo.from_json(json.dumps({**json.loads(FULL.to_json()), name: value})) == Memo.empty()


def test_a_memo_of_another_format_is_an_empty_one() -> None:
    assert Memo.from_json(json.dumps({**json.loads(FULL.to_json()), "format": FORMAT + 1})) == Memo.empty()
