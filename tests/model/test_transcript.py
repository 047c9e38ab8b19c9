from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.transcript import Origin
from tests.builders import a_turn


def test_a_turn_that_has_grown_has_its_old_digest_among_its_prefixes():
    short = a_turn("I looked.", "Use WAL.", role="assistant")
    long = a_turn("I looked.", "Use WAL.", "Done.", role="assistant")

    assert short.digest in long.prefix_digests[:-1]
    assert long.digest not in short.prefix_digests


def test_a_turn_with_other_words_shares_no_digest():
    assert not set(a_turn("a", "b").prefix_digests) & set(a_turn("c", "b").prefix_digests)


@given(st.text(min_size=1), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_origin_survives_being_written(conversation, turn, start, length):
    origin = Origin("cursor", conversation, turn, (start, start + length), "77e0a1b2c3d4")

    assert Origin.parse(str(origin)) == origin


@given(st.text())
def test_any_text_is_an_origin_or_none(text):
    parsed = Origin.parse(text)

    assert parsed is None or isinstance(parsed, Origin)
