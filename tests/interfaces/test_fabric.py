"""Profile and notes on the command line."""

import io
import json
import sys

import pytest

from agent_memory.interfaces.cli.main import run


@pytest.fixture
def cli(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace.root)

    def _run(*words, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = run(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return _run


def answer(result):
    code, out, _ = result
    assert code == 0
    return json.loads(out)


def test_a_fact_is_set_listed_changed_and_removed(cli):
    assert cli("profile", "set", "editor", "vim", "with", "plugins")[:2] == (
        0,
        "Saved editor = vim with plugins  (workspace)\n",
    )
    assert cli("profile", "set", "editor", "vim with plugins")[1].startswith("Known already: editor")
    assert cli("profile", "set", "editor", "emacs")[0] == 0
    told = cli("profile", "set", "name", "Ana")[1]
    assert told.startswith("Saved name = Ana  (user)\n  Your own vault; `agent-memory undo --dir ")
    assert cli("profile", "set", "deploy", "never on Fridays", "--keywords", "ci, deploy")[0] == 0
    assert cli("profile", "list")[1].splitlines() == [
        "~ deploy = never on Fridays  [ci, deploy]  (workspace)",
        "* editor = emacs  (workspace)",
        "* name = Ana  (user)",
    ]

    history = cli("profile", "history", "editor")[1].splitlines()
    assert ["vim with plugins" in history[0], "emacs" in history[1], " – now " in history[1]] == [True, True, True]
    assert cli("profile", "remove", "editor")[1] == "Removed editor, which was emacs  (workspace).\n"
    assert "editor" not in cli("profile", "list")[1]
    assert cli("undo")[0] == 0
    assert "* editor = emacs" in cli("profile", "list")[1]
    assert cli("undo", "--dir", told.split("'")[1])[0] == 0
    assert "name" not in cli("profile", "list")[1]


def test_json_has_everything(cli):
    told = answer(cli("profile", "set", "editor", "vim", "--json"))
    listed = answer(cli("profile", "list", "--json"))

    assert (told["outcome"], listed["whole_from"]) == ("set", None)
    (row,) = listed["facts"]
    assert row == told["fact"]
    assert set(row) == {
        "key", "value", "pinned", "keywords", "confirmed", "valid_from", "valid_to", "recorded_at", "status", "by",
        "id", "vault",
    }  # fmt: skip
    assert answer(cli("profile", "history", "editor", "--json"))["versions"] == [row]
    assert answer(cli("profile", "remove", "editor", "--json"))["removed"]["status"] == "removed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("profile", "set", "two words", "x"), "key: must begin"),
        (("profile", "set", "editor", " "), "value: must not be empty"),
        (("profile", "set", "editor", "x", "--keywords", "!"), "keywords: number 1"),
        (("profile", "set", "editor", "x", "--from", "2999-01-01"), "from: must not be in the future"),
        (("profile", "set", "editor", "x", "--from", "soon"), "is no date"),
        (("profile", "list", "--as-of", "soon"), "is no date"),
        (("profile", "remove", "editor"), "There is no fact 'editor'"),
        (("profile", "history", "editor"), "There is no fact 'editor'"),
        (("notes", "store", " "), "content: must not be empty"),
        (("notes", "store", "x", "--tags", "t" * 41), "tags: number 1"),
        (("notes", "recall"), "query: must not be empty"),
        (("notes", "recall", "x", "-k", "0"), "k: must be from 1"),
        (("notes", "recall", "x", "--scope", "galaxy"), "galaxy"),
        (("notes", "recall", "--id", "7"), "There is no note '7'"),
        (("notes", "forget", "7", "--force"), "There is no note '7'"),
    ],
)
def test_what_cannot_be_is_said_and_makes_nothing(workspace, cli, words, said):
    code, out, err = cli(*words)

    assert (code, out) == (2, "")
    assert said in err
    assert not workspace.memory.exists()


def test_a_wrong_field_is_named_in_json_too(cli):
    code, out, _ = cli("profile", "set", "", "x", "--json")

    assert code == 2
    assert json.loads(out)["error"]["type"] == "InvalidValue"
    assert json.loads(out)["error"]["message"].startswith("key: ")


def test_a_lost_journal_is_admitted(workspace, cli):
    cli("profile", "set", "editor", "vim")
    (workspace.memory / ".vault" / "journal.jsonl").unlink()

    code, out, err = cli("profile", "list", "--known-at", "2020-01-01")

    assert (code, out) == (0, "No facts.\n")
    assert "is not known in full" in err


