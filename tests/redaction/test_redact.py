"""Secrets vanish, everything else stays; the corpora were written by somebody who had not seen the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.redaction import Redacted, redact
from agent_memory.redaction.table import load
from agent_memory.redaction.values import entropy_bits

FIXTURES = Path(__file__).parent.parent / "fixtures" / "secrets"
CUT = "⟨cut⟩"
PLANTED_FLOOR = 0.98
A_KEY = "AKIA" + "Q3EGZ7HJ5TWP2M6L"


def rows(name: str) -> list[dict[str, str]]:
    lines = (FIXTURES / name).read_text(encoding="utf-8").replace(CUT, "").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def test_planted_secrets_vanish() -> None:
    planted = rows("planted.jsonl")

    leaked = [row for row in planted if row["secret"] in redact(row["text"]).text]

    assert len(planted) >= 100
    assert len(leaked) <= (1 - PLANTED_FLOOR) * len(planted), [row["kind"] for row in leaked]


def test_decoys_stay_as_they_are() -> None:
    decoys = rows("decoys.jsonl")

    changed = [row["text"] for row in decoys if redact(row["text"]) != Redacted(row["text"], 0)]

    assert len(decoys) >= 100
    assert changed == []


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.kind)
def test_every_rule_finds_its_examples_and_nothing_in_its_counterexamples(rule) -> None:
    for example in rule.examples:
        found = redact(example.replace(CUT, ""))
        assert found.count == 1, example
        assert f"[REDACTED:{rule.kind}]" in found.text, example
    for example in rule.counterexamples:
        assert redact(example).text == example


def test_the_words_around_a_secret_stay() -> None:
    assert redact(f"o deploy usa {A_KEY}, troca amanhã") == Redacted("o deploy usa [REDACTED:aws-key], troca amanhã", 1)


def test_two_secrets_on_one_line_are_both_taken() -> None:
    assert redact(f"{A_KEY} {A_KEY}") == Redacted("[REDACTED:aws-key] [REDACTED:aws-key]", 2)


def test_a_private_key_without_an_end_is_taken_to_the_end_of_the_text() -> None:
    key = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQ"

    assert redact("here:\n" + key).text == "here:\n[REDACTED:private-key]"


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_the_rest_of_a_token_that_two_blocks_share_is_taken_too(between: str) -> None:
    text = "the key is glpat-" + f"x8Kq2mN4pR7tW1zB5c{between}9DvXeYf3Gh6Jl0\n\nNow deploy."

    assert redact(text) == Redacted(f"the key is [REDACTED:token]{between}[REDACTED:token]\n\nNow deploy.", 2)


@pytest.mark.parametrize("line", ["Deployment", "a second line", "step 2 is next", "tests/test_a1.py", "12345678"])
def test_a_line_of_words_behind_a_token_stays(line: str) -> None:
    assert redact(f"{A_KEY}\n{line}").text == f"[REDACTED:aws-key]\n{line}"


def test_a_password_in_a_portuguese_sentence_is_taken() -> None:
    assert "Jaca" not in redact("a senha do banco é Jaca-2024!, não espalha").text


@given(st.text(max_size=200))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)

    assert redact(once.text) == Redacted(once.text, 0)


@given(st.lists(st.sampled_from([row["text"] for row in rows("planted.jsonl")]), max_size=4))
def test_redacting_twice_is_redacting_once_where_there_are_secrets(texts: list[str]) -> None:
    once = redact("\n".join(texts))

    assert redact(once.text) == Redacted(once.text, 0)


def test_entropy_is_higher_for_random_than_for_repeated_characters() -> None:
    assert entropy_bits("aaaaaaaa") == 0
    assert entropy_bits("x8Kq2mN4") == 3
