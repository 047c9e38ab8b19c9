"""What a fact is, when two say the same, when one comes up, and who vouches for a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.errors import InvalidValue
from agent_memory.fabric import facts
from agent_memory.model.memory import Fact
from tests.builders import a_memory


@pytest.mark.parametrize(
    ("fact", "field"),
    [
        (Fact("", "vim"), "key"),
        (Fact("two words", "vim"), "key"),
        (Fact("_hidden", "vim"), "key"),
        (Fact("a/b", "vim"), "key"),
        (Fact("k" * 121, "vim"), "key"),
        (Fact("editor", ""), "value"),
        (Fact("editor", " \n "), "value"),
        (Fact("editor", "v" * 2001), "value"),
        (Fact("editor", "vim", pinned=True, keywords=("ci",)), "keywords"),
        (Fact("editor", "vim", pinned=False), "keywords"),
        (Fact("editor", "vim", pinned=False, keywords=("",)), "keywords"),
        (Fact("editor", "vim", pinned=False, keywords=("!?",)), "keywords"),
        (Fact("editor", "vim", pinned=False, keywords=("a,b",)), "keywords"),
        (Fact("editor", "vim", pinned=False, keywords=("k" * 41,)), "keywords"),
        (Fact("editor", "vim", pinned=False, keywords=tuple("abcdefghi")), "keywords"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(fact, field):
    with pytest.raises(InvalidValue) as refused:
        facts.checked(fact)

    assert refused.value.facts["field"] == field
    assert refused.value.message == f"{field}: {refused.value.facts['reason']}"


def test_limits_themselves_are_fine_and_the_offending_keyword_is_counted():
    facts.checked(Fact("k" * 120, "v" * 2000, pinned=False, keywords=("w" * 40, *"abcdefg")))
    with pytest.raises(InvalidValue, match="number 2"):
        facts.checked(Fact("k", "v", pinned=False, keywords=("ok", "k" * 41)))


def test_a_key_has_any_alphabet_and_no_case():
    assert facts.checked(Fact(" Fuso-Horário.2 ", " Lisboa\r\nverão ")) == Fact("fuso-horário.2", "Lisboa\nverão")
    assert facts.checked(Fact("ci", "x", pinned=False, keywords=("CI", " ci ", "Dark  Mode"))).keywords == (
        "ci",
        "dark mode",
    )


@pytest.mark.parametrize(
    ("body", "meta", "expected"),
    [
        ("editor: vim", {}, Fact("editor", "vim")),
        ("- Editor: vim", {}, Fact("editor", "vim")),
        ("editor:\n  vim\n  nano", {}, Fact("editor", "vim\n  nano")),
        ("editor: a: b", {}, Fact("editor", "a: b")),
        ("deploy: no", {"pinned": "0", "keywords": "ci,deploy"}, Fact("deploy", "no", False, ("ci", "deploy"))),
        ("I use nano now", {"fact": "editor"}, Fact("editor", "I use nano now")),
        ("I use nano now", {}, None),
        ("http://example.org", {}, None),
        ("editor:", {}, None),
    ],
)
def test_an_entry_is_read_as_the_fact_it_states(body, meta, expected):
    assert facts.fact_of(a_memory(body, meta=meta)) == expected


@given(
    st.from_regex(r"[a-zà-ú0-9][a-zà-ú0-9_.-]{0,30}", fullmatch=True),
    st.text(min_size=1, max_size=200),
    st.lists(st.from_regex(r"[a-zà-ú]{1,8}", fullmatch=True), max_size=3, unique=True),
)
def test_what_is_written_is_read_again(key, value, keywords):
    try:
        fact = facts.checked(Fact(key, value, pinned=not keywords, keywords=tuple(keywords)))
    except InvalidValue:
        return
    meta = {name: value for name, value in facts.meta_of(fact).items() if value is not None}

    assert facts.fact_of(a_memory(facts.body_of(fact), meta=meta)) == fact


@pytest.mark.parametrize(
    ("keyword", "message", "comes_up"),
    [
        ("ci", "the CI pipeline", True),
        ("ci", "a disciple", False),
        ("ci", "ci_config", False),
        ("ci", "(ci)", True),
        ("implantação", "A IMPLANTACAO falhou", True),
        ("ação", "a implantação falhou", False),
        ("dark mode", "in dark\n mode please", True),
        ("c++", "some C++ code", True),
        ("тема", "какая тема?", True),
        ("тема", "система", False),
        ("数据库", "这个数据库很慢", True),
        ("हिन्दी", "मुझे हिन्दी में बताओ", True),
        ("हिन्द", "मुझे हिन्दी में बताओ", False),
        ("ci", "", False),
    ],
)
def test_a_keyword_comes_up_as_a_whole_word_in_any_alphabet(keyword, message, comes_up):
    assert facts.comes_up(Fact("x", "y", pinned=False, keywords=(keyword,)), message) is comes_up


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("preferred_editor", "vim"), ("editor", "Vim.")),
        (("answer_length", "short"), ("response_style", "concise")),
        (("resposta", "curta"), ("answer", "brief")),
        (("lang", "pt-BR"), ("language", "pt br")),
        (("fuso_horario", "Lisboa"), ("timezone", "lisboa")),
        (("nickname", "Ana"), ("name", "ana")),
    ],
)
def test_the_same_under_another_key_is_found(one, other):
    assert facts.twin(Fact(*one), {other[0]: Fact(*other)}) == other[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("editor", "vim"), ("shell", "vim")),
        (("node", "18"), ("node_version", "20")),
        (("emoji", "no"), ("use_emoji", "yes")),
        (("testes", "nunca em produção"), ("teste", "em produção")),
        (("name", "Ana"), ("nickname", "Bia")),
        (("editor", "vim"), ("editor", "vim")),
    ],
)
def test_what_differs_is_no_twin(one, other):
    assert facts.twin(Fact(*one), {other[0]: Fact(*other)}) is None


@pytest.mark.parametrize(
    "key", ["name", "user_name", "my_full_name", "nickname", "username", "nome", "meu_nome", "apelido"]
)
def test_these_keys_say_what_somebody_is_called(key):
    assert facts.is_name(key)
    assert facts.is_about_the_person(key)


@pytest.mark.parametrize("key", ["rename", "filename", "github_username", "project_name", "namespace", "editor"])
def test_these_do_not(key):
    assert not facts.is_name(key)
    assert not facts.is_about_the_person(key)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ana", "Oi, eu sou a ana e preciso de ajuda"),
        ("João da Silva", "Meu nome é João da Silva."),
        ("Sam", "my name is sam"),
        ("Sam", "please sign it as Sam, thanks"),
        ("Мария", "Меня зовут Мария"),
        ("田中", "田中です"),
    ],
)
def test_the_users_own_words_vouch_for_a_name(name, said):
    assert facts.vouched_for(name, [said])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Sam", "do the same again"),
        ("Mark", "Mark this as done"),
        ("Mark", "please mark this as done"),
        ("Zed", "open the editor"),
        ("Ana Lima", "eu sou a Ana"),
        ("Bob", "thanks @Bob"),
        ("", "anything"),
    ],
)
def test_other_words_do_not(name, said):
    assert not facts.vouched_for(name, [said])
