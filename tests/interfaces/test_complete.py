"""What a shell offers behind a Tab."""

import pytest

from agent_memory.app import vault
from agent_memory.interfaces.cli.main import run
from tests.prepared import prepare


@pytest.fixture
def tab(workspace, monkeypatch, capsys):
    prepare(workspace)
    monkeypatch.chdir(workspace.root)
    monkeypatch.setattr("sys.argv", ["agent-memory"])

    def _tab(line):
        words = line.split(" ")
        monkeypatch.setenv("_AGENT_MEMORY_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        with pytest.raises(SystemExit):
            run([])
        return capsys.readouterr().out.split()

    return _tab


@pytest.fixture
def fish(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace.root)
    monkeypatch.setattr("sys.argv", ["agent-memory"])

    def _offers(line):
        monkeypatch.setenv("_AGENT_MEMORY_COMPLETE", "complete_fish")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        with pytest.raises(SystemExit):
            run([])
        return capsys.readouterr().out.splitlines()

    return _offers


@pytest.mark.parametrize("columns", ["40", "200"])
@pytest.mark.parametrize("body", ["Close it with [/b], not [bold] or [link=x].", "É longa, " * 30, "[1] \\[x] ]["])
def test_whatever_an_entry_says_is_one_line_of_what_is_offered(fish, workspace, monkeypatch, body, columns):
    monkeypatch.setenv("COLUMNS", columns)
    with workspace.app() as app:
        memory = vault.add(app, "default", "notes", body, ()).memory

    [line] = fish("agent-memory why 17")
    assert line.startswith(f"{memory.id}\t{body[:9]}")


def test_agents_categories_and_ids_are_offered(tab):
    assert tab("agent-memory vault get def") == ["default"]
    assert tab("agent-memory vault get default le") == ["lessons"]
    assert tab("agent-memory vault get default notes 17") == ["1773679871901"]
    assert tab("agent-memory search --category dec") == ["decisions"]
    assert {"1773679871839", "1773679871901"} <= set(tab("agent-memory why 17"))
    assert tab("agent-memory vo") == ["vote"]


def test_where_the_vault_cannot_be_read_nothing_is_offered_and_nothing_said(tab, workspace):
    (workspace.memory / "config.toml").write_text("nonsense = 1\n", encoding="utf-8")

    assert tab("agent-memory vault get def") == []
    assert tab("agent-memory why 17") == []
