from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from agent_memory.mirror.search import Mirror
from agent_memory.model.memory import PageRef
from agent_memory.model.recall import Query
from agent_memory.recall.engine import excerpted, recall
from tests.builders import a_memory, a_page_state


@pytest.fixture
def mirror(tmp_path: Path):
    with closing(Mirror.open(tmp_path / "mirror.sqlite3", redact=lambda text: text)) as opened:
        archive = PageRef("default", "decisions", archived=True)
        opened.sync(
            [
                a_page_state(
                    a_memory("Decidimos usar PostgreSQL.", id="3"),
                    a_memory("We chose Kafka.", id="2", position=1, meta={"status": "superseded"}),
                ),
                a_page_state(a_memory("Kafka was archived for its size.", id="1", page=archive), page=archive),
            ]
        )
        yield opened


def ids(hits) -> list[str]:
    return [hit.id for hit in hits]


def test_recall_finds_what_counts_today_and_the_archive(mirror):
    assert sorted(ids(recall(mirror, Query("kafka or postgresql?")))) == ["1", "3"]
    assert ids(recall(mirror, Query("kafka"))) == ["1"]


def test_a_hit_keeps_the_parts_of_its_score_and_an_excerpt(mirror):
    query = Query("postgresql")
    (hit,) = excerpted(recall(mirror, query), query)
    assert set(hit.parts) == {"words", "nearby", "conversation", "recency"}
    assert sum(hit.parts.values()) == pytest.approx(hit.score)
    assert hit.snippet == "Decidimos usar PostgreSQL."
