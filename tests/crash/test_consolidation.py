"""Consolidation is killed, its disk refuses, two do it at once; in the end it is as one undisturbed run leaves it."""

import errno
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from agent_memory.app import notes
from agent_memory.app.consolidate import consolidate
from agent_memory.errors import AgentMemoryError
from agent_memory.fabric.lessons import parents_of
from tests.app.test_consolidate import REPLY
from tests.crash.faults import AtStep, fork, kill, names, profiled, put_back, refuse, result_of, states_of
from tests.jobs.test_consolidate import DATES, LOCKS, NOISE
from tests.servers import model_server, says
from tests.workspace import Workspace

pytestmark = [pytest.mark.timeout(1800)]


def run(workspace: Workspace) -> None:
    with workspace.app() as app:
        consolidate(app)


def prepared(make: Callable[[], Workspace]) -> Workspace:
    workspace = make()
    with workspace.app() as app:
        for text in (*LOCKS, *DATES, *NOISE):
            notes.store(app, text, by="agent")
            workspace.clock.advance(minutes=1)
    workspace.clock.advance(days=2)
    return workspace


def standing(workspace: Workspace) -> tuple[list[tuple[str, str, str, str]], list[list[str]], set[str]]:
    """Return what stands where, each lesson by what it rests on: its id is of the moment."""
    memories = workspace.memories()
    made = {memory.id for memory in memories if parents_of(memory)}
    lessons = {memory.id: sorted({*parents_of(memory)} - made) for memory in memories if parents_of(memory)}
    places = sorted(
        (memory.page.path, memory.body, memory.status or "", str(lessons.get(memory.meta.get("superseded-by", ""))))
        for memory in memories
    )
    with workspace.app() as app:
        assert not app.mirror.check(app.shelf.page_states())
    return places, sorted(lessons.values()), names(workspace)


@pytest.fixture
def reference(make) -> tuple[list[tuple[str, str, str, str]], list[list[str]], set[str]]:
    workspace = prepared(make)
    run(workspace)
    found = standing(workspace)
    assert len(found[1]) == 2
    return found


@pytest.mark.parametrize("stride", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_after_any_durable_step(make, reference, stride):
    workspace = prepared(make)
    states = states_of(workspace, lambda: run(workspace))
    assert len(states) > 10
    for state in states[::stride]:
        put_back(workspace, state)
        workspace.clock.advance(minutes=1)
        run(workspace)
        assert standing(workspace) == reference


def test_after_any_durable_step_with_a_model_that_is_asked_once(make):
    with model_server(says(REPLY)) as server:

        def distil(workspace: Workspace) -> None:
            with workspace.app(**server.settings()) as app:
                consolidate(app)

        workspace = make()
        with workspace.app() as app:
            for text in LOCKS:
                notes.store(app, text, by="agent")
        workspace.clock.advance(days=2)
        states = states_of(workspace, partial(distil, workspace))
        expected, asked = standing(workspace), []
        for state in states[::3]:
            put_back(workspace, state)
            workspace.clock.advance(minutes=2)
            before = len(server.requests)
            distil(workspace)
            asked.append(len(server.requests) - before)
            assert standing(workspace) == expected

    assert asked == sorted(asked, reverse=True)
    assert (asked[0], asked[-1]) == (1, 0)


@pytest.mark.parametrize("stride", [60, pytest.param(3, marks=pytest.mark.slow)])
def test_after_a_disk_that_was_full(make, reference, stride):
    for number in range(1, 100_000, stride):
        workspace = prepared(make)
        failing = AtStep(number, refuse(errno.ENOSPC), before=True)
        with suppress(AgentMemoryError), profiled(failing):
            run(workspace)
        if not failing.name:
            break
        run(workspace)
        assert standing(workspace) == reference
    assert number > 1


def test_really_killed_and_two_at_once(make, reference):
    for number in (5, 25, 60):
        workspace = prepared(make)
        killed = fork(partial(run, workspace), AtStep(number, kill))
        other = fork(partial(run, workspace))
        assert result_of(killed) in (0, -9)
        assert result_of(other) == 0
        run(workspace)
        assert standing(workspace) == reference
