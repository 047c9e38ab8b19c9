"""What is believed of replies. The first round was written down before there was a parser, see docs/reflection.md."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_memory.redaction import redact
from agent_memory.reflection import Exchange, Limits, Reflection, read
from tests.builders import a_turn

REPLIES = Path(__file__).parent.parent / "fixtures" / "replies"


def cases(name: str) -> list[Any]:
    with (REPLIES / f"{name}.toml").open("rb") as file:
        return [_param(case) for case in tomllib.load(file)["case"]]


def _param(case: dict[str, Any]) -> Any:
    return pytest.param(case, id=case["name"], marks=[pytest.mark.xfail] if "limit" in case else [])


def exchange_of(case: dict[str, str]) -> Exchange:
    """An exchange as it reaches us: without secrets."""
    said = a_turn(redact(case["user"]).text)
    return Exchange((said,), a_turn(redact(case["assistant"]).text, role="assistant", ordinal=1))


def stored(found: Reflection) -> list[str]:
    facts = [f"{fact.key}={fact.value}" for fact in found.facts]
    return facts + [candidate.body for candidate in found.candidates]


@pytest.mark.parametrize("case", cases("hostile"))
def test_nothing_false_is_believed(case):
    assert stored(read(exchange_of(case), case["reply"], Limits())) == case["kept"]


@pytest.mark.parametrize("case", cases("honest") + cases("further"))
def test_what_was_said_is_believed_and_nothing_else(case):
    found = read(exchange_of(case), case["reply"], Limits())

    assert stored(found) == case["kept"], found.dropped
