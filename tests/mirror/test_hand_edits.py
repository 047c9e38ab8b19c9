"""What a person does to the pages with an editor, as the next sync sees it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from agent_memory.mirror.search import Mirror
from agent_memory.model.recall import Query
from agent_memory.recall.engine import recall
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.store import Vault
from tests.fakes import FrozenClock

PAGE = "## 2026-03-16\n\nWe use Mongo.\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    page = tmp_path / ".memory" / "ana" / "decisions.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    return page


@pytest.fixture
def search(page: Path, clock: FrozenClock):
    folder = MemoryFolder(page.parents[1])
    vault = Vault(folder, clock, lock_timeout_s=1)
    with closing(Mirror.open(folder.mirror, redact=lambda text: text)) as mirror:

        def found(text: str) -> list[str]:
            mirror.sync(vault.shelf.page_states())
            return [hit.body.strip() for hit in recall(mirror, Query(text))]

        yield found


def test_an_edit_is_found_at_the_next_sync_and_what_it_replaced_is_not(page, search):
    assert search("mongo") == ["We use Mongo."]
    page.write_text(PAGE.replace("Mongo", "Redis, a decisão é de hoje"), encoding="utf-8")
    assert search("mongo") == []
    assert search("decisao") == ["We use Redis, a decisão é de hoje."]


def test_a_page_that_was_added_or_deleted_by_hand_comes_and_goes(page, search):
    assert search("kafka") == []
    added = page.with_name("lessons.md")
    added.write_text("## 2026-03-17\n\nKafka needs disk.\n", encoding="utf-8")
    assert search("kafka") == ["Kafka needs disk."]
    added.unlink()
    assert search("kafka") == []


def test_bytes_that_are_no_text_are_found_by_the_rest(page, search):
    page.write_bytes(b"## 2026-03-16\r\n\r\nWe use \xff\xfe\0 Mongo.\r\n")
    assert len(search("mongo")) == 1
