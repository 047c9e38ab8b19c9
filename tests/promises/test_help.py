"""The help: every command stands in it by task, and its examples are run as they are shown."""

from __future__ import annotations

import contextlib
import io

import pytest
import typer.main

from agent_memory.interfaces.cli.examples import EXAMPLES, GROUPS
from agent_memory.interfaces.cli.main import COMMANDS, build, run
from tests.prepared import commands, examples, execute
from tests.workspace import Workspace

PATHS = commands(typer.main.get_command(build(None)))


@pytest.mark.parametrize("path", PATHS)
def test_every_command_has_examples_that_work(path: str, ready: Workspace) -> None:
    shown = examples(path)

    assert 1 <= len(shown) <= 3, f"give {path} an example in interfaces/cli/examples.py"
    for line in shown:
        done = execute(line, ready)
        assert done.code == 0, (line, done)
        assert "Traceback" not in done.err


def test_every_command_stands_under_one_task() -> None:
    placed = " ".join(GROUPS.values()).split()

    assert len(placed) == len(set(placed))
    assert {name for name, *_ in COMMANDS} <= set(placed)
    assert set(EXAMPLES) >= set(PATHS)


def test_the_help_of_everything_shows_the_tasks() -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["--help"]) == 0
    places = [out.getvalue().index(f"\n{title}:\n") for title in GROUPS]

    assert places == sorted(places)
