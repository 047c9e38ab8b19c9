"""What a terminal gets: rows that fit, colours unless they are not wanted; a pipe gets neither."""

import io
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.interfaces.cli.output import patience
from agent_memory.interfaces.cli.screen import coloured, fitted, has_colours
from tests.app.test_watch import eventually
from tests.prepared import prepare


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(stream, environment, wanted):
    assert has_colours(stream, environment) is wanted


def test_a_row_is_cut_by_what_it_takes_on_the_screen():
    assert fitted("abcdef\nabc", 5) == "abcd…\nabc"
    assert fitted("日本語です", 6) == "日本…"
    assert fitted("cafe\u0301s", 5) == "cafe\u0301s"
    assert fitted("abcdef", None) == "abcdef"


@given(st.text(), st.integers(4, 40))
def test_no_row_is_longer_than_the_screen_and_every_row_is_there(text, width):
    done = fitted(text, width)

    assert done.count("\n") == text.count("\n")
    assert all(len(line) <= width or any(ord(char) > 126 for char in line) for line in done.split("\n"))


def test_ids_and_dates_are_coloured_and_words_are_not():
    assert coloured("1773679871839  2026-03-16T16:51  Costs 12.") == (
        "\x1b[36m1773679871839\x1b[0m  \x1b[2m2026-03-16T16:51\x1b[0m  Costs 12."
    )


def test_who_waits_is_told_what_for_until_it_is_done(monkeypatch):
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with patience("Indexing", after_s=0.01):
        eventually(lambda: screen.getvalue() == "Indexing…", within_s=20)
    assert screen.getvalue() == "Indexing…\r\x1b[K"

    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with patience("Indexing", after_s=3600):
        pass
    assert screen.getvalue() == ""


@pytest.mark.e2e
@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
def test_a_real_terminal_of_forty_columns(workspace):
    import pty
    import termios

    prepare(workspace)
    shown = {}
    for no_colour in ("", "1"):
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 40))
        environment = {**os.environ, "NO_COLOR": no_colour, "TERM": "xterm"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "agent_memory", "vault", "list", "default", "decisions"]
        subprocess.run(command, cwd=workspace.root, env=environment, stdout=theirs, check=True)
        os.close(theirs)
        shown[no_colour] = os.read(ours, 10_000).decode().splitlines()
        os.close(ours)

    assert all(len(line) <= 40 for line in shown["1"])
    assert any(line.endswith("…") for line in shown["1"])
    assert "\x1b" not in "".join(shown["1"])
    assert "\x1b[36m1773679871840\x1b[0m" in shown[""][0] + shown[""][1]
