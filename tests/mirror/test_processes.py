"""Several processes use one mirror at once."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent_memory.mirror.search import Mirror

WORKER = """
import sys
from pathlib import Path
from agent_memory.mirror.search import Mirror
from agent_memory.model.recall import Query
from agent_memory.recall.engine import recall
from tests.builders import a_memory, a_page_state

name, path = sys.argv[1], Path(sys.argv[2])
for round in range(15):
    mirror = Mirror.open(path, redact=lambda text: text)
    mirror.sync([a_page_state(a_memory(f"Use Mongo, says {name}."), digest=f"{name}{round}")])
    assert len(recall(mirror, Query("mongo"))) == 1
    mirror.close()
"""


@pytest.mark.parametrize("before", [None, b"garbage" * 1000], ids=["none yet", "damaged"])
def test_processes_that_open_sync_and_search_at_once_do_not_harm_each_other(tmp_path: Path, before: bytes | None):
    path = tmp_path / "mirror.sqlite3"
    if before:
        path.write_bytes(before)
    root = Path(__file__).parents[2]
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, name, str(path)], cwd=root, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    assert ["" for _ in workers] == [worker.communicate(timeout=50)[1] for worker in workers]
    with closing(Mirror.open(path, redact=lambda text: text)) as mirror:
        assert mirror.count() == 1
