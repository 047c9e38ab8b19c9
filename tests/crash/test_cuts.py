"""The file is read wherever its writer happens to be; in the end the vault is that of one undisturbed run."""

import os
import subprocess
import sys

import pytest

from tests.crash.conftest import say
from tests.crash.faults import assert_undisturbed, put_back
from tests.workspace import Chat, Workspace, essence

pytestmark = pytest.mark.timeout(1800)


def read_at(workspace: Workspace, chat: Chat, cut: int, *, idle: bool) -> None:
    """Process the file's beginning; that it may hold nothing yet is reported, and no matter here."""
    chat.save(upto=cut, written=workspace.clock.now())
    workspace.clock.advance(hours=idle)
    workspace.process()


@pytest.mark.parametrize("idle_at", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_read_at_every_byte_as_it_grows(make, undisturbed, idle_at):
    workspace = make()
    chat = say(workspace.chat())
    for cut in range(len(chat.data)):
        read_at(workspace, chat, cut, idle=cut % idle_at == 0)
    read_at(workspace, chat, len(chat.data), idle=True)

    assert_undisturbed(workspace, undisturbed)


@pytest.mark.parametrize("stride", [31, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("idle", [True, False], ids=["idle", "busy"])
def test_read_at_one_byte_and_then_whole(make, undisturbed, idle, stride):
    workspace = make()
    chat = say(workspace.chat())
    line_ends = [sum(map(len, chat.lines[:count])) for count in range(len(chat.lines))]
    for cut in sorted({*range(0, len(chat.data), stride), *line_ends, *(end - 1 for end in line_ends[1:])}):
        put_back(workspace, {})
        read_at(workspace, chat, cut, idle=idle)
        read_at(workspace, chat, len(chat.data), idle=True)
        assert_undisturbed(workspace, undisturbed)


def run(workspace: Workspace) -> int:
    words = [sys.executable, "-m", "agent_memory", "process", "--threshold", "60"]
    done = subprocess.run(words, check=False, cwd=workspace.root, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode


@pytest.mark.e2e
@pytest.mark.parametrize("cuts", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_the_real_program_run_while_it_grows(make, cuts):
    reference = make()
    say(reference.chat()).save(written=reference.long_ago())
    assert run(reference) == 0

    workspace = make()
    chat = say(workspace.chat())
    size = len(chat.data)
    for number in range(1, cuts + 1):
        chat.save(upto=size * number // cuts, written=workspace.long_ago())
        if number % 2:
            os.utime(chat.path)  # still being written to, so nothing is closed for being idle
        run(workspace)

    assert run(workspace) == 0
    assert essence(workspace.memories()) == essence(reference.memories())
    assert len({memory.key for memory in workspace.memories()}) == len(workspace.memories())
