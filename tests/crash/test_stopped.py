"""A process is stopped, not ended, wherever it is; the others wait as long as they were told, and then say for whom."""

import os
import signal
import time
from datetime import timedelta

import pytest

from agent_memory.app import ingest, recall, vault
from agent_memory.app.ingest import Options
from agent_memory.errors import LockTimeout
from agent_memory.model.recall import Query
from tests.crash.conftest import say
from tests.crash.faults import AtStep, assert_undisturbed, fork, result_of, stop
from tests.crash.test_kills import backlog, finish
from tests.workspace import Workspace

PATIENCE_S = 0.4


def stopped_while_writing(workspace: Workspace) -> int:
    """Return a process that was stopped in the middle of a batch, with the vault's lock in its hands."""
    journal = workspace.memory / ".vault" / "journal.jsonl"

    def act(name: str) -> None:
        if journal.exists() and journal.stat().st_size:
            stop()
        else:
            profiler.number = 1

    profiler = AtStep(1, act)
    return stopped(fork(workspace.process, profiler))


def stopped(child: int) -> int:
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return child


def go_on(child: int) -> int:
    os.kill(child, signal.SIGCONT)
    return result_of(child)


def test_others_wait_for_the_lock_and_then_say_who_holds_it(make, undisturbed):
    workspace = make()
    backlog(workspace)
    child = stopped_while_writing(workspace)
    try:
        with workspace.app(vault__lock_timeout_s=PATIENCE_S) as app:
            started = time.monotonic()
            tally = ingest.process(app, Options(app.agent, timedelta(minutes=5)))
            waited = time.monotonic() - started
            with pytest.raises(LockTimeout, match=str(child)):
                vault.add(app, app.agent, "decisions", "Use Postgres.", [])
            recall.search(app, Query("Redis"))  # reading waits for nobody
    finally:
        result = go_on(child)
    finish(workspace)

    assert [str(child) in trouble.message for trouble in tally.errors] == [True]
    assert PATIENCE_S <= waited < PATIENCE_S + 5
    assert result == 0
    assert_undisturbed(workspace, undisturbed)


def test_a_stopped_process_that_is_killed_gives_the_lock_away(make, undisturbed):
    workspace = make()
    backlog(workspace)
    child = stopped_while_writing(workspace)
    os.kill(child, signal.SIGKILL)
    assert result_of(child) == -signal.SIGKILL
    finish(workspace)

    assert_undisturbed(workspace, undisturbed)


@pytest.mark.parametrize("step", range(1, 30, 4))
@pytest.mark.parametrize("share", [0.35, 0.6])
def test_what_was_read_before_a_long_stop_does_no_harm_behind_it(make, undisturbed, step, share):
    workspace = make()
    chat = say(workspace.chat())
    chat.save(upto=int(len(chat.data) * share), written=workspace.long_ago())
    child = stopped(fork(workspace.process, AtStep(step, stop)))
    chat.save(written=workspace.long_ago())
    with workspace.app(vault__lock_timeout_s=PATIENCE_S) as app:
        ingest.process(app, Options(app.agent, timedelta(minutes=5)))
    go_on(child)
    finish(workspace)

    assert_undisturbed(workspace, undisturbed)
