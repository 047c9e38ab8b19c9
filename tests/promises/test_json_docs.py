"""docs/json.md says what commands answer with --json: each section is held against a real answer."""

from __future__ import annotations

import pytest
import typer.main

from agent_memory.interfaces.cli.main import build
from tests.prepared import commands
from tests.shapes import PAGE, section, sections
from tests.workspace import Workspace

SECTIONS = sections(PAGE.read_text(encoding="utf-8"))
PATHS = commands(typer.main.get_command(build(None)))


@pytest.mark.parametrize("path", PATHS)
def test_the_page_has_what_the_command_answers(path: str, ready: Workspace) -> None:
    assert path in SECTIONS, "run: python -m tests.shapes"
    assert SECTIONS[path].rstrip() == section(path, ready).rstrip(), "run: python -m tests.shapes"


def test_the_page_has_no_command_that_is_no_more() -> None:
    assert set(SECTIONS) == set(PATHS)
