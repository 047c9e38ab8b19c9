"""No expression can blow up: on hostile input, four times the text takes about four times the time.

Sizes are those of a long paste; the factor allows for a busy machine, not for squares (sixteen).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import ModuleType

import pytest

from agent_memory.extraction import Memo, acceptance, body, observe, prose, score, sentences, standing, step
from agent_memory.extraction import table as cues
from agent_memory.redaction import redact
from agent_memory.redaction import table as secrets
from agent_memory.redaction.values import is_secret
from tests.builders import a_turn

SMALL_CHARS = 10_000
MOST_TIMES_LONGER = 9
NOISE_S = 0.004
PIECES = (
    "<private", "<private>", "< ", "<private>x</private>",
    "a", " ", "-", "a.", "a:b ", "1;", "**a", "| ", "“a", "passwordpasswordsenha ", "https://a:", "-----BEGIN ",
    "let's not have a list of no more, or, and so we will now be switched to that because of it if it is ",
    "nao vamos usar o que e, mas se depois a gente for por isso em vez de ficar pendente ate o proximo mes ",
)  # fmt: skip


def time_of(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def grows_linearly(work: Callable[[str], object], piece: str, chars: int = SMALL_CHARS) -> bool:
    small, large = (piece * (size // len(piece)) for size in (chars, 4 * chars))
    return any(time_of(work, large) <= MOST_TIMES_LONGER * time_of(work, small) + NOISE_S for _ in range(3))


def every_match(expression: re.Pattern[str]) -> Callable[[str], object]:
    return lambda text: list(expression.finditer(text))


def expressions() -> dict[str, Callable[[str], object]]:
    found: dict[str, Callable[[str], object]] = {
        f"secret {n} {rule.kind}": every_match(rule.regex) for n, rule in enumerate(secrets.load())
    }
    for module in (acceptance, observe, prose, score, sentences):
        found |= {name: value.match for name, value in patterns_of(module)}
    for module in (body, standing):
        found |= {name: every_match(value) for name, value in patterns_of(module)}
    return found


def patterns_of(module: ModuleType) -> list[tuple[str, re.Pattern[str]]]:
    short = module.__name__.rpartition(".")[2]
    return [(f"{short} {name}", value) for name, value in vars(module).items() if isinstance(value, re.Pattern)]


@pytest.mark.parametrize("expression", expressions().values(), ids=list(expressions()))
def test_an_expression_grows_linearly(expression: Callable[[str], object]) -> None:
    slow = [piece for piece in PIECES if not grows_linearly(expression, piece)]

    assert slow == []


@pytest.mark.parametrize(
    "piece", ["A", "a", "Aa", "A1", "_1", "_12", "-a", "a.", "a1.", "ab-", "a ", "1", "AB", "_A", "2024a", "a::"]
)
def test_judging_a_value_grows_linearly(piece: str) -> None:
    assert grows_linearly(lambda value: is_secret(f"x.{value}!.b%", "random"), piece, 1000)
    assert grows_linearly(lambda value: is_secret(f"x.{value}!.b%", "password"), piece, 1000)
    assert grows_linearly(lambda value: is_secret(f"x.{value}!.b%", "mixed"), piece, 1000)


@pytest.mark.parametrize("rule", [rule for rule in secrets.load() if rule.examples], ids=lambda rule: rule.kind)
def test_a_text_of_near_misses_grows_linearly(rule: secrets.Rule) -> None:
    """A secret cut short, again and again, takes an expression furthest into what it does not find."""
    example = rule.examples[0].replace("⟨cut⟩", "")

    assert grows_linearly(redact, example[: len(example) * 2 // 3] + " ", SMALL_CHARS // 2)


@pytest.mark.parametrize("name", cues.FILES)
def test_every_cue_grows_linearly(name: str) -> None:
    rows = cues.parse(cues.text_of(name), name)

    slow = [
        (cue.id, piece)
        for cue in rows
        for piece in (*PIECES[-2:], cue.examples[0].lower() + " ")
        if cue.finds and not grows_linearly(cue.finds, piece)
    ]

    assert slow == []


@pytest.mark.parametrize(
    "piece", [*PIECES, "a\n", "- a\n", "```\n", "<div>\n", "> a\n", "|a|\n|-|\n", "<!-- agent-memory:briefing "]
)
def test_reading_and_redacting_a_huge_text_grow_linearly(piece: str) -> None:
    assert grows_linearly(sentences.sentences, piece)
    assert grows_linearly(lambda text: step(Memo.empty(), a_turn(text)), piece)
    assert grows_linearly(redact, piece)
