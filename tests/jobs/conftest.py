"""A vault to fill and to compact."""

from datetime import timedelta

import pytest

from agent_memory.jobs.compact import Limits, plan_compaction
from agent_memory.model.memory import Add, Batch, Draft, PageRef
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault.store import Vault
from tests.builders import A_DAY

LIMITS = Limits(max_entries=30, keep_entries=20)


@pytest.fixture
def vault(tmp_path, clock):
    return Vault(MemoryFolder(tmp_path / ".memory"), clock, lock_timeout_s=5)


def fill(vault, category, count, *, body="Shelf {}", by="heuristic", tags=()):
    drafts = [
        Add(PageRef("default", category), Draft(body.format(n), A_DAY + timedelta(days=n), by, tags))
        for n in range(count)
    ]
    vault.update(lambda view: Batch(tuple(drafts)), verb="test")


def plan(view, limits=LIMITS, clean=lambda text: text):
    return plan_compaction(view, limits, now=A_DAY, clean=clean)
