import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.fabric.merge import Said, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use SQLite.", "use sqlite"),
        ("Decisão: usar SQLite no espelho", "decisao usar sqlite no espelho"),
        (
            "We keep one SQLite file per shop because backups are a plain copy.",
            "We keep one SQLite file per shop, because backups are just a plain copy.",
        ),
    ],
)
def test_case_accents_and_filler_make_no_difference(one, other):
    assert say_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The build must run on node 18 in every pipeline", "The build must run on node 20 in every pipeline"),
        ("Orders must be deleted after a year by the job", "Orders must not be deleted after a year by the job"),
        (
            "O pedido deve ser apagado depois de um ano pelo job",
            "O pedido não deve ser apagado depois de um ano pelo job",
        ),
        ("Use tabs", "Use spaces"),
        ("We move all the orders from MySQL to Postgres today", "We move all the orders from Postgres to MySQL today"),
        ("You can retry the call", "You can't retry the call"),
        ("", "x"),
    ],
)
def test_numbers_negations_and_direction_do(one, other):
    assert not say_the_same(one, other)


@given(st.text(), st.text())
def test_likeness_is_mutual(one, other):
    assert say_the_same(one, other) == say_the_same(other, one)


@given(st.text())
def test_everything_says_what_it_says(text):
    assert say_the_same(text, text)


SENTENCES = (
    "Let's go with {} for the order store, one file per shop, because backups are a plain copy.",
    "We agreed that {} owns the nightly import of all shops until the new scheduler is ready.",
    "Vamos usar {} para guardar os pedidos de cada loja, porque as cópias ficam simples de fazer.",
    "A partir de agora {} decide sozinho quando o pagamento de uma loja volta para a fila.",
)
# Whoever adds to these: no two may say the same, not even to a stemmer.
NAMED = (
    "SQLite Postgres PostgreSQL MySQL Kafka RabbitMQ Redis Rust Ruby Go C C# C++ Java JavaScript React Reactive Vue",
    "Maria Mario Paula Paulo Ana Anna João Joana Carla Carlos IT HR US EU",
    "Monday Tuesday Wednesday segunda terça quarta quinta sexta sábado domingo janeiro fevereiro",
    "パス バス मेरी मेरा",
)
THINGS = tuple(thing for line in NAMED for thing in line.split())


@given(st.sampled_from(SENTENCES), st.lists(st.sampled_from(THINGS), min_size=2, max_size=2, unique=True))
def test_the_same_sentence_about_something_else_is_another_statement(sentence, things):
    one, other = (sentence.format(thing) for thing in things)
    assert not say_the_same(one, other)
    assert _found(one, other) is None


@given(st.sampled_from(SENTENCES), st.sampled_from(THINGS))
def test_nothing_changes_for_case_and_closing_punctuation(sentence, thing):
    assert say_the_same(sentence.format(thing), sentence.format(thing).replace("Let's", "let's").rstrip(".") + " …")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "We keep one SQLite file for each shop of the orders because its backup is made by copying them.",
            "We keep one SQLite file for each shop of the orders, because its backup is made by copying it.",
        ),
        (
            "Vamos guardar os pedidos da loja em SQLite em um arquivo por dia porque a cópia fica simples.",
            "Vamos guardar os pedidos da loja em SQLite em um arquivo por dia, porque a cópia ficaria simples.",
        ),
        (
            "Orders stay in SQLite, one file per shop, because a backup is a plain copy.",
            "Orders stay in SQLite, one file per shop, because a backup is just a plain local copy.",
        ),
    ],
)
def test_other_small_words_inflections_and_a_word_more_make_no_difference(one, other):
    assert say_the_same(one, other)
    assert _found(one, other) == "first"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("before the deploy to production", "after the deploy to production"),
        ("when the load is > 80 percent", "when the load is < 80 percent"),
        ("when it took more than 10 s", "when it took more than 10 ms"),
        ("when the answer is -1 or worse", "when the answer is 1 or worse"),
        ("antes da janela de sexta", "depois da janela de sexta"),
        ("if plan A has been chosen", "if plan B has been chosen"),
    ],
)
def test_what_turns_a_statement_round_is_no_small_word(one, other):
    assert not say_the_same(
        f"The worker runs every migration of the shops {one}", f"The worker runs every migration of the shops {other}"
    )


@given(
    st.lists(st.lists(st.sampled_from("the shop orders order copy plain backup go".split()), max_size=9), max_size=12)
)
def test_the_first_that_says_the_same_is_found_without_comparing_with_each(texts):
    *before, last = [" ".join(text) for text in texts] or [""]
    said = Said()
    for place, text in enumerate(before):
        said.add(str(place), text)
    assert said.first_like(last) == next((str(n) for n, text in enumerate(before) if say_the_same(text, last)), None)


def test_texts_without_words_are_the_same_only_if_they_are():
    assert say_the_same("👍", " 👍 ")
    assert not say_the_same("👍", "👎")


def _found(one, other):
    said = Said()
    said.add("first", one)
    return said.first_like(other)
