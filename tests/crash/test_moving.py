"""Moving in or out is killed after any durable step; doing it again gives what one undisturbed run gives."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from agent_memory.app import export, ingest, project
from agent_memory.app.migrate import migrate
from agent_memory.app.npm import import_npm
from tests.crash.faults import AtStep, fork, kill, result_of
from tests.npm_vault import FIXTURE, installed
from tests.workspace import Workspace, essence

pytestmark = pytest.mark.timeout(1800)


def moving_in(workspace: Workspace) -> None:
    with workspace.app() as app:
        import_npm(app, dry=False)
    assert not workspace.process().failed


def flat_notes(workspace: Workspace) -> None:
    with workspace.app() as app:
        migrate(app, dry=False)


def conversations(workspace: Workspace) -> None:
    with workspace.app() as app:
        options = ingest.Options(app.agent, idle_after=workspace.clock.now() - workspace.clock.now())
        ingest.import_conversations(app, options, [FIXTURE / "transcripts", FIXTURE / "memory/conversations"])


def notes(workspace: Workspace) -> None:
    with workspace.app() as app:
        export.obsidian(app, workspace.root / "notes")
        export.write_json(app, workspace.root / "memory.json")


def shared_page(workspace: Workspace) -> None:
    with workspace.app() as app:
        project.refresh(app, dry=False)


def standing(workspace: Workspace) -> tuple[object, ...]:
    """What counts: entries, the keys of the ledger, and every file but the machine's own; ids may differ."""
    found = workspace.memories()
    keyed = [memory.key for memory in found if memory.key]
    assert len(keyed) == len(set(keyed))
    with workspace.app() as app:
        keys = {line.key for line in app.vault.view().taken.lines}
    mine = re.compile(r"\.vault/|taken\.jsonl|notes/|memory\.json")
    files = {path.relative_to(workspace.root).as_posix() for path in workspace.root.rglob("*") if path.is_file()}
    texts = {name: (workspace.root / name).read_bytes() for name in files if name.endswith((".bak", "_project.md"))}
    exported = {name for name in files if name.startswith("notes/")}
    return essence(found), keys, {name for name in files if not mine.search(name)}, texts, len(exported)


@pytest.mark.parametrize(
    ("work", "stride"),
    [(moving_in, 31), (flat_notes, 3), (conversations, 31), (notes, 7), (shared_page, 3)]
    + [
        pytest.param(work, 1, marks=pytest.mark.slow)
        for work in (moving_in, flat_notes, conversations, notes, shared_page)
    ],
)
def test_killed_at_any_step_and_done_again(
    make: Callable[[], Workspace], work: Callable[[Workspace], None], stride: int
) -> None:
    undisturbed = prepared(make())
    work(undisturbed)
    expected = standing(undisturbed)

    for number in count(1, stride):
        workspace = prepared(make())
        result = result_of(fork(partial(work, workspace), AtStep(number, kill)))
        work(workspace)
        assert standing(workspace) == expected
        if result == 0:
            break
        assert result == -signal.SIGKILL
    assert number > 5


def prepared(workspace: Workspace) -> Workspace:
    Path(workspace.root / "go.mod").write_text("module x\n\ngo 1.22\n", encoding="utf-8")
    return installed(workspace)
