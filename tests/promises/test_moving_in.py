"""docs/moving-in.md is followed from start to end, in a workspace as the package leaves it."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory.interfaces.cli.main import run
from tests.npm_vault import FIXTURE, NEW, TAKEN, installed, untouched

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "moving-in.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]


def test_the_page_is_followed_from_start_to_end(workspace, monkeypatch, capsys):
    monkeypatch.chdir(installed(workspace).root)
    (workspace.root / "go.mod").write_text("module x\n\ngo 1.22\n", encoding="utf-8")
    backup = shutil.copytree(FIXTURE / "memory" / "conversations", workspace.root / "backup" / "conversations")
    (backup / "dev.json").unlink()  # what is read at once here was read by halves there
    said = {}
    for number, words in enumerate(map(shlex.split, COMMANDS)):
        before = workspace.files()
        code = run(words[1:])
        out, err = capsys.readouterr()
        said[number, shlex.join(words[1:])] = out
        assert (words[0], code, out != "") == ("agent-memory", 0, True), (words, err)
        assert "--dry-run" not in words or workspace.files() == before, words

    kept = {name: workspace.files()[name] for name in untouched()}
    first, second = [out for (_, words), out in said.items() if words == "process"]
    assert all(data in kept[name] for name, data in untouched().items())
    assert "catalogue" in next(out for (_, words), out in said.items() if words.startswith("inject"))
    assert re.match(r"Took [1-9]", first)
    assert second.startswith(("Took 0 decisions, 0 lessons, 0 tasks, 0 handoffs", "5 conversations were up to date"))
    conversations = {memory.origin.conversation for memory in workspace.memories() if memory.origin}
    assert NEW in conversations
    assert TAKEN not in conversations
    assert {"Rita.md.bak", "Rita/tasks.md"} <= workspace.files().keys()
    assert b"- Go 1.22 (go.mod)" in workspace.files()["_project.md"]
    assert len(list((workspace.root / "notes").rglob("*.md"))) == len(workspace.memories())


def test_every_way_in_and_out_is_on_the_page():
    told = {" ".join(shlex.split(command)[1:3]) for command in COMMANDS}

    assert {"import npm", "import conversations", "export obsidian", "export json", "project refresh"} <= told
    assert any(command.startswith("agent-memory migrate") for command in COMMANDS)


@pytest.mark.e2e
def test_the_script_is_the_command(workspace):
    script = [sys.executable, str(ROOT / "scripts" / "import_conversations.py")]
    done = subprocess.run(
        [*script, str(FIXTURE / "transcripts")], cwd=workspace.root, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert re.match(r"Took [1-9]\d* decisions", done.stdout)
    assert workspace.memories()
