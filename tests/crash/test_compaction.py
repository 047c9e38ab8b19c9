"""Compaction is killed, or its disk refuses; the next one leaves what one undisturbed run would have left."""

import errno
import json
import os
from collections.abc import Callable

import pytest

from agent_memory.app import maintain
from agent_memory.errors import AgentMemoryError
from tests.crash.faults import AtStep, names, profiled, put_back, refuse, states_of
from tests.workspace import Workspace, essence
from tests.year import Year, live

pytestmark = [pytest.mark.timeout(1800)]

A_WHILE = Year(agents=1, chats=1, messages=50, entries=40)


def compact(workspace: Workspace) -> None:
    with workspace.app(compact__max_entries=4, compact__keep_entries=3) as app:
        maintain.compact(app, dry_run=False)


def prepared(make: Callable[[], Workspace]) -> Workspace:
    workspace = make()
    live(workspace, A_WHILE)
    folder = workspace.memory / ".vault" / "checkpoints"
    folder.mkdir()
    (folder / "agent-0.json").write_text("{")
    return workspace


def still(workspace: Workspace) -> None:
    """Let the conversations have been still for hours, whatever put them back."""
    for path in (workspace.memory / "conversations").iterdir():
        os.utime(path, (workspace.long_ago().timestamp(),) * 2)


def standing(workspace: Workspace) -> tuple[object, ...]:
    memories = workspace.memories()
    places = {(memory.page, memory.id, memory.raw) for memory in memories if memory.page.category != "handoffs"}
    chats = {path.name: json.loads(path.read_text()) for path in (workspace.memory / "conversations").iterdir()}
    return places, essence(memories), chats, names(workspace)


@pytest.fixture
def reference(make) -> tuple[object, ...]:
    workspace = prepared(make)
    compact(workspace)
    return standing(workspace)


@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_after_any_durable_step(make, reference, stride):
    workspace = prepared(make)
    states = states_of(workspace, lambda: compact(workspace))
    assert len(states) > 30
    for state in states[::stride]:
        put_back(workspace, state)
        still(workspace)
        compact(workspace)
        assert standing(workspace) == reference


@pytest.mark.parametrize("stride", [70, pytest.param(1, marks=pytest.mark.slow)])
def test_after_a_disk_that_refused(make, reference, stride):
    for number in range(1, 100_000, stride):
        workspace = prepared(make)
        failing = AtStep(number, refuse(errno.ENOSPC), before=True)
        try:
            with profiled(failing):
                compact(workspace)
        except AgentMemoryError:
            pass
        if not failing.name:
            break
        still(workspace)
        compact(workspace)
        assert standing(workspace) == reference, failing.name
    assert number > 200
