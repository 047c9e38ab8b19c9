"""Secrets vanish, everything else stays; the corpora were written by somebody who had not seen the rules."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.redaction import Redacted, redact
from agent_memory.redaction.table import fold, load
from agent_memory.redaction.values import entropy_bits

FIXTURES = Path(__file__).parent.parent / "fixtures" / "secrets"
CUT = "⟨cut⟩"
PLANTED_FLOOR = 0.98
PROSE = "\n" + "The ferry leaves at noon and nobody minds.\n" * 12
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


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.kind)
def test_what_is_found_in_a_line_is_found_in_a_long_text_too(rule) -> None:
    """Of a long text only some lines are looked at."""
    for example in rule.examples:
        text = example.replace(CUT, "")
        assert redact(PROSE + text + PROSE).text == PROSE + redact(text).text + PROSE


@pytest.mark.parametrize("rule", [rule for rule in load() if rule.folded], ids=lambda rule: rule.kind)
def test_an_expression_without_case_finds_the_same_in_folded_text(rule) -> None:
    as_written = re.compile(rule.expression)
    for text in (*(row["text"] for row in rows("decoys.jsonl")), *(each for one in load() for each in one.examples)):
        for cased in (text, text.upper(), text.title()):
            found = [match.span() for match in rule.regex.finditer(fold(cased))]
            assert found == [match.span() for match in as_written.finditer(cased)]


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)


WORDED = ["self.userName", "Config.S3Secret", "settings.OAUTH2_SECRET", "cfg.smtpPwd", "XMLHttpRequest.open", "a.v2_id"]
DRAWN = ["MUwe.F1OT", "oQDm8Woo.rQv", "rL9.K_brqZjQJ7H7", "Ladeira.lantern9062", "zlgOxOjgXGH-B(ddHe6ssh-o0X"]


@pytest.mark.parametrize("value", [*WORDED, "hash(user.password)", "z.string().min(12)", "${NAME:?message}", ":token2"])
def test_code_is_no_password(value: str) -> None:
    assert redact(f"password = {value}").count == 0


@pytest.mark.parametrize("value", DRAWN)
def test_a_dot_or_a_bracket_makes_no_code_of_what_was_drawn(value: str) -> None:
    assert value not in redact(f'password = "{value}"').text


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
