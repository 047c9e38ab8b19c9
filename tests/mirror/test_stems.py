from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.mirror.stems import stem, stems
from agent_memory.model.text import fold


@pytest.mark.parametrize(
    "forms",
    [
        "decisão decisões decisao decisoes",
        "função funções funcao funcoes",
        "autenticação autenticações autenticar autenticacao",
        "configuração configurar configuracoes",
        "dependência dependências dependencia",
        "teste testes",
    ],
)
def test_the_forms_of_a_portuguese_word_have_one_stem_with_accents_and_without(forms):
    assert len({stem(fold(form), "pt") for form in forms.split()}) == 1


@pytest.mark.parametrize("forms", ["deploy deploys deployed deployment", "test tests tested testing"])
def test_the_forms_of_an_english_word_have_one_stem(forms):
    assert len({stem(form, "en") for form in forms.split()}) == 1


def test_where_the_language_is_unknown_both_stems_are_given_once():
    assert stems("configurations", None) == ("configur",)
    assert stems("nota", None) == ("nota", "not")
    assert stems("teste", None) == ("test",)


@pytest.mark.parametrize(
    "forms",
    ["deploy deploys deployment deployments", "commit commits", "container containers", "branch branches", "test tests",
     "cache caches caching", "migration migrations", "endpoint endpoints", "query queries"],
)  # fmt: skip
def test_an_english_word_in_a_portuguese_text_has_its_english_stem(forms):
    assert len({stem(form, language) for form in forms.split() for language in ("pt", "en")}) == 1


def test_a_portuguese_word_in_an_english_text_has_its_portuguese_stem():
    for forms in ("migracao migracoes", "pagamento pagamentos", "cidade cidades"):
        assert len({stem(form, language) for form in forms.split() for language in ("pt", "en")}) == 1


@given(st.text(min_size=1, max_size=80))
def test_every_word_has_a_stem(word):
    assert stems(fold(word), None)
