import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.text import clean, estimate_tokens, fold, language_of, normalise, one_line, shorten


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("vamos usar SQLite porque já vem com o Python", "pt"),
        ("nao precisa de migracao, o banco antigo sai", "pt"),
        ("let's keep the old endpoint until the app is updated", "en"),
        ("Decisões sobre autenticação", "pt"),
        ("pytest-xdist", None),
        ("", None),
    ],
)
def test_small_words_tell_the_language(text, language):
    assert language_of(text) == language


def test_folding_drops_accents_and_case():
    assert fold("DECISÃO Ação") == "decisao acao"


def test_normalising_keeps_words_and_digits_only():
    assert normalise("Node 18 → “Node 20”, não?") == "node 18 node 20 nao"


def test_a_token_is_four_characters_rounded_up():
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]


def test_lone_surrogates_and_nul_cannot_be_stored():
    assert clean("a\udc88b\0c") == "a?bc"


@given(st.text(), st.integers(1, 50))
def test_shortening_never_exceeds_its_limit(text, limit):
    assert len(shorten(text, limit)) <= limit


@given(st.text())
def test_cleaned_text_can_always_be_encoded(text):
    clean(text + "\ud83d").encode("utf-8")


def test_one_line_folds_every_kind_of_space():
    assert one_line(" a\n\t b\u2028c ") == "a b c"
