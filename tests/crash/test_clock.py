"""The clock jumps back and forward by a year; what is taken does not depend on it."""

from datetime import timedelta

import pytest

from tests.crash.conftest import say
from tests.crash.faults import assert_undisturbed
from tests.workspace import Workspace, essence

A_YEAR = timedelta(days=365)


def jump(workspace: Workspace, by: timedelta) -> None:
    workspace.clock.moment += by


@pytest.mark.parametrize("jumps", [(1, -1), (-1, 1), (1, 1), (-1, -1), (1, -2), (-2, 2)])
def test_the_clock_jumps_while_the_conversation_grows(make, undisturbed, jumps):
    workspace = make()
    chat = say(workspace.chat())
    for share, years in zip((0.4, 0.7), jumps, strict=True):
        chat.save(upto=int(len(chat.data) * share), written=workspace.clock.now())
        workspace.clock.advance(hours=1)
        workspace.process()
        jump(workspace, years * A_YEAR)
    chat.save(written=workspace.clock.now())
    workspace.clock.advance(hours=1)
    assert not workspace.process().failed

    assert_undisturbed(workspace, undisturbed)


@pytest.mark.parametrize("years", [1, -1])
def test_the_clock_jumps_between_the_write_and_the_run(make, undisturbed, years):
    workspace = make()
    say(workspace.chat()).save(written=workspace.clock.now())
    jump(workspace, years * A_YEAR)
    workspace.process()

    assert_undisturbed(workspace, undisturbed)


@pytest.mark.parametrize("years", [1, -1])
def test_reading_it_all_again_after_a_jump_changes_nothing(make, undisturbed, years):
    workspace = make()
    say(workspace.chat()).save(written=workspace.long_ago())
    workspace.process()
    jump(workspace, years * A_YEAR)
    (workspace.memory / ".vault" / "state.sqlite3").unlink()
    workspace.process(full=True)
    jump(workspace, -years * A_YEAR)
    workspace.process(full=True)

    assert_undisturbed(workspace, undisturbed)


def test_a_chat_without_times_is_taken_once_whatever_the_clock_says(make):
    def untimed(workspace: Workspace) -> Workspace:
        chat = workspace.chat()
        chat.at = None
        say(chat).save(written=workspace.long_ago())
        workspace.process()
        return workspace

    reference, workspace = untimed(make()), untimed(make())
    for years in (1, -2, 1):
        jump(workspace, years * A_YEAR)
        workspace.process(full=True)

    assert essence(workspace.memories()) == essence(reference.memories())
    assert len(workspace.memories()) == len(reference.memories())
