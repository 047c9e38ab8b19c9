"""Search and briefing on a vault that is not quite as it should be, as somebody to whom permissions mean something."""

from __future__ import annotations

import importlib
import logging
import os
from pathlib import Path

import pytest

from agent_memory import open_memory
from agent_memory.app import brief, maintain, recall, sessions
from agent_memory.app.why import why
from agent_memory.errors import FileError, ModelError
from agent_memory.model.briefing import KINDS
from agent_memory.model.recall import Query
from agent_memory.recall import engine as recall_engine
from tests.app.test_conversations import as_an_ordinary_user
from tests.workspace import Workspace

posix = pytest.mark.skipif(os.name != "posix", reason="permissions are not these elsewhere")


@pytest.fixture
def vault(workspace: Workspace, tmp_path: Path) -> Workspace:
    # Whatever is imported late is, before we become somebody else.
    importlib.import_module("rank_bm25")
    with open_memory(tmp_path / "other") as memory:
        memory.add("Kafka.")
        memory.search("kafka")
        memory.briefing("kafka")
    for agent, body in (("ana", "Decidimos usar Kafka."), ("rui", "Kafka precisa de disco.")):
        page = workspace.memory / agent / "decisions.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"## 2026-03-16\n\n{body}\n", encoding="utf-8")
    return workspace


def found(app, text: str = "kafka", **wanted) -> list[str]:
    return sorted(hit.page.agent for hit in recall.search(app, Query(text, **wanted)))


@posix
def test_a_vault_that_may_not_be_written_is_searched_and_briefed_from_its_pages_with_one_notice(vault, caplog):
    with as_an_ordinary_user(vault):
        vault.memory.chmod(0o555)
        with vault.app() as app, caplog.at_level(logging.WARNING):
            assert found(app) == found(app, category="decisions") == ["ana", "rui"]
            assert "Kafka" in brief.brief(app, "ana", "kafka").text
    assert [record.message for record in caplog.records if "pages themselves" in record.message] == [
        caplog.records[0].message
    ]
    assert not (vault.memory / ".vault").exists()


@posix
def test_a_page_that_cannot_be_read_is_named_and_the_others_are_searched(vault, caplog):
    (vault.memory / "rui" / "decisions.md").chmod(0)
    with as_an_ordinary_user(vault), vault.app() as app, caplog.at_level(logging.WARNING):
        assert found(app) == ["ana"]
        assert found(app) == ["ana"]
    assert [("rui" in record.message, "left out" in record.message) for record in caplog.records] == [(True, True)]


@posix
@pytest.mark.parametrize("locked", [".vault", "rui", "rui/archive", "_project.md", ".vault/checkpoints/ana.json"])
def test_whatever_may_not_be_read_costs_itself_alone(vault, caplog, locked):
    (vault.memory / "rui" / "archive").mkdir()
    (vault.memory / "_project.md").write_text("# Forno")
    with vault.app() as app:
        sessions.checkpoint(app, sessions.chat("ana", [{"role": "user", "text": "Continua."}]))
    with as_an_ordinary_user(vault):
        (vault.memory / locked).chmod(0)
        with vault.app() as app, caplog.at_level(logging.WARNING):
            assert "ana" in found(app)
            for kind in KINDS:
                assert "Decidimos usar Kafka." in brief.brief(app, "ana", "kafka", kind).text
        (vault.memory / locked).chmod(0o700)
    assert any(str(Path(locked)) in record.message for record in caplog.records)


@pytest.mark.parametrize("what", ["find", "memories"])
def test_a_mirror_that_fails_while_it_is_asked_is_done_without_with_one_notice(vault, caplog, what):
    """Not damage, which it mends itself: a disk that gives errors, or a lock that nobody lets go."""
    with vault.app() as app, caplog.at_level(logging.WARNING):
        index = app.index
        app.mirror.close()
        for _ in range(2):
            hits = (
                recall_engine.recall(index, Query("kafka"))
                if what == "find"
                else [hit for agent in ("ana", "rui") for hit in index.memories(agent, "decisions")]
            )
            assert sorted(hit.page.agent for hit in hits) == ["ana", "rui"]
        assert found(app) == ["ana", "rui"]
    assert ["pages themselves" in record.message for record in caplog.records] == [True]


def test_a_mirror_that_cannot_be_made_is_done_without(vault, caplog):
    (vault.memory / ".vault").mkdir()
    (vault.memory / ".vault" / "mirror.sqlite3").mkdir()
    with vault.app() as app, caplog.at_level(logging.WARNING):
        assert found(app) == ["ana", "rui"]
    assert len(caplog.records) == 1


def test_an_index_is_made_anew_and_vectors_only_where_there_is_something_to_make_them_with(vault):
    with vault.app(semantic__mode="off") as app:
        assert maintain.reindex(app, vectors=False).entries == 2
        with pytest.raises(ModelError) as raised:
            maintain.reindex(app, vectors=True)
    assert "pip install" in raised.value.hint


def test_nothing_is_made_where_there_is_no_vault(workspace):
    with workspace.app() as app:
        assert maintain.reindex(app, vectors=False).entries == 0
    assert not workspace.memory.exists()


@posix
def test_why_reads_around_a_page_that_cannot_be_read_and_names_it(vault, caplog):
    (vault.memory / "rui" / "decisions.md").chmod(0)
    with as_an_ordinary_user(vault), vault.app() as app, caplog.at_level(logging.WARNING):
        (hit,) = recall.search(app, Query("kafka"))
        assert why(app, hit.id, "kafka").rank == 1
        with pytest.raises(FileError):
            why(app, "1")
    assert any("rui" in record.message for record in caplog.records)
