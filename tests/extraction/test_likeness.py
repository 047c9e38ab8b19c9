"""Near-equality respects numbers and negations."""

from __future__ import annotations

import pytest

from agent_memory.extraction.likeness import near


def test_the_same_said_in_another_order_is_near() -> None:
    assert near("All writes go through one writer process.", "One writer process takes all writes.")


def test_accents_and_case_make_no_difference() -> None:
    assert near("A sessão do porteiro dura o plantão", "SESSAO do porteiro dura plantao")


def test_another_number_is_something_else() -> None:
    assert not near("every package uses node 18 in production", "every package uses node 20 in production")


def test_a_negation_is_something_else() -> None:
    assert not near("the worker must restart after deploy", "the worker must not restart after deploy")


def test_different_things_are_not_near() -> None:
    assert not near("the cache lives in redis", "photos go to the bucket")


@pytest.mark.parametrize(
    ("one", "other"),
    [("SQLite", "Kafka"), ("Rust", "Ruby"), ("Monday", "Friday"), ("Ana", "Rui"), ("a loja", "o caixa")],
)
def test_the_same_sentence_about_something_else_is_something_else(one: str, other: str) -> None:
    sentence = "Let's go with {} for the order store, one file per shop, because backups are a plain copy."

    assert not near(sentence.format(one), sentence.format(other))
    assert near(sentence.format(one), sentence.format(one).replace("are a plain copy", "is the plain copy"))
