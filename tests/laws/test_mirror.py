"""Law 1, the vault is the truth: a mirror synced after every change equals one made from nothing."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import Memory, PageRef
from agent_memory.model.recall import Query
from agent_memory.model.syntax import parse
from agent_memory.recall.engine import recall
from agent_memory.vault.view import PageState
from tests.builders import a_memory, a_page_state

PAGES = [
    PageRef(agent, name, archived) for agent in ("ana", "rui") for name in ("x", "y") for archived in (False, True)
]
WORDS = [
    "decisões",
    "Redis",
    "poolTimeout",
    "café",
    "#tag",
    "`src/db.py`",
    "\ud800",
    "\0",
    "“aspas”",
    "\n",
    "数据库",
    "🙂",
]

texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
times = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
statuses = st.sampled_from([{}, {}, {"status": "superseded"}, {"status": "evicted"}])


@st.composite
def page_states(draw: st.DrawFn, page: PageRef) -> PageState:
    bodies = draw(st.lists(texts, max_size=4))
    memories: list[Memory] = [
        a_memory(
            body,
            id=draw(st.sampled_from(["17", "18", "h-1234abcd"])),
            page=page,
            at=draw(times),
            tags=tuple(draw(st.lists(st.sampled_from(["redis", "café", "auto-extract"]), max_size=2))),
            meta=draw(statuses),
            position=position,
        )
        for position, body in enumerate(bodies)
    ]
    return a_page_state(*memories, page=page, digest=repr(memories), mtime_ns=draw(st.integers(0, 3)))


@st.composite
def vaults(draw: st.DrawFn) -> list[PageState]:
    chosen = draw(st.lists(st.sampled_from(PAGES), unique=True, max_size=4))
    return [draw(page_states(page)) for page in chosen]


@contextmanager
def a_mirror() -> Iterator[Mirror]:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Mirror.open(Path(folder) / "mirror.sqlite3", redact=lambda text: text)) as mirror,
    ):
        yield mirror


def answers(mirror: Mirror) -> object:
    found = [recall(mirror, Query(word, limit=100, inactive=not active)) for word in WORDS for active in (True, False)]
    return found, [mirror.memories(page.agent, page.category) for page in PAGES]


@given(st.lists(vaults(), min_size=1, max_size=4))
def test_a_synced_mirror_equals_a_rebuilt_one(history):
    with a_mirror() as synced, a_mirror() as rebuilt:
        for vault in history:
            synced.sync(vault)
        rebuilt.sync(history[-1])
        assert not synced.check(history[-1])
        assert answers(synced) == answers(rebuilt)
        assert synced.sync(history[-1]) == 0


ANY_TEXT = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(), max_size=300),
    st.text(alphabet="\"'()*:^-+{}[]\\NEAROT \0\ud800ábc"),
    st.lists(st.sampled_from([*WORDS, "tag:x", '"', "-", "before:2026", "AND", "NEAR(", "*"])).map(" ".join),
)


@pytest.fixture(scope="module")
def asked() -> Iterator[Mirror]:
    with a_mirror() as mirror:
        mirror.sync([a_page_state(a_memory("abc NEAR á decisões"), a_memory("Use Redis in poolTimeout.", position=1))])
        yield mirror


@settings(max_examples=300)
@given(ANY_TEXT)
def test_any_text_is_a_valid_query(asked, text):
    recall(asked, Query(text))
    recall(asked, parse(text))


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(max_examples=10_000)
@given(ANY_TEXT)
def test_any_of_ten_thousand_texts_is_a_valid_query(asked, text):
    recall(asked, Query(text))
    recall(asked, parse(text))


@pytest.mark.parametrize("piece", ["a", "a ", 'NEAR("', "\0\ud800", "-x tag:y ", "decisões\n", "aB/c.d-"])
def test_a_megabyte_is_a_valid_query_and_costs_little(asked, piece):
    text = piece * (1_000_000 // len(piece))
    started = time.process_time()
    recall(asked, Query(text))
    recall(asked, parse(text[:100_000]))
    assert time.process_time() - started < 10


@given(st.text(alphabet=" \t\n.,;:!?\"'()[]{}*^-+\0\ud800…"))
def test_a_query_without_a_word_finds_nothing(text):
    with a_mirror() as mirror:
        mirror.sync([a_page_state(a_memory("abc"))])
        assert recall(mirror, Query(text)) == []
