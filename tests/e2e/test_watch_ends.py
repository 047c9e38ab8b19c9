"""The watcher as a process: it ends with its terminal and with whoever started it, and leaves only the vault."""

import os
import signal
import subprocess
import sys

import pytest

from tests.app.test_watch import eventually, watcher

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")]

WATCH = [sys.executable, "-m", "agent_memory", "watch", "--wait-for-transcripts"]


def start(workspace, command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=workspace.root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_it_ends_when_its_terminal_goes_away(workspace):
    with start(workspace, WATCH) as process:
        eventually(lambda: watcher(workspace) != "", within_s=20)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=20)

    assert (process.returncode, err.splitlines()[-1]) == (0, "Stopped.")
    assert sorted(path.name for path in workspace.root.iterdir()) == [".git", ".memory", "README.md"]
    assert watcher(workspace) == ""


def test_it_ends_when_whoever_started_it_was_killed(workspace):
    editor = f"import subprocess; subprocess.run({WATCH!r})"
    with start(workspace, [sys.executable, "-c", editor]) as process:
        eventually(lambda: watcher(workspace) != "", within_s=20)
        process.kill()
        eventually(lambda: watcher(workspace) == "", within_s=20)
        _, err = process.communicate(timeout=20)

    assert err.splitlines()[-1].startswith("Ended, since")
