"""Conversations that are never taken, whatever names them: an id, a path, a title, a host's name for a chat."""

from __future__ import annotations

import pytest

from agent_memory.app import forget, sessions
from agent_memory.app.excluding import Exclusions, exclude, include
from agent_memory.app.pause import pause, resume
from agent_memory.app.sessions import chat
from agent_memory.app.sleep import sleep
from agent_memory.errors import UsageError
from tests.workspace import Workspace

SECRET = "Let's go with the Quokka tariff for the payroll, because an audit takes an hour less."
OTHER = "Let's always deploy on Tuesdays, because support is there the next day."


def do(workspace: Workspace, verb, *arguments, **named):
    with workspace.app() as app:
        return verb(app, *arguments, **named)


@pytest.fixture
def two_chats(workspace: Workspace) -> Workspace:
    workspace.chat(1).user(SECRET).assistant("Done, it is in.").ended().save(written=workspace.long_ago())
    workspace.chat(2).user(OTHER).assistant("Done, it is in.").ended().save(written=workspace.long_ago())
    return workspace


def words(workspace: Workspace) -> str:
    return "\n".join(memory.body for memory in workspace.memories())


@pytest.mark.parametrize(
    "pattern", ["00000001-0000-4000-8000-000000000000", "00000001-*", "*QUOKKA tariff*", "00000001-*.jsonl"]
)
def test_a_conversation_that_fits_is_never_taken(two_chats, pattern):
    assert do(two_chats, exclude, pattern).memories == ()
    for full in (False, True):
        two_chats.process(full=full)

    assert "Tuesdays" in words(two_chats)
    assert "Quokka" not in words(two_chats)

    do(two_chats, include, pattern)
    two_chats.process()
    assert "Quokka" in words(two_chats)


def test_a_title_counts_that_was_said_in_a_pause(workspace):
    do(workspace, pause)
    talk = workspace.chat(3)
    talk.at = workspace.clock.now()
    talk.user("The quokka files").assistant("Yes?").save(written=workspace.clock.now())
    do(workspace, resume)
    do(workspace, exclude, "*quokka*")
    workspace.clock.advance(hours=1)
    talk.at = workspace.clock.now()
    talk.user(OTHER).assistant("Done, it is in.").ended().save(written=workspace.clock.now())
    workspace.clock.advance(hours=1)
    workspace.process()
    assert workspace.memories() == ()


def test_what_was_taken_before_is_named_and_can_be_forgotten_in_one_go(two_chats):
    two_chats.process()
    done = do(two_chats, exclude, "*quokka*")

    assert done.conversations == ("00000001-0000-4000-8000-000000000000",)
    assert {memory.page.category for memory in done.memories} >= {"decisions", "handoffs"}
    with two_chats.app() as app:
        forget.forget(app, forget.words_of_all(app, [memory.id for memory in done.memories]))
    assert "Quokka" not in words(two_chats)
    assert "Tuesdays" in words(two_chats)


def test_a_hosts_chat_that_fits_is_neither_taken_nor_saved(workspace):
    do(workspace, exclude, "secret-*")
    said = [{"role": "user", "text": SECRET}, {"role": "agent", "text": "Done, it is in."}]
    do(workspace, sleep, chat("dev", said, "secret-7"))

    assert workspace.memories() == ()
    assert do(workspace, sessions.recover, "dev").messages == ()
    assert b"Quokka" not in b"".join(workspace.files().values())


def test_patterns_are_lines_that_a_person_may_edit(workspace):
    do(workspace, exclude, "one*")
    path = workspace.memory / "excluded.txt"
    path.write_text(path.read_text() + "\n  two  \n# not this\n")
    do(workspace, exclude, "one*")
    do(workspace, exclude, "three")

    assert do(workspace, Exclusions.of).patterns == ("one*", "two", "three")
    do(workspace, include, "two")
    assert do(workspace, Exclusions.of).patterns == ("one*", "three")
    assert "# not this" in path.read_text()


@pytest.mark.parametrize("pattern", ["", "  ", "# no", "a\nb"])
def test_what_is_no_pattern_is_refused(workspace, pattern):
    with pytest.raises(UsageError):
        do(workspace, exclude, pattern)


def test_taking_away_what_is_not_there_is_an_error(workspace):
    with pytest.raises(UsageError):
        do(workspace, include, "nothing")
