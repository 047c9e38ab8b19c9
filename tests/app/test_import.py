"""Conversations that lie elsewhere are taken like all others: once, whatever copies there are."""

import json
from datetime import timedelta

from agent_memory.app import ingest
from tests.matrix.cases import DECISION, dashboard

QUEUE = "Vamos usar o Redis para a fila de e-mails, porque o cron perdeu pedidos ontem."


def said(role, text):
    return {"role": role, "text": text}


def imported(workspace, *paths, dry=False):
    with workspace.app() as app:
        options = ingest.Options(app.agent, timedelta(0), dry=dry, verb="import conversations")
        return ingest.import_conversations(app, options, list(paths))


def test_conversations_elsewhere_are_taken_exactly_once_from_wherever_they_come(workspace, tmp_path):
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite.").ended().save(written=workspace.long_ago())
    copy = tmp_path / "backup" / chat.path.name
    copy.parent.mkdir()
    copy.write_bytes(chat.data)

    assert imported(workspace, copy, dry=True).decisions == 1
    assert not workspace.memory.exists()
    assert imported(workspace, copy.parent).decisions == 1
    once = workspace.memories()
    assert imported(workspace, copy).decisions == 0
    workspace.process()
    workspace.process(full=True)
    assert workspace.memories() == once


def test_an_old_copy_of_a_dashboards_chat_leaves_the_live_one_where_it_was(workspace, tmp_path):
    talk = [said("user", DECISION), said("agent", "Done, really.")]
    dashboard(workspace, talk)
    old = tmp_path / "dev.json"
    old.write_text(json.dumps({"messages": [said("user", QUEUE), said("agent", "A fila está no ar.")]}))
    imported(workspace, old)
    both = workspace.memories()
    dashboard(workspace, [*talk, said("user", "Thanks, that is all for now."), said("agent", "Bye.")])
    imported(workspace, old)

    found = {memory.body for memory in workspace.memories() if memory.page.category == "decisions"}
    assert found == {DECISION, QUEUE}
    assert {memory.page.agent for memory in workspace.memories()} == {"dev"}
    assert {memory.key for memory in workspace.memories()} == {memory.key for memory in both}


def test_what_is_no_conversation_is_named_and_costs_itself(workspace, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.md").write_text("x", encoding="utf-8")
    chat = workspace.chat().user(DECISION).assistant("Done.").ended().save(written=workspace.long_ago())

    tally = imported(workspace, tmp_path / "empty", tmp_path / "notes.md", tmp_path / "gone", chat.path)

    assert [trouble.message for trouble in tally.errors] == [
        "It holds no conversation that this version knows.",
        "It is called like no conversation.",
        "It is not there.",
    ]
    assert (tally.failed, tally.decisions) == (True, 1)


def test_a_sub_agents_conversation_is_known_by_its_folders(workspace, tmp_path):
    chat = workspace.chat().user(DECISION).assistant("Done, it is SQLite.").ended()
    chat.path = tmp_path / "3f2a9c1e-parent" / "subagents" / chat.path.name
    chat.save(written=workspace.long_ago())
    imported(workspace, chat.path)

    assert not [memory for memory in workspace.memories() if memory.page.category == "handoffs"]


def test_two_copies_without_an_id_that_come_together_have_one_handoff(workspace, tmp_path):
    messages = [said("user", DECISION), said("agent", "Done, it is SQLite now, and the tests pass.")]
    for name in ("dev.json", "copy of dev.json", "later.json"):
        more = [said("user", QUEUE), said("agent", "A fila está no ar desde ontem.")] if name == "later.json" else []
        (tmp_path / name).write_text(json.dumps({"agentId": "dev", "messages": [*messages, *more]}))
    assert imported(workspace, tmp_path).handoffs >= 1

    (handoff,) = [memory for memory in workspace.memories() if memory.page.category == "handoffs"]
    assert "Redis" in handoff.body
