"""The command line in Portuguese: what people read is translated, what programs read is not."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import typer

from agent_memory.app import parts
from agent_memory.editors import splice
from agent_memory.editors.table import INTEGRATIONS
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


# Parts of sentences, which are translated whole, or not for people.
UNTRANSLATED = {
    "find.py": {"There is no kind of briefing ", "Kinds: "},
    "moving.py": {"import conversations"},
    "output.py": {" to go on without asking.", "Give "},
    "session.py": {"Standard input is not JSON: ", 'Give {"messages": [{"role": "user", "text": "…"}, …]}.'},
    "setup.py": {"changed by hand", "left alone"},
    "given.py": {" cannot be read as text."},
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
    for sentence, translation in CATALOGUE["said"].items():
        named = [int(number) for number in re.findall(r"{(\d)}", translation)]
        assert all(number < sentence.count("{}") for number in named), sentence
        assert named or translation.count("{}") in (0, sentence.count("{}")), sentence


def templates(tree: ast.AST) -> set[str]:
    """Return the texts in a piece of code, with {} where an f-string has a fact."""
    parts = {id(one) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for one in node.values}
    found = {
        "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    }
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in parts)
    return found | {node.value for node in constants if isinstance(node.value, str)}


def test_what_lower_layers_are_known_to_say_they_say() -> None:
    parser = Path(typer.__file__).parent.rglob("*.py")
    texts = "\n".join(path.read_text(encoding="utf-8") for path in (*HERE.parents[1].rglob("*.py"), *parser))
    unsaid = {one for one in CATALOGUE["said"] if not all(piece in texts for piece in one.split("{}"))}

    put_together = re.compile(r"Did you mean {}\?|Missing |Option {} |it has {}; conf|{}; conf")
    assert {one for one in unsaid if not put_together.match(one)} == set()


@pytest.mark.parametrize("module", ["doctor.py", "checks.py", "reasons.py"])
def test_whatever_is_found_or_given_as_a_reason_is_in_the_catalogue(module: str) -> None:
    tree = ast.parse((HERE.parents[1] / "app" / module).read_text(encoding="utf-8"))
    told: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="Finding"), args=[what, _, mend, *_]):
                told |= templates(what) | templates(mend)
            case ast.Assign(targets=[ast.Name(id="what" | "mend")], value=value):
                told |= templates(value)
            case ast.Return(value=ast.expr() as value) | ast.AnnAssign(value=ast.expr() as value):
                told |= templates(value) if module == "reasons.py" else set()
            case _:
                pass
    lacking = {
        one
        for one in told
        if re.search(r"[a-z] [a-z]", one) and not one.startswith(("agent-memory ", "pipx ", "sudo "))
        if one not in CATALOGUE["said"] and one not in CATALOGUE["messages"]
    }

    assert lacking == set()


def test_every_option_and_command_is_explained_in_both_languages() -> None:
    words.speak("en")

    def helps(command: Any) -> set[str]:
        here = {inspect.cleandoc(one.help) for one in (command, *command.params) if getattr(one, "help", None)}
        return here.union(*(helps(below) for below in getattr(command, "commands", {}).values()))

    assert helps(typer.main.get_command(main.build(None))) <= CATALOGUE["messages"].keys()


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


def test_a_sentence_that_the_catalogue_lacks_stays_as_it_is_and_names_are_not_translated(portuguese):
    words.speak()

    assert words.told("Gone {with} the wind.") == "Gone {with} the wind."
    assert words.told("There is no agent 'a{b}'.") == "Não há agente 'a{b}'."
    assert words.told("v.lock is held by another process, and 7 s have passed.").startswith(
        "v.lock está em uso por out"
    )
    assert words.told("Did you mean decisions? Categories: decisions, tasks.").startswith("Você quis dizer decisions?")
    words.speak("en")
    assert words.told("There is no agent 'a'.") == "There is no agent 'a'."


def test_findings_reasons_and_help_are_in_portuguese_too(cli, workspace, portuguese):
    cli("vault", "add", "default", "decisions", "--content", "Preços em centavos.")
    (workspace.memory / "default" / "tasks.md").write_text("<<<<<<< HEAD\n", encoding="utf-8")

    assert "Uma junção deixou a sua marca.\n    Escolha um lado e salve." in cli("check")[1]
    assert "uma junção pode" not in cli("check", "--json")[1]
    assert ": palavras" in cli("changes")[1] or ": escrita à mão" in cli("changes")[1]
    assert "Não pergunta." in cli("forget", "--help")[1]
    assert "Encerra uma sessão" in cli("session", "sleep", "--help")[1]
