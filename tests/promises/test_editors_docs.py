"""What docs/editors.md says is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory.app.setup import NAMES
from agent_memory.editors.table import HOOK_EVENTS, INTEGRATIONS
from agent_memory.interfaces.hook.events import EVENTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")


def test_every_part_and_file_is_in_the_table():
    rows = "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))

    assert all(f"`{row.path}`" in rows for row in INTEGRATIONS)
    assert set(re.findall(r"^\| `([\w-]+)` \| `", rows, re.MULTILINE)) == set(NAMES)


def test_every_event_is_in_the_table_with_whether_it_is_registered():
    table = PAGE.partition("## The hooks")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    said = {event: answer.strip() for names, answer in rows for event in re.findall(r"`(\w+)`", names)}

    assert said == {event: "yes" if event in HOOK_EVENTS else said[event] for event in EVENTS}
    assert [said[event] for event in EVENTS if event not in HOOK_EVENTS] == ["no", "with `hooks.prompts`"]


@pytest.mark.e2e
def test_its_commands_work_and_leave_only_the_memory(tmp_path):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "agent-memory"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_memory "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    script = re.search(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert script

    done = subprocess.run(
        ["bash", "-ec", f'PATH="{tmp_path}/bin:$PATH"\n{script[1]}'],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "Prices are stored in cents" in done.stdout
    assert ".cursor/rules/agent-memory.mdc: installed" in done.stdout
    assert {path.name for path in project.iterdir()} == {".git", ".memory"}
