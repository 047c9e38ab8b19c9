"""Each thing that happens to transcripts, end to end: what comes of it is a golden vault."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_memory.app.ingest import Tally
from agent_memory.sources.cursor import cursor_slug
from tests.matrix.cases import CASES, Case, plain
from tests.workspace import Workspace, essence

GOLDEN = Path(__file__).parents[1] / "golden" / "matrix"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
AS_PLAIN = "The vault is that of plain.md."


@contextmanager
def a_workspace() -> Iterator[Workspace]:
    """A workspace at a path of ordinary length, beside its HOME."""
    folder = Path(tempfile.mkdtemp(prefix="am-matrix-")).resolve()
    (folder / "code" / "shop" / ".git").mkdir(parents=True)
    (folder / "home").mkdir()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(folder / "home"))
            yield Workspace(folder / "code" / "shop", folder / "home")
    finally:
        shutil.rmtree(folder)


@cache
def of_the_plain_talk() -> frozenset[tuple[Any, ...]]:
    with a_workspace() as workspace:
        plain(workspace)
        workspace.process()
        return frozenset(essence(workspace.memories()))


def outcome(workspace: Workspace, tally: Tally, *, same: bool) -> str:
    """The run and the vault as text, with nothing in it that depends on where the test runs."""
    lines = [f"conversations: {tally.sessions_found}", f"lines skipped: {tally.skipped_lines}"]
    lines += [f"error: {each.path}: {each.message}" for each in tally.errors]
    lines += [f"alarm: {alarm.sentence}" for alarm in tally.alarms]
    lines += ["", AS_PLAIN] if same else vault_as_text(workspace)
    folder = str(workspace.home.parent)
    return "\n".join(dict.fromkeys(lines)).replace(folder, "~").replace(cursor_slug(folder), "~") + "\n"


def vault_as_text(workspace: Workspace) -> Iterator[str]:
    for memory in sorted(workspace.memories(), key=lambda one: (one.page.agent, one.page.category, one.body)):
        status = f" ({memory.status})" if memory.status else ""
        yield f"\n## {memory.page.agent}/{memory.page.category} {memory.at:%Y-%m-%d %H:%M}{status}\n{memory.body}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_comes_of_it(case: Case):
    with a_workspace() as workspace:
        case.make(workspace)
        tally = workspace.process()
        if case.same:
            assert essence(workspace.memories()) == of_the_plain_talk()
        found = outcome(workspace, tally, same=case.same and case.name != "plain")

    golden = GOLDEN / f"{case.name}.md"
    if UPDATE:
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def test_the_plain_talk_has_something_of_each_kind():
    assert {each[0] for each in of_the_plain_talk()} == {"decisions", "lessons", "tasks", "handoffs"}


def test_every_golden_vault_has_its_case():
    assert {path.stem for path in GOLDEN.glob("*.md")} <= {case.name for case in CASES}
