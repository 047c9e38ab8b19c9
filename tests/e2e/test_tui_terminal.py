"""The terminal screen as a real program: in tmux at 80 by 24, on a bare terminal, and where there is none."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_memory.system import locks
from tests import bakery
from tests.terminal import closed_upon, run_on_terminal
from tests.tui import squeezed

pytestmark = pytest.mark.e2e

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tui.md").read_text(encoding="utf-8")
DEADLINE_S = 90


@pytest.fixture
def shop(home):
    return bakery.opened(home)


class Tmux:
    """Our program in a tmux of its own."""

    def __init__(self, folder, **environment):
        self._server = f"agent-memory-{uuid.uuid4().hex[:8]}"
        given = {**os.environ, "LANG": "C.UTF-8", "TERM": "xterm", **environment}
        size = ("-x", "80", "-y", "24", "-c", str(folder))
        program = f"{sys.executable} -m agent_memory tui; echo ended with $?; cat"
        self._tmux("-f", os.devnull, "-u", "new-session", "-d", *size, program, env=given)

    def press(self, *keys):
        self._tmux("send-keys", *keys)

    def shows(self, words):
        """Wait for these words, and return the screen once it stands still."""
        limit, before = time.monotonic() + DEADLINE_S, None
        while True:
            screen = self._tmux("capture-pane", "-p")
            if words in screen and screen == before:
                return squeezed(screen)
            assert time.monotonic() < limit, f"{words!r} never came:\n{screen}"
            before = screen
            time.sleep(0.05)

    def close(self):
        self._tmux("kill-server")

    def _tmux(self, *words, env=None):
        command = ["tmux", "-L", self._server, *words]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
@pytest.mark.parametrize("no_colour", [True, False])
def test_in_tmux_it_looks_as_the_page_shows_it_and_an_editor_gets_the_terminal(shop, tmp_path, no_colour):
    blocks = dict(re.findall(r"^### ([^\n]+)\n\n```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL))
    pen = tmp_path / "pen"
    pen.write_text('#!/bin/sh\nstty -a | grep -q " echo " && echo "Com casca." >> "$1"\n')
    pen.chmod(0o755)
    screen = Tmux(shop.root, EDITOR=str(pen), **({"NO_COLOR": "1"} if no_colour else {}))
    try:
        screen.shows("timezone")
        screen.press("7")
        assert screen.shows("Decisions · 1/3") == blocks["Decisions"]
        screen.press("End", "Enter")
        assert screen.shows("wheat sours too fast.»") == blocks["Decisions, an entry"]
        screen.press("Escape")
        screen.shows("Decisions · 3/3")
        screen.press("e")
        screen.shows("Saved")
        screen.press("q")
        screen.shows("ended with 0")
    finally:
        screen.close()
    page = (shop.memory / "default" / "decisions.md").read_text(encoding="utf-8")
    assert "wheat sours too fast.\nCom casca." in page


def test_what_is_remembered_reaches_the_terminal_as_signs_and_what_was_asked_is_done_before_it_ends(shop):
    code, written = run_on_terminal(["tui"], shop.root, ("timezone", "2"), ("lies[/]", "xq"))

    assert code == 0
    assert "\x1b]0;owned" not in written
    assert "centeio" not in (shop.memory / "default" / "notes.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_a_signal_gives_the_terminal_back(shop, number):
    code, written = run_on_terminal(["tui"], shop.root, ("timezone", number))

    assert code == 0
    assert written.rindex("\x1b[?1049l") > written.rindex("\x1b[?1049h")


def test_a_terminal_that_is_closed_leaves_no_process_and_what_was_asked_is_done(shop):
    def told_again(child):  # as the end of a shell between does
        os.kill(child, signal.SIGCONT)
        held.close()

    with ExitStack() as held:
        held.enter_context(locks.locked(shop.memory / ".vault" / "vault.lock", timeout_s=1))
        # this terminal can draw in one go, as it says, so that every drawing is three writes
        steps = ("timezone", "\x1b[?2026;1$y2"), ("lies[/]", "x"), ("Notes · 1/1", "")
        code = closed_upon(["tui"], shop.root, *steps, then=told_again)

    assert code == 0
    assert "centeio" not in (shop.memory / "default" / "notes.md").read_text(encoding="utf-8")


def test_without_a_terminal_it_says_so(shop):
    done = subprocess.run(
        [sys.executable, "-m", "agent_memory", "tui"], cwd=shop.root, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.startswith("agent-memory: The screen needs a terminal.")


def test_without_the_extra_one_sentence_says_how_to_get_it(shop):
    program = "import sys; sys.modules['textual'] = None; from agent_memory.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "tui"], cwd=shop.root, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "agent-memory: The terminal screen needs the extra `tui`, which is not installed.",
        '  pip install "agent-memory[tui]"',
    ]
