"""Without a mirror the pages answer, and mostly the same."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given

from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Query
from agent_memory.model.syntax import parse
from agent_memory.recall.engine import recall
from agent_memory.recall.pages import Pages
from tests.builders import A_DAY, a_memory, a_page_state
from tests.laws.test_mirror import WORDS, vaults

ARCHIVE = PageRef("default", "decisions", archived=True)
LESSONS = PageRef("ana", "lessons")
TASKS = PageRef("ana", "tasks")
VAULT = [
    a_page_state(
        a_memory("Decidimos autenticar com JWT.", id="1", tags=("segurança",)),
        a_memory("We chose Kafka.", id="2", position=1, meta={"status": "superseded"}),
        a_memory("Deployment needs the connection pool warm.", id="3", position=2),
        a_memory("O que vale, vale.", id="7", position=3, tags=("compacted",), meta={"by": "compaction"}),
    ),
    a_page_state(a_memory("Kafka was archived for its size.", id="4", page=ARCHIVE), page=ARCHIVE),
    a_page_state(a_memory("Kafka precisa de disco.", id="5", page=LESSONS, at=A_DAY + timedelta(days=1)), page=LESSONS),
    a_page_state(
        a_memory("- [x] Medir o forno.", id="9", page=TASKS, at=A_DAY - timedelta(days=1)),
        a_memory("- [ ] Limpar o moinho.", id="8", page=TASKS, at=A_DAY - timedelta(days=2), position=1),
        page=TASKS,
    ),
]


@pytest.fixture(params=["mirror", "pages"])
def index(request, tmp_path: Path):
    if request.param == "pages":
        yield Pages(VAULT, lambda text: text)
        return
    with closing(Mirror.open(tmp_path / "mirror.sqlite3", redact=lambda text: text)) as mirror:
        mirror.sync(VAULT)
        yield mirror


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("decisões sobre autenticação", "1"),
        ("deploy", "3"),
        ("kafka", "4 5"),
        ("kafka agent:ana", "5"),
        ("kafka category:decisions", "4"),
        ("kafka -disco", "4"),
        ("kafka -discos", "4"),
        ('"connection pool"', "3"),
        ('"pool connection"', ""),
        ('"o que vale" kafka', ""),
        ("tag:seguranca", "1"),
        ("tag:segurança jwt", "1"),
        ("tag:nada jwt", ""),
        ("after:2026-03-17", "5"),
        ("before:2026-03-17 kafka", "4"),
        ("agent:ana", "5 8 9"),
        ("category:decisions -jwt", "3 4"),
        ("-kafka", ""),
        ("vale", ""),
        ("", ""),
        ("zebra", ""),
    ],
)
def test_a_search_finds(index, text, ids):
    assert sorted(hit.id for hit in recall(index, parse(text))) == ids.split()


def test_what_no_longer_counts_is_found_on_request(index):
    assert sorted(hit.id for hit in recall(index, Query("kafka vale", inactive=True))) == ["2", "4", "5", "7"]


def test_an_agent_that_was_not_typed_only_narrows(index):
    assert recall(index, Query("", agent="ana")) == recall(index, Query("the", agent="ana")) == []


def test_of_a_category_those_with_an_open_box_alone_may_be_asked_for(index):
    assert [hit.id for hit in index.memories("ana", "tasks")] == ["9", "8"]
    assert [hit.id for hit in index.memories("ana", "tasks", open_only=True)] == ["8"]


def test_the_latest_said_of_a_category_come_first_and_as_many_as_asked_for(index):
    assert [hit.id for hit in index.memories("default", "decisions")] == ["1", "3", "4"]
    assert [hit.id for hit in index.memories("default", "decisions", limit=1)] == ["1"]


def test_no_entries_no_hits():
    assert recall(Pages([], lambda text: text), Query("kafka")) == []


@given(vaults())
def test_pages_and_mirror_have_the_same_entries(vault):
    pages = Pages(vault, lambda text: text)
    for word in WORDS:
        for hit in recall(pages, Query(word, limit=100)):
            assert hit.score > 0
