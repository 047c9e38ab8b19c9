"""Verifying: each memory's origin, read again in its transcript."""

import json
import os

import pytest

from agent_memory.app.verify import verify
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON = "Root cause: the payment webhook was retried after 10 s, so every slow order was booked twice."
TODOS = [
    {"content": "Choose the store", "status": "completed"},
    {"content": "Write the import of old orders", "status": "pending"},
]
TODO = {"name": "TodoWrite", "input": {"todos": TODOS}}


@pytest.fixture
def chat(workspace):
    chat = workspace.chat().user(DECISION).assistant(f"Done, it is SQLite now.\n\n{LESSON}", TODO)
    chat.user("Thanks, that is good.").assistant("You are welcome to it.").ended().save(written=workspace.long_ago())
    workspace.process()
    return chat


def kinds(workspace: Workspace) -> set[str]:
    """Which categories there are to check; which of them extraction finds is not the matter here."""
    found = {memory.page.category for memory in workspace.memories()}
    assert {"decisions", "handoffs"} <= found
    return found


def findings(workspace: Workspace) -> dict[str, set[str]]:
    with workspace.app() as app:
        found: dict[str, set[str]] = {}
        for checked in verify(app):
            found.setdefault(checked.finding, set()).add(checked.memory.page.category)
        return found


def test_what_was_just_taken_is_verified(workspace, chat):
    assert findings(workspace) == {"verified": kinds(workspace)}


def test_a_turn_that_grew_still_has_the_words(workspace, chat):
    chat.lines = chat.lines[:2]
    chat.assistant("And the tests are green.").user("Thanks, that is good.").assistant("You are welcome to it.").ended()
    chat.save(written=workspace.long_ago())

    assert findings(workspace)["verified"] >= kinds(workspace) - {"handoffs"}


def test_a_transcript_that_says_something_else_now_has_changed(workspace, chat):
    chat.lines[0] = chat.lines[0].replace(b"SQLite", b"MySQL")
    chat.save(written=workspace.long_ago())

    told = findings(workspace)
    assert told["changed"] == {"decisions", "handoffs"}
    assert told.get("verified", set()) == kinds(workspace) - {"decisions", "handoffs"}


def test_a_transcript_that_was_deleted_is_gone(workspace, chat):
    chat.path.unlink()

    assert findings(workspace) == {"gone": kinds(workspace)}


def test_a_key_that_is_not_of_these_words_has_changed(workspace, chat):
    page = workspace.memory / "default" / "decisions.md"
    text = page.read_text(encoding="utf-8")
    key = text.split("key:")[1].split()[0]
    page.write_text(text.replace(key, "0" * 16), encoding="utf-8")

    assert "decisions" in findings(workspace)["changed"]


def test_what_a_dashboard_cut_off_is_gone_not_changed(workspace):
    path = workspace.memory / "conversations" / "dev.json"
    path.parent.mkdir(parents=True)
    said = [DECISION, "It is SQLite now.", "We decided to use Redis for the session cache.", "It is Redis now."]
    messages = [{"role": role, "text": text} for role, text in zip(["user", "agent"] * 2, said, strict=True)]
    for kept, handoffs in ((0, "verified"), (2, "gone")):
        path.write_text(json.dumps({"agentId": "dev", "messages": messages[kept:]}))
        os.utime(path, (workspace.long_ago().timestamp(),) * 2)
        workspace.process()
        with workspace.app() as app:
            found = {(checked.memory.page.category, checked.finding) for checked in verify(app)}
        assert ("handoffs", handoffs) in found
        assert "changed" not in {finding for _, finding in found}
