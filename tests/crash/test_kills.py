"""The process is killed; what the next one leaves is the vault of one undisturbed run."""

import os
import random
import signal
import time
from functools import partial
from itertools import count

import pytest

from tests.crash.conftest import say
from tests.crash.faults import AtStep, assert_undisturbed, fork, kill, put_back, result_of, states_of
from tests.workspace import Workspace

pytestmark = [pytest.mark.timeout(1800)]


def backlog(workspace: Workspace) -> None:
    say(workspace.chat()).save(written=workspace.long_ago())


def grown(workspace: Workspace) -> None:
    """Process the conversation three times while it grows, closed by idleness in the middle of a turn."""
    chat = say(workspace.chat())
    for share, idle in ((0.3, True), (0.55, True), (0.8, False)):
        chat.save(upto=int(len(chat.data) * share), written=workspace.clock.now())
        workspace.clock.advance(hours=idle)
        workspace.process()


def finish(workspace: Workspace) -> None:
    workspace.clock.advance(days=1)
    backlog(workspace)
    assert not workspace.process().failed


@pytest.mark.parametrize("scenario", [backlog, grown])
def test_after_any_durable_step(make, undisturbed, scenario):
    workspace = make()

    def work() -> None:
        scenario(workspace)
        workspace.process()

    states = states_of(workspace, work)
    assert len(states) > 30
    for state in states:
        put_back(workspace, state)
        finish(workspace)
        assert_undisturbed(workspace, undisturbed)


@pytest.mark.parametrize("stride", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_really_killed_after_any_durable_step(make, undisturbed, stride):
    for number in count(1, stride):
        workspace = make()
        result = result_of(fork(partial(grown, workspace), AtStep(number, kill)))
        finish(workspace)

        assert_undisturbed(workspace, undisturbed)
        if result == 0:
            break
        assert result == -signal.SIGKILL
    assert number > 100


@pytest.mark.parametrize(("scenario", "workspaces"), [(backlog, 25), pytest.param(grown, 500, marks=pytest.mark.slow)])
def test_twelve_times_at_random_moments(make, undisturbed, scenario, workspaces):
    def work(workspace: Workspace) -> None:
        scenario(workspace)
        workspace.process()

    started = time.monotonic()
    assert result_of(fork(partial(work, make()))) == 0
    duration, moments = time.monotonic() - started, random.Random(workspaces)
    killed = 0
    for _ in range(workspaces):
        workspace = make()
        for _ in range(12):
            child = fork(partial(work, workspace))
            time.sleep(moments.uniform(0, duration))  # the moment of the kill, not a wait for something
            os.kill(child, signal.SIGKILL)
            killed += result_of(child) == -signal.SIGKILL
        finish(workspace)
        assert_undisturbed(workspace, undisturbed)
    assert killed  # how many depends on how busy the machine is now and then
