from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.mirror import fts
from agent_memory.mirror.fts import Word

ANY_TEXT = st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Z", "M", "Cc", "Cs"]))


def spelt(text: str) -> tuple[str, ...]:
    return tuple(word.terms[0] for word in fts.words(text))


def test_stop_words_and_question_words_of_both_languages_are_dropped():
    assert spelt("por que não usamos o Redis with the cache?") == ("redis", "cache")
    assert spelt("Quantos deploys? When did who break them?") == ("deploys", "break")


@pytest.mark.parametrize(
    "text", ["", "   ", "?!…", "o que é isso", "what is the", "\0", "\ud800", '""" ( ) * ^', "AND OR NOT"]
)
def test_a_text_without_a_telling_word_gives_the_empty_expression(text):
    assert fts.match(fts.words(text)) == fts.match_nearby(fts.words(text)) == fts.match_pairs(fts.words(text)) == ""


def test_terms_are_quoted_and_joined_by_or_with_their_stems():
    assert (
        fts.match(fts.words("the deployments NEAR staging"))
        == '"deployments" OR "deploy" OR "near" OR "staging" OR "stage"'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("useAuthToken", ("useauthtoken", "auth", "token")),
        ("src/db/pool.py", ("src/db/pool.py", "src", "db", "pool", "py")),
        ("max_tokens", ("max_tokens", "max", "tokens")),
        ("HTTPServer2", ("httpserver2", "http", "server", "2")),
        ("pytest-xdist", ("pytest-xdist", "pytest", "xdist")),
        ("C++", ("cpp",)),
        ("C#", ("csharp",)),
    ],
)
def test_an_identifier_is_kept_whole_and_also_split(text, expected):
    assert spelt(text) == expected


def test_a_word_is_a_term_once_however_it_is_spelt():
    assert spelt("decisões Decisoes DECISÕES decisoes") == ("decisoes",)


def test_a_letter_and_its_accent_typed_apart_are_one_letter():
    assert spelt("deciso\u0303es") == ("decisoes",)


def test_the_language_of_a_query_says_whose_stems_are_looked_for_and_both_are_where_it_is_unclear():
    assert [word.terms for word in fts.words("quais são as configurações da rede")] == [
        ("configuracoes", "configur"),
        ("rede", "red"),
    ]
    assert [word.terms for word in fts.words("what are the deployments")] == [("deployments", "deploy")]
    assert [word.terms for word in fts.words("testing")] == [("testing", "test")]


def test_of_many_words_the_rarest_that_stand_somewhere_are_kept_in_their_order():
    asked = fts.words(" ".join(f"word{n}" for n in range(100)))
    known = {f"word{n}": n for n in range(100)}
    assert [word.terms[0] for word in fts.telling(asked, known, most_rows=10**6)] == [f"word{n}" for n in range(1, 33)]


def test_words_that_would_make_too_many_rows_are_left_out_but_the_two_rarest():
    asked = fts.words("cache redis queue")
    known = {"cache": 9_000, "redis": 20, "queue": 8_000}
    assert [word.terms[0] for word in fts.telling(asked, known, most_rows=100)] == ["redis", "queue"]


def test_words_side_by_side_are_looked_for_side_by_side_by_their_stems():
    assert fts.match_pairs(fts.words("the connection pools failed")) == (
        'NEAR("connect" "pool", 3) OR NEAR("pool" "fail", 3)'
    )


@pytest.mark.parametrize("typed", ["autneticacao", "uatenticacao", "autenticacaoo", "auttenticacao"])
def test_what_two_letters_that_changed_places_or_one_too_many_were_meant_as_is_offered(typed):
    assert any("autenticacao" in word.terms for word in fts.swaps(Word((typed,))))


@pytest.mark.parametrize(
    ("spelt", "other", "is_off"),
    [
        ("autenticxcao", "autenticacao", True),
        ("autentiacao", "autenticacao", True),
        ("autenticaca", "autenticacao", True),
        ("autenticacao", "autenticacao", False),
        ("autentxcxcao", "autenticacao", False),
        ("redis", "redes", True),
        ("redis", "reads", False),
    ],
)
def test_one_letter_wrong_or_missing_is_told_from_more(spelt, other, is_off):
    assert fts.is_one_letter_off(spelt, other) is is_off


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_only_a_letter_wrong_or_missing_is_one_letter_off(spelt, other):
    wrong = {spelt[:at] + letter + spelt[at + 1 :] for at in range(len(spelt)) for letter in "abc"}
    missing = {spelt[:at] + letter + spelt[at:] for at in range(len(spelt) + 1) for letter in "abc"}
    assert fts.is_one_letter_off(spelt, other) == (other in (wrong | missing) - {spelt})


def test_short_words_and_identifiers_are_not_taken_for_slips():
    assert [fts.is_repairable(Word((term,))) for term in ("api", "src/db/pool.py", "deploy")] == [False, False, True]


def test_the_chunks_of_a_long_body_are_about_eighty_words_and_together_the_body():
    body = "\n\n  ".join(f"palavra{n}" for n in range(1000)) + "  \n"
    chunks = fts.chunks(body, "pt")
    assert len(chunks) == 12
    assert "".join(chunk.body for chunk in chunks) == body


def test_stems_have_the_parts_of_identifiers_that_the_tokenizer_would_not_see():
    (chunk,) = fts.chunks("set connectionPoolTimeouts in C++", "en")
    assert {"connect", "pool", "timeout", "cpp"} <= set(chunk.stems.split())


@pytest.mark.parametrize("text", ["a" * 1_000_000, "aB" * 500_000, "a/" * 500_000, "A" * 1_000_000, "a.b-" * 250_000])
def test_a_megabyte_without_blanks_costs_little(text):
    started = time.process_time()
    asked = fts.words(text)
    fts.match(asked)
    fts.chunks(text, None)
    fts.excerpt(text, fts.words("zebra"))
    assert time.process_time() - started < 6


def test_an_excerpt_stands_around_the_first_hit_on_one_line():
    body = (
        "Muita conversa antes disso.\n" * 20
        + "Decidimos usar\n\tPostgreSQL por causa do JSON.\n"
        + "E depois mais.\n" * 20
    )
    found = fts.excerpt(body, fts.words("postgresql"))
    assert found.startswith("…")
    assert "Decidimos usar PostgreSQL por causa do JSON." in found


def test_an_excerpt_finds_a_hit_spelt_without_its_accents_and_in_another_form():
    assert "decisões" in fts.excerpt("x " * 200 + "as decisões de ontem", fts.words("decisoes"))
    assert "autenticar" in fts.excerpt("x " * 200 + "vamos autenticar com JWT", fts.words("autenticação"))


def test_an_excerpt_without_a_hit_is_the_beginning():
    assert fts.excerpt("Short and\nplain.", fts.words("zebra")) == "Short and plain."


@given(st.text(), st.text(max_size=30))
def test_an_excerpt_is_one_short_line(body, query):
    found = fts.excerpt(body, fts.words(query))
    assert len(found) <= fts.SNIPPET_CHARS
    assert len(found.splitlines()) <= 1


@given(ANY_TEXT)
def test_chunks_joined_are_the_body(body):
    assert "".join(chunk.body for chunk in fts.chunks(body, None)) == body


@given(ANY_TEXT)
def test_an_expression_is_made_of_quoted_terms_only(text):
    for term in filter(None, fts.match(fts.words(text)).split(" OR ")):
        assert term[0] == term[-1] == '"'
        assert '"' not in term[1:-1]
        assert "\0" not in term
