"""Profile and notes are the same from the command line, the library and MCP."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from agent_memory.app.library import OpenMemory
from agent_memory.errors import UsageError
from agent_memory.interfaces.cli.main import run
from tests.mcp_clients import Here


@dataclass
class CommandLine:
    workspace: Any
    capsys: Any

    def _run(self, *words):
        code = run([*words, "--dir", str(self.workspace.memory), "--json"])
        told = json.loads(self.capsys.readouterr().out)
        return told if code == 0 else told["error"]["message"]

    def set(self, key, value, *keywords):
        told = self._run("profile", "set", key, value, *(("--keywords", ",".join(keywords)) if keywords else ()))
        return told if isinstance(told, str) else told["outcome"]

    def facts(self):
        return [(row["key"], row["value"], row["pinned"]) for row in self._run("profile", "list")["facts"]]

    def history(self, key):
        return [(row["value"], row["status"]) for row in self._run("profile", "history", key)["versions"]]

    def remove(self, key):
        told = self._run("profile", "remove", key)
        return told if isinstance(told, str) else told["removed"]["value"]

    def store(self, text, *tags):
        told = self._run("notes", "store", text, "--tags", ",".join(tags))
        return told if isinstance(told, str) else (told["outcome"], told["id"])

    def recall(self, text, *tags):
        told = self._run("notes", "recall", text, "--tags", ",".join(tags))
        return [(row["content"], row["tags"]) for row in told["notes"]]

    def forget(self, note):
        self._run("notes", "forget", note, "--force")


@dataclass
class Library:
    workspace: Any
    capsys: Any

    def _with(self, work):
        with self.workspace.app() as app:
            try:
                return work(OpenMemory(app, app.agent))
            except UsageError as error:
                return error.message

    def set(self, key, value, *keywords):
        kept = self._with(lambda memory: memory.profile_set(key, value, keywords=keywords))
        return kept if isinstance(kept, str) else kept.outcome

    def facts(self):
        found = self._with(lambda memory: memory.profile_list()).facts
        return [(known.key, known.value, known.version.fact.pinned) for known in found]

    def history(self, key):
        return [(one.value, one.version.status) for one in self._with(lambda memory: memory.profile_history(key))]

    def remove(self, key):
        known = self._with(lambda memory: memory.profile_remove(key))
        return known if isinstance(known, str) else known.value

    def store(self, text, *tags):
        stored = self._with(lambda memory: memory.notes_store(text, tags=tags))
        return stored if isinstance(stored, str) else (stored.outcome, stored.id)

    def recall(self, text, *tags):
        return [(hit.body, list(hit.tags)) for hit in self._with(lambda memory: memory.notes_recall(text, tags=tags))]

    def forget(self, note):
        self._with(lambda memory: memory.notes_forget(note))


@dataclass
class Mcp:
    workspace: Any
    capsys: Any

    def _call(self, name, **given):
        told = Here(self.workspace).call(name, **given)
        return told.text if told.failed else told.value

    def set(self, key, value, *keywords):
        told = self._call("memory_profile_set", key=key, value=value, keywords=list(keywords))
        return told if isinstance(told, str) else told["outcome"]

    def facts(self):
        return [(row["key"], row["value"], row["pinned"]) for row in self._call("memory_profile_list")["facts"]]

    def history(self, key):
        return [(row["value"], row["status"]) for row in self._call("memory_profile_history", key=key)["versions"]]

    def remove(self, key):
        told = self._call("memory_profile_remove", key=key)
        return told if isinstance(told, str) else told["removed"]["value"]

    def store(self, text, *tags):
        told = self._call("memory_notes_store", content=text, tags=list(tags))
        return told if isinstance(told, str) else (told["outcome"], told["id"])

    def recall(self, text, *tags):
        told = self._call("memory_notes_recall", query=text, tags=list(tags))
        return [(row["content"], row["tags"]) for row in told["notes"]]

    def forget(self, note):
        self._call("memory_notes_forget", id=note)


@pytest.mark.parametrize("way", [CommandLine, Library, Mcp])
def test_profile_and_notes_are_the_same_whichever_way_they_are_used(workspace, capsys, monkeypatch, way):
    monkeypatch.chdir(workspace.root)
    memory = way(workspace, capsys)

    assert [memory.set("editor", "vim"), memory.set("Editor", "vim"), memory.set("editor", "emacs")] == [
        "set", "unchanged", "set",
    ]  # fmt: skip
    assert memory.set("implantação", "nunca às sextas", "deploy") == "set"
    assert memory.facts() == [("editor", "emacs", True), ("implantação", "nunca às sextas", False)]
    assert memory.history("editor") == [("vim", "superseded"), ("emacs", "active")]
    assert "key: must begin with a letter" in memory.set("two words", "x")
    assert "value: must not be empty" in memory.set("editor", " ")
    assert "key: the fact 'editor' says the same" in memory.set("my_editor", "emacs")
    assert memory.remove("editor") == "emacs"
    assert "There is no fact 'editor'" in memory.remove("editor")
    assert memory.history("editor") == [("vim", "superseded"), ("emacs", "removed")]

    outcome, note = memory.store("O forno precisa de dez minutos.", "forno", "Padaria")
    assert (outcome, memory.store("o forno precisa de dez minutos")) == ("stored", ("known", note))
    assert "content: has 4001 characters" in memory.store("x" * 4001)
    assert memory.recall("minutos", "forno") == [("O forno precisa de dez minutos.", ["forno", "Padaria"])]
    assert memory.recall("minutos", "nada") == []
    memory.forget(note)
    assert memory.recall("minutos") == []