def test_an_unconfirmed_name_is_marked(workspace, cli):
    page = workspace.memory / "default" / "profile.md"
    cli("profile", "set", "editor", "vim")
    page.write_text(
        page.read_text(encoding="utf-8")
        .replace("fact:editor", "fact:nickname")
        .replace("editor: vim", "nickname: Zed"),
        encoding="utf-8",
    )
    cli("profile", "list")
    text = page.read_text(encoding="utf-8")
    assert "unconfirmed" not in cli("profile", "list")[1]  # a person wrote it

    from agent_memory.vault import page as pages

    (entry,) = pages.parse(text).entries
    page.write_text(
        text.replace("by:user", "by:reflection").replace(f"sum:{entry.meta['sum']}", f"sum:{entry.sum}"),
        encoding="utf-8",
    )
    assert "nickname = Zed  unconfirmed, not told" in cli("profile", "list")[1]


def test_a_note_is_stored_recalled_and_forgotten(workspace, cli, tmp_path):
    stored = answer(cli("notes", "store", "The oven needs", "ten minutes.", "--tags", "oven,#heat", "--json"))
    assert (stored["outcome"], stored["links"]) == ("stored", [])
    file = tmp_path / "note.txt"
    file.write_text("O forno precisa de dez minutos, diz a Maria, sempre.", encoding="utf-8")
    assert cli("notes", "store", "--file", str(file), "--scope", "all")[0] == 0
    assert cli("notes", "store", stdin="the oven needs ten minutes")[1] == f"Known already as {stored['id']}.\n"
    more = cli("notes", "store", "O forno precisa de dez minutos, diz a Maria, sempre e bem.", "--scope", "all")[1]
    assert "\n  relates-to " in more or "\n  supersedes " in more

    (note,) = answer(cli("notes", "recall", "oven", "--tags", "heat", "--json"))["notes"]
    assert (note["id"], note["tags"], note["content"]) == (
        stored["id"],
        ["oven", "heat"],
        "The oven needs ten minutes.",
    )
    assert cli("notes", "recall", "--id", stored["id"])[1] == "The oven needs ten minutes.\n"
    assert cli("notes", "recall", "forno", "--scope", "project")[1] == "No notes.\n"
    assert "Maria" in cli("notes", "recall", "forno")[1]

    assert cli("notes", "forget", stored["id"], stdin="")[0] == 2
    assert cli("notes", "forget", stored["id"], "--force")[1].startswith("Removed 1 entries;")
    assert cli("notes", "recall", "oven")[1] == "No notes.\n"


def test_secrets_are_warned_of(cli):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    assert "1 secret taken out" in cli("notes", "store", f"use {token} there")[2]
    assert "1 secret taken out" in cli("profile", "set", "forge", f"use {token} there")[2]


def test_what_would_steer_a_terminal_is_made_visible(cli):
    assert cli("profile", "set", "colour", "\x1b[31mred\x9b0m \u202eder\rx")[0] == 0

    code, out, _ = cli("profile", "list")
    assert (code, out) == (0, "* colour = \u241b[31mred\ufffd0m \ufffdder x  (workspace)\n")


def test_what_has_ended_is_said_to_have_ended(cli):
    cli("profile", "set", "editor", "vim")
    cli("profile", "remove", "editor")

    code, _, said = cli("profile", "remove", "editor")
    assert (code, "profile history editor" in said, "mean" in said) == (2, True, False)


@pytest.mark.parametrize("date", ["1965-03-01", "1002-01-02T00:00+00:00"])
def test_what_has_held_for_long_may_be_said(cli, date):
    assert cli("profile", "set", "lives-in", "Lisboa", "--from", date)[0] == 0
    assert f"{date[:10]} 00:00 – now" in cli("profile", "history", "lives-in")[1]
    assert "Lisboa" in cli("profile", "list", "--as-of", "1969-01-01")[1]


SECRET = "sk-proj-abcdEFGH1234567890abcdEFGH1234567890"


@pytest.mark.parametrize(
    "words",
    [
        ("notes", "store", "x", "--agent", SECRET),
        ("profile", "set", "editor", "vim", "--agent", SECRET),
        ("vault", "add", SECRET, "notes", "--content", "x"),
        ("session", "checkpoint", "--agent", SECRET),
        ("session", "sleep", "--agent", SECRET),
    ],
)
def test_no_file_is_named_by_a_secret(cli, workspace, words):
    said = {"messages": [{"role": "user", "text": "Let's keep the orders in SQLite, a backup is a plain copy."}]}

    assert cli(*words, stdin=json.dumps(said))[0] == 2
    assert [path for path in workspace.root.rglob("*") if SECRET in str(path)] == []
