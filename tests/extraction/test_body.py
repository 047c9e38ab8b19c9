"""What is stored reads well alone."""

from __future__ import annotations

import pytest

from agent_memory.extraction.body import MAX_BODY_CHARS, compose, tags_of


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("ok so then use one file per month", "Use one file per month."),
        ("então faz assim: um arquivo por mês", "Faz assim: um arquivo por mês."),
        ("também nunca depois das 20h!", "Nunca depois das 20h!"),
        ("`reservar()` grava tudo na mesma transação", "`reservar()` grava tudo na mesma transação."),
        ("storage.local, keyed by url", "storage.local, keyed by url."),
        ("sim", "Sim."),
        ("let's use one queue", "Let's use one queue."),
        ("No, the bot only reads commands", "The bot only reads commands."),
        ("This time with evidence: the cache is stale.", "The cache is stale."),
        ("Com uma ressalva: o leitor só devolve o código.", "O leitor só devolve o código."),
        ("Fixed with a backward scan", "Fixed with a backward scan."),
        ("drop tokio. no mmap either, e.g. for logs", "Drop tokio. No mmap either, e.g. for logs."),
    ],
)
def test_lead_ins_go_and_a_sentence_remains(text: str, body: str) -> None:
    assert compose(text) == body


def test_a_long_statement_is_cut_and_keeps_its_reason() -> None:
    body = compose("use the queue " * 60, reason="because the share has no locks")

    statement, _, reason = body.partition("… ")
    assert len(statement) < MAX_BODY_CHARS
    assert reason == "Because the share has no locks."


def test_technologies_and_files_become_tags() -> None:
    assert tags_of("Postgres and SQLite, see src/pool.py and .env.local") == ("postgres", "sqlite", "pool-py")


@pytest.mark.parametrize(
    "text", ["we go with the long form, e.g. a list", "the rest of the nodes pull at night, each node alone"]
)
def test_ordinary_words_become_no_tags(text: str) -> None:
    assert tags_of(text) == ()


def test_an_everyday_word_is_a_technology_where_it_is_written_as_one() -> None:
    assert tags_of("a REST call from node 22 or Node") == ("rest", "node")
