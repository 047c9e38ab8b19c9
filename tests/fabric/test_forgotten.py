"""Forgotten words are known again in any form, and nothing else is."""

from datetime import UTC, datetime

import pytest

from agent_memory.fabric.forgotten import forgotten_at, lines_for, quotes_runs, runs_of, without
from agent_memory.model.memory import TakenLine
from agent_memory.vault.taken import Taken
from agent_memory.vault.view import View

A_DAY = datetime(2026, 3, 16, tzinfo=UTC)
LONG = "Vamos usar o armazém Azul para os pedidos, um arquivo por loja, porque a cópia é simples e barata."


def a_view(text: str) -> View:
    return View(taken=Taken(lines_for(runs_of(text), TakenLine("", "1", A_DAY, "forgotten"))))


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        f"- **{LONG.upper()}**",
        "vamos usar o armazem azul para os pedidos",
        f"Antes disso: {LONG} E depois mais.",
        "… loja, porque a cópia é simples e barata",
    ],
)
def test_words_are_known_again_whatever_their_form(text):
    assert quotes_runs(runs_of(LONG))(text)
    assert forgotten_at(a_view(LONG), text) == A_DAY


@pytest.mark.parametrize("text", ["", "Vamos usar o banco.", "um arquivo", "a cópia é cara", "pedidos por loja"])
def test_other_words_are_left_alone(text):
    assert not quotes_runs(runs_of(LONG))(text)
    assert forgotten_at(a_view(LONG), text) is None


def test_short_sentences_of_a_longer_text_are_not_looked_for():
    assert runs_of("Yes. Done. We keep the ledger.") == ("we keep the ledger",)
    assert runs_of("Bluefinch") == ("bluefinch",)


def test_a_body_loses_lines_and_titles_that_stand_over_nothing():
    body = "**Asked**\n\n- Use Bluefinch.\n\n**Done**\n\n- Bread is sold.\n- Bluefinch is in."

    assert without(body, quotes_runs(("bluefinch",))) == "**Done**\n\n- Bread is sold."


def test_nothing_is_left_of_a_body_that_says_it_over_two_lines():
    assert without("Use the blue\nfinch.", quotes_runs(("blue finch",))) == ""


def test_a_ledger_without_forgotten_words_blocks_nothing():
    assert forgotten_at(View(), LONG) is None
