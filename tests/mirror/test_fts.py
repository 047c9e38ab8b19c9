from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.mirror import fts


def test_stop_words_of_both_languages_are_dropped():
    assert fts.terms("por que não usamos o Redis with the cache?") == ("Redis", "cache")


@pytest.mark.parametrize(
    "text", ["", "   ", "?!…", "o que é isso", "what is the", "\0", "\ud800", '""" ( ) * ^', "AND OR NOT"]
)
def test_a_text_without_a_telling_word_gives_the_empty_expression(text):
    assert fts.match(text) == ""


def test_terms_are_quoted_and_joined_by_or():
    assert fts.match("deploy NEAR staging") == '"deploy" OR "NEAR" OR "staging"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("useAuthToken", ("useAuthToken", "auth", "token")),
        ("src/db/pool.py", ("src/db/pool.py", "src", "db", "pool", "py")),
        ("max_tokens", ("max_tokens", "max", "tokens")),
        ("HTTPServer2", ("HTTPServer2", "http", "server", "2")),
        ("pytest-xdist", ("pytest-xdist", "pytest", "xdist")),
    ],
)
def test_an_identifier_is_kept_whole_and_also_split(text, expected):
    assert fts.terms(text) == expected


def test_a_word_is_a_term_once_however_it_is_spelt():
    assert fts.terms("decisões Decisoes DECISÕES decisoes") == ("decisões",)


def test_a_letter_and_its_accent_typed_apart_are_one_letter():
    assert fts.terms("deciso\u0303es") == ("decisões",)


def test_a_long_text_keeps_the_terms_of_its_beginning_and_its_end():
    found = fts.terms(" ".join(f"palavra{n}" for n in range(10_000)))
    assert len(found) == 2 * fts.MAX_TERMS
    assert found[0] == "palavra0"
    assert found[-1] == "palavra9999"


def test_keys_are_the_parts_that_the_tokenizer_would_not_see():
    assert fts.keys("set connectionPoolTimeout in pool.py, not CONNECTION_POOL") == "connection pool timeout"


@pytest.mark.parametrize("text", ["a" * 1_000_000, "aB" * 500_000, "a/" * 500_000, "A" * 1_000_000, "a.b-" * 250_000])
def test_a_megabyte_without_blanks_costs_little(text):
    started = time.process_time()
    fts.terms(text)
    fts.keys(text)
    fts.excerpt(text, ("zebra",))
    assert time.process_time() - started < 3


def test_an_excerpt_stands_around_the_first_hit_on_one_line():
    body = (
        "Muita conversa antes disso.\n" * 20
        + "Decidimos usar\n\tPostgreSQL por causa do JSON.\n"
        + "E depois mais.\n" * 20
    )
    found = fts.excerpt(body, ("postgresql",))
    assert found.startswith("…")
    assert "Decidimos usar PostgreSQL por causa do JSON." in found


def test_an_excerpt_finds_a_hit_spelt_without_its_accents():
    assert "decisões" in fts.excerpt("x " * 200 + "as decisões de ontem", ("decisoes",))


def test_an_excerpt_without_a_hit_is_the_beginning():
    assert fts.excerpt("Short and\nplain.", ("zebra",)) == "Short and plain."


@given(st.text(), st.text(max_size=30))
def test_an_excerpt_is_one_short_line(body, query):
    found = fts.excerpt(body, fts.terms(query))
    assert len(found) <= fts.SNIPPET_CHARS
    assert len(found.splitlines()) <= 1


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Z", "Cc", "Cs"])))
def test_an_expression_is_made_of_quoted_terms_only(text):
    for term in filter(None, fts.match(text).split(" OR ")):
        assert term[0] == term[-1] == '"'
        assert '"' not in term[1:-1]
        assert "\0" not in term
