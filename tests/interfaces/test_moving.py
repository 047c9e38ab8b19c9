"""Moving in and out on the command line: what is printed, as text and as JSON."""

import json

import pytest

from agent_memory.interfaces.cli.main import run
from tests.npm_vault import installed


@pytest.fixture
def cli(workspace, monkeypatch, capsys):
    monkeypatch.chdir(installed(workspace).root)

    def _run(*words):
        code = run(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return _run


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["import", "npm", "--dry-run"], {"taken", "skipped", "dry_run"}),
        (["migrate", "--dry-run"], {"taken", "skipped", "dry_run"}),
        (["export", "obsidian", "notes"], {"taken", "skipped", "pruned", "unchanged"}),
        (["export", "json"], {"format", "project", "entries"}),
        (["export", "json", "memory.json"], {"path", "changed"}),
        (["project", "refresh"], {"path", "changed", "words", "too_long", "lines", "dry_run"}),
    ],
)
def test_every_answer_is_json_if_wanted(cli, words, keys):
    code, out, _ = cli(*words, "--json")

    assert (code, set(json.loads(out))) == (0, keys)


def test_what_was_skipped_is_named_once_for_each_reason(cli, workspace):
    cli("import", "npm")
    path = workspace.memory / ".vault" / "processed-transcripts.json"
    gone = {f"gone-{number}": {"lastLine": 1, "handoffGenerated": True} for number in range(8)}
    path.write_text(json.dumps(gone), encoding="utf-8")

    _, out, _ = cli("import", "npm")

    assert "Left gone-0, gone-1, gone-2, gone-3, gone-4 and 3 more: its transcript is not here." in out
    assert "Left ana.json, dev.json: has a bookmark already." in out


def test_a_long_project_page_is_warned_of(cli, workspace):
    (workspace.memory / "_project.md").write_text("word " * 501, encoding="utf-8")

    code, _, err = cli("project", "refresh")

    assert (code, "words; over 500" in err) == (0, True)


def test_a_place_that_cannot_be_is_one_sentence_and_no_traceback(cli):
    for words in (["export", "obsidian", ".memory"], ["import", "conversations", "nowhere"], ["--dir", ".", "migrate"]):
        code, _, err = cli(*words)

        assert code in (1, 2), words
        assert "Traceback" not in err
        assert err.strip()
