"""Meaning, with an encoder for which words of one subject mean the same in both languages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory.errors import ModelError
from agent_memory.mirror.search import Mirror
from agent_memory.model.recall import Query
from agent_memory.recall.engine import recall
from agent_memory.system.encoders import Encoder
from tests.builders import a_memory, a_page_state

SUBJECTS = ({"database", "banco", "postgresql"}, {"login", "entrar", "password", "senha"}, {"bread", "pão"})


class Subjects:
    """Encodes which subjects a text has."""

    name = "subjects"

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Sequence[float]]:
        self.encoded += texts
        return [[float(not subject.isdisjoint(text.lower().split())) for subject in SUBJECTS] for text in texts]


class Broken:
    """Never answers."""

    name = "subjects"

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Sequence[float]]:
        raise ModelError("There is no answer.")


class Longer(Subjects):
    """Calls itself the same and encodes otherwise."""

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Sequence[float]]:
        return [[*vector, 1.0] for vector in super().encode(texts)]


BODIES = ("We keep bread in the shop.", "Our postgresql is slow.", "The senha is reset by mail.")


def a_page(*bodies: str, digest: str = "d1"):
    return a_page_state(*(a_memory(body, position=at) for at, body in enumerate(bodies)), digest=digest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mirror.sqlite3"


def opened(path: Path, encoder: Encoder | None) -> closing[Mirror]:
    return closing(
        Mirror.open(path, redact=lambda text: text.replace("hunter2", "[REDACTED]"), encoder=lambda: encoder)
    )


def found(mirror: Mirror, text: str, **wanted) -> list[str]:
    return [hit.body for hit in recall(mirror, Query(text, **wanted))]


def test_what_means_the_same_is_found_once_there_are_vectors(path):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES)])
        assert found(mirror, "qual banco usamos?") == []
        assert mirror.make_vectors() == 3
        assert found(mirror, "qual banco usamos?")[0] == "Our postgresql is slow."


def test_a_read_encodes_the_query_and_nothing_else_and_without_vectors_not_even_that(path):
    encoder = Subjects()
    with opened(path, encoder) as mirror:
        mirror.sync([a_page(*BODIES)])
        found(mirror, "banco")
        assert encoder.encoded == []
        mirror.make_vectors()
        encoder.encoded.clear()
        found(mirror, "banco")
        assert encoder.encoded == ["banco"]


def test_a_changed_page_makes_only_what_is_new_and_what_is_gone_is_dropped(path):
    encoder = Subjects()
    with opened(path, encoder) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
        encoder.encoded.clear()
        mirror.sync([a_page(*BODIES[1:], "A new line.", digest="d2")])
        mirror.rebuild([a_page(*BODIES[1:], "A new line.", digest="d2")])
        assert mirror.make_vectors() == 1
        assert encoder.encoded == ["A new line."]
        assert len(mirror._database.rows("select * from vectors")) == 3


def test_what_was_scrubbed_leaves_no_vector(path):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
        mirror.scrub([a_page(*BODIES[1:], digest="d2")])
        assert len(mirror._database.rows("select * from vectors")) == 2


def test_half_built_the_words_still_decide_for_the_rest(path):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES, "Whales sing.")])
        assert mirror.make_vectors(2) == 2
        assert found(mirror, "whales")[0] == "Whales sing."


class Slow(Subjects):
    """Never answers in time, and counts how often it was asked."""

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Sequence[float]]:
        vectors = super().encode(texts)
        if not patient:
            raise ModelError("Not yet.")
        return vectors


@pytest.mark.parametrize("encoder", [Subjects(), Slow()])
def test_the_same_thing_is_asked_once_by_a_briefing_that_searches_for_it_several_times(path, encoder):
    with opened(path, encoder) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
        encoder.encoded.clear()
        for text in ("banco", "banco", "senha", "senha"):
            found(mirror, text)
        assert encoder.encoded == ["banco", "senha"]


@pytest.mark.parametrize("encoder", [None, Broken(), Longer()])
def test_an_encoder_that_is_gone_broken_or_another_leaves_words_alone(path, encoder):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
    with opened(path, encoder) as mirror:
        mirror.sync([a_page(*BODIES)])
        assert found(mirror, "senha banco") == ["The senha is reset by mail."]


def test_conditions_hold_for_what_is_found_by_its_meaning(path):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
        assert found(mirror, "banco", agent="nobody") == []
        assert found(mirror, "", tags=("nothing",)) == []


def test_secrets_are_not_encoded(path):
    encoder = Subjects()
    with opened(path, encoder) as mirror:
        mirror.sync([a_page("The password is hunter2.")])
        mirror.make_vectors()
    assert encoder.encoded == ["The password is [REDACTED]."]


def test_the_parts_with_meaning_add_up(path):
    with opened(path, Subjects()) as mirror:
        mirror.sync([a_page(*BODIES)])
        mirror.make_vectors()
        for hit in recall(mirror, Query("banco postgresql senha")):
            assert "meaning" in hit.parts
            assert sum(hit.parts.values()) == pytest.approx(hit.score)
