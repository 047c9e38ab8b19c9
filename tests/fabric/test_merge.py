import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.fabric.merge import say_the_same


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
