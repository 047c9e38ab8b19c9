"""Pausing: what is said meanwhile is never taken, whoever reads it and whenever; what was said before is."""

from __future__ import annotations

import json
import os
import shutil
from datetime import timedelta

import pytest

from agent_memory.app import ingest, sessions
from agent_memory.app.pause import pause, resume
from agent_memory.app.sessions import chat
from agent_memory.app.sleep import sleep
from agent_memory.app.status import status
from tests.workspace import Chat, Workspace

BEFORE = "Let's go with SQLite for the order store, because backups are a plain copy."
DURING = "Let's go with the Quokka tariff for the payroll, because an audit takes an hour less."
AFTER = "Let's always deploy on Tuesdays, because support is there the next day."


def do(workspace: Workspace, verb, *arguments, **named):
    with workspace.app() as app:
        return verb(app, *arguments, **named)


def a_long_chat(workspace: Workspace, *, timed: bool = True) -> Chat:
    """A chat with something before, during and after a pause, each answered."""
    talk = workspace.chat()
    talk.at = talk.at if timed else None
    if timed:
        talk.at = workspace.clock.now()
    talk.user(BEFORE).assistant("Done, the store uses SQLite now.").save(written=workspace.clock.now())
    return talk


def later(workspace: Workspace, talk: Chat | None = None) -> None:
    workspace.clock.advance(minutes=20)
    if talk is not None and talk.at is not None:
        talk.at = workspace.clock.now()


def bodies(workspace: Workspace) -> str:
    return "\n".join(memory.body for memory in workspace.memories())


def holding(workspace: Workspace, word: str) -> list[str]:
    return [name for name, data in workspace.files().items() if word.lower().encode() in data.lower()]


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("taken_before", [True, False])
def test_what_is_said_in_a_pause_is_never_taken(workspace, timed, watched, taken_before):
    talk = a_long_chat(workspace, timed=timed)
    if taken_before:
        workspace.process()
    later(workspace, talk)
    do(workspace, pause)
    talk.user(DURING).assistant("The Quokka tariff is in.").save(written=workspace.clock.now())
    if watched:
        workspace.process()
    later(workspace, talk)
    do(workspace, resume)
    later(workspace, talk)
    talk.user(AFTER).assistant("Noted in the calendar.").ended().save(written=workspace.clock.now())
    later(workspace)
    workspace.process()

    assert "SQLite" in bodies(workspace)
    assert "Tuesdays" in bodies(workspace)
    assert holding(workspace, "Quokka") == []

    shutil.rmtree(workspace.memory / ".vault")
    workspace.process(full=True)
    assert "Quokka" not in bodies(workspace)
    copy = workspace.chat(7)
    copy.lines = talk.lines
    copy.save(written=workspace.clock.now())
    later(workspace)
    workspace.process()
    assert "Quokka" not in bodies(workspace)
    assert holding(workspace, "Quokka") == []


def test_without_a_pause_all_of_it_is_taken(workspace):
    talk = a_long_chat(workspace).user(DURING).assistant("The Quokka tariff is in.").ended()
    talk.save(written=workspace.clock.now())
    later(workspace)
    workspace.process()
    assert {memory.page.category for memory in workspace.memories() if "Quokka" in memory.body} >= {"decisions"}


def test_an_answer_that_began_in_a_pause_and_goes_on_is_taken_from_there(workspace):
    do(workspace, pause)
    talk = workspace.chat()
    talk.at = workspace.clock.now()
    talk.user(DURING).assistant("The Quokka tariff is in.")
    talk.save(written=workspace.clock.now())
    do(workspace, resume)
    talk.assistant(f"We decided: {AFTER}").ended().save(written=workspace.clock.now())
    later(workspace)
    workspace.process()

    assert holding(workspace, "Quokka") == []
    assert "Tuesdays" in bodies(workspace)


@pytest.mark.parametrize("paused", [True, False])
def test_a_bare_yes_of_a_pause_settles_nothing(workspace, paused):
    talk = workspace.chat().user("Which store?")
    talk.at = None
    talk.assistant("I suggest SQLite for the order store, one file per shop. Shall I go ahead?")
    talk.save(written=workspace.clock.now())
    path = workspace.memory / "conversations" / "dev.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": host_messages("Yes", "Yes")}))
    workspace.process()
    later(workspace)
    do(workspace, pause if paused else status)
    talk.user("Yes").assistant("Done.").ended().save(written=workspace.clock.now())
    later(workspace)
    do(workspace, resume)
    for full in (False, True):
        workspace.process(full=full)
        decided = [memory for memory in workspace.memories() if memory.page.category == "decisions"]
        assert len(decided) == (0 if paused else 1)


