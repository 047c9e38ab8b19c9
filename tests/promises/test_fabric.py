"""docs/fabric.md is followed: its commands, its program, and the tests that its table names."""

import re
import shlex
from pathlib import Path

import pytest

from agent_memory.interfaces.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "fabric.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_every_command_of_the_page_does_what_it_says(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace.root)
    said = []
    for words in (shlex.split(line) for block in blocks("sh") for line in block.splitlines()):
        code = run(words[1:])
        out, err = capsys.readouterr()
        assert (words[0], code, err) == ("agent-memory", 0, ""), words
        said.append((" ".join(words[2:4]), out))
    answers = dict(said)

    assert "emacs" in answers["history editor"]
    assert "removed" in answers["history editor"]
    assert answers["list --as-of"] == "* shell = fish  (workspace)\n"
    assert answers["list --known-at"] == "No facts.\n"
    assert answers["recall build"].count("node") == 4
    assert answers["recall --tags"].startswith("1")
    assert "Respostas curtas" in answers["recall respostas"]


def test_the_program_of_the_page_runs(workspace, monkeypatch):
    monkeypatch.chdir(workspace.root)
    (program,) = blocks("python")

    exec(compile(program, "docs/fabric.md", "exec"), {})

    assert (workspace.memory / "default" / "notes.md").exists()


@pytest.mark.parametrize("name", re.findall(r"`(test_\w+)`", PAGE[PAGE.index("| | the mistake") :]))
def test_every_test_that_the_table_names_is_there(name):
    found = [path for path in (ROOT / "tests").rglob("test_*.py") if f"def {name}(" in path.read_text(encoding="utf-8")]

    assert len(found) == 1
