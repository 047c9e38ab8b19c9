"""The command line in Portuguese: what people read is translated, what programs read is not."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from agent_memory import errors
from agent_memory.app import parts
from agent_memory.editors import splice
from agent_memory.editors.table import INTEGRATIONS
from agent_memory.errors import LockTimeout, UnknownAgent, UnknownEntry
from agent_memory.interfaces.cli import main, words
from agent_memory.interfaces.cli.examples import GROUPS
from agent_memory.interfaces.cli.main import COMMANDS, run
from agent_memory.model.language import spoken

HERE = Path(main.__file__).parent
CATALOGUE = tomllib.loads((HERE / "pt.toml").read_text(encoding="utf-8"))
MODULES = sorted(path for path in HERE.glob("*.py") if path.name not in ("examples.py", "main.py"))
# A sentence: a capital or a blank between words. What is code, or a format, is none.
SENTENCE = re.compile(r"[A-Za-z“”{}]+[,;:]? [A-Za-z“”{}]|[A-Z][a-z]+ ?[.:]$")


@pytest.fixture
def cli(workspace, monkeypatch, capsys):
    monkeypatch.chdir(workspace.root)

    def _run(*given):
        code = run(list(given))
        out, err = capsys.readouterr()
        return code, out, err

    return _run


@pytest.fixture
def portuguese(monkeypatch):
    monkeypatch.setenv("LANG", "pt_BR.UTF-8")


def fields(template: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(template) if name)


def sentences(path: Path) -> set[str]:
    """Return the sentences that a module may say, whole or as the parts of an f-string; help and docstrings aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and "typer." in ast.unparse(node.func):
            aside |= {id(one) for one in ast.walk(node)}
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("TypeError", "re.compile"):
            aside |= {id(one) for one in ast.walk(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            aside.add(id(node.value))
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in aside)
    return {node.value for node in constants if isinstance(node.value, str) and SENTENCE.search(node.value)}


# Translated by the error's facts, or not for people.
UNTRANSLATED = {
    "find.py": {"There is no kind of briefing ", "Kinds: "},
    "moving.py": {"import conversations"},
    "output.py": {" to go on without asking.", "Give "},
    "session.py": {"Standard input is not JSON: ", 'Give {"messages": [{"role": "user", "text": "…"}, …]}.'},
    "setup.py": {"changed by hand", "left alone"},
    "vault.py": {" cannot be read as text."},
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_whatever_a_module_says_is_in_the_catalogue(path: Path) -> None:
    said = sentences(path) - UNTRANSLATED.get(path.name, set())
    lacking = {one for one in said if one not in CATALOGUE["messages"] and not one.startswith(("agent_memory", "  "))}

    assert lacking == set(), "say it with tr(), and add it to pt.toml"


def test_the_help_is_in_the_catalogue() -> None:
    shown = {*GROUPS, *(summary for *_, summary in COMMANDS), main.ANYWHERE, main.ABOUT}

    assert shown <= CATALOGUE["messages"].keys()


def test_what_is_set_up_and_why_a_file_is_left_is_in_the_catalogue() -> None:
    said = [*sentences(Path(parts.__file__)), *sentences(Path(splice.__file__))]
    whys = {one for one in said if re.fullmatch(r"(It|You) .*\.", one)}

    assert len(whys) > 5
    assert whys | {row.does for row in INTEGRATIONS} <= CATALOGUE["messages"].keys()


def test_a_translation_has_the_placeholders_of_its_sentence() -> None:
    for sentence, translation in CATALOGUE["messages"].items():
        assert fields(translation) == fields(sentence), sentence
    for sentence, translation in CATALOGUE["usage"].items():
        assert translation.count("{}") == sentence.count("{}"), sentence


def test_rows_for_errors_name_a_class_and_only_facts_that_they_ask_for() -> None:
    known = {name for name, found in inspect.getmembers(errors, inspect.isclass)}
    assert set(CATALOGUE["errors"]) <= known
    for row in (row for rows in CATALOGUE["errors"].values() for row in rows):
        assert set(fields(row["message"] + row.get("hint", ""))) <= set(row["facts"])


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "pt_PT.UTF-8"}, "pt"),
        ({"LC_ALL": "C", "LANG": "pt_BR"}, "en"),
        ({"LC_MESSAGES": "pt"}, "pt"),
    ],
)
def test_the_locale_says_which_language_is_spoken(environment, language):
    assert spoken(environment) == language


def test_people_are_told_in_portuguese_and_programs_in_english(cli, portuguese):
    assert cli("search", "nada") == (0, "Nada encontrado.\n", "")
    entry = cli("vault", "add", "default", "decisions", "--content", "Preços em centavos.")[1].strip()
    assert cli("vault", "delete", "default", "decisions", entry[-6:], "--force")[1] == f"{entry} foi apagada.\n"
    code, out, err = cli("vault", "list", "defualt", "decisions")
    assert (code, out) == (2, "")
    assert err.startswith("agent-memory: Não há agente 'defualt'.\n  Você quis dizer default?")
    error = json.loads(cli("vault", "list", "defualt", "decisions", "--json")[1])["error"]
    assert error["message"] == "There is no agent 'defualt'."
    assert "Não há comando 'serch'.\n  Você quis dizer 'search'?" in cli("serch")[2]
    assert "\nCuidar:\n" in cli("--help")[1]


def test_the_setting_outweighs_the_locale(cli, workspace, portuguese, monkeypatch):
    workspace.memory.mkdir()
    (workspace.memory / "config.toml").write_text('ui.language = "en"\n', encoding="utf-8")
    assert cli("search", "nothing")[1] == "Nothing found.\n"
    monkeypatch.setenv("AGENT_MEMORY_UI_LANGUAGE", "pt")
    assert cli("search", "nothing")[1] == "Nada encontrado.\n"
    monkeypatch.delenv("LANG")
    assert "\nCuidar:\n" in cli("--help")[1]


def test_an_error_that_the_catalogue_lacks_stays_as_it_is(portuguese):
    words.speak()

    assert words.error_text(UnknownEntry("Gone.", hint="Look.")) == ("Gone.", "Look.")
    assert words.error_text(UnknownAgent("…", agent="a{b}", known="x"))[0] == "Não há agente 'a{b}'."
    assert words.error_text(LockTimeout("…", path="p", holder="pid 7"))[0] == "p está em uso por pid 7."
    words.speak("en")
    assert words.error_text(UnknownAgent("No.", agent="a", known="x")) == ("No.", "")