def test_a_pause_is_seen_and_pausing_twice_is_one_pause(workspace):
    assert do(workspace, status).paused_since is None
    since = do(workspace, pause)
    later(workspace)
    assert do(workspace, pause) == since
    assert do(workspace, status).paused_since == since.isoformat(timespec="seconds")
    assert do(workspace, resume) is not None
    assert do(workspace, resume) is None
    assert do(workspace, status).paused_since is None


def test_a_pause_that_nobody_can_read_is_a_pause(workspace):
    do(workspace, pause)
    (workspace.memory / ".vault" / "pause.json").write_text("{")
    talk = workspace.chat()
    talk.at = workspace.clock.now()
    talk.user(DURING).assistant("Done.").ended().save(written=workspace.clock.now())
    workspace.process()
    assert do(workspace, status).paused_since is not None
    assert holding(workspace, "Quokka") == []


def test_another_workspaces_chat_is_passed_over_by_its_times(workspace):
    """A memory that several folders share: the one where ``resume`` was said cannot read the others' chats."""
    do(workspace, pause)
    later(workspace)
    talk = workspace.chat()
    talk.at = workspace.clock.now()
    talk.user(DURING).assistant("The Quokka tariff is in.").ended()
    later(workspace)
    do(workspace, resume)
    talk.save(written=workspace.clock.now())
    later(workspace)
    workspace.process()
    assert holding(workspace, "Quokka") == []


def host_messages(*texts: str):
    return [{"role": "agent" if n % 2 else "user", "text": text} for n, text in enumerate(texts)]


def test_a_hosts_session_respects_a_pause(workspace):
    said = host_messages(BEFORE, "Done, the store uses SQLite now.")
    do(workspace, sessions.checkpoint, chat("dev", said, "c1"))
    do(workspace, pause)
    more = said + host_messages(DURING, "The Quokka tariff is in.", "ok", "Good.")
    do(workspace, sessions.checkpoint, chat("dev", more, "c1"))
    saved = do(workspace, sessions.recover, "dev")
    assert [message["text"] for message in saved.messages] == [message["text"] for message in said]
    do(workspace, sleep, chat("dev", more, "c1"), "We spoke of the Quokka tariff.")
    do(workspace, resume)
    later(workspace)
    more += host_messages(AFTER, "Noted in the calendar.")
    do(workspace, sleep, chat("dev", more, "c1"))

    saved = do(workspace, sessions.recover, "dev")
    assert [message["text"] for message in saved.messages] == [
        message["text"] for message in said + host_messages(AFTER, "Noted in the calendar.")
    ]
    assert "SQLite" in bodies(workspace)
    assert "Tuesdays" in bodies(workspace)
    assert holding(workspace, "Quokka") == []


def test_a_dashboards_file_respects_a_pause(workspace):
    def save(messages):
        path = workspace.memory / "conversations" / "dev.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"agentId": "dev", "messages": messages}))
        moment = workspace.clock.now().timestamp()
        os.utime(path, (moment, moment))

    said = host_messages(BEFORE, "Done, the store uses SQLite now.")
    save(said)
    do(workspace, pause)
    more = said + host_messages(DURING, "The Quokka tariff is in.", "ok", "Good.")
    later(workspace)
    save(more)
    later(workspace)
    do(workspace, resume)
    save(more + host_messages(AFTER, "Noted in the calendar."))
    later(workspace)
    workspace.process()
    do(workspace, sessions.sync_checkpoints, force=True)

    assert "SQLite" in bodies(workspace)
    assert "Tuesdays" in bodies(workspace)
    assert holding(workspace, "Quokka") == ["conversations/dev.json"]
    assert '"ok"' not in (workspace.memory / ".vault/checkpoints/dev.json").read_text()


def test_a_transcript_that_is_written_anew_in_a_pause_is_not_taken_for_what_it_was(workspace):
    a_long_chat(workspace).assistant("A long answer. " * 200).save(written=workspace.clock.now())
    do(workspace, pause)
    later(workspace)
    talk = workspace.chat()
    talk.at = workspace.clock.now()
    talk.user(DURING).assistant("The Quokka tariff is in.").ended().save(written=workspace.clock.now())
    for verb in (lambda app: None, resume):
        later(workspace)
        do(workspace, verb)
        workspace.process()
        assert holding(workspace, "Quokka") == []


def test_a_rehearsal_in_a_pause_finds_nothing(workspace):
    do(workspace, pause)
    talk = workspace.chat()
    talk.at = workspace.clock.now()
    talk.user(DURING).assistant("Done.").ended().save(written=workspace.clock.now())
    later(workspace)
    with workspace.app() as app:
        tally = ingest.process(app, ingest.Options(app.agent, idle_after=timedelta(0), dry=True))
    assert tally.decisions == tally.handoffs == 0
