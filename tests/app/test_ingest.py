import json
import os
import shutil

import pytest

from agent_memory.app import maintain, vault
from agent_memory.errors import FileError
from agent_memory.sources.cursor import cursor_slug
from tests.workspace import Workspace

DECISION = "Let's go with SQLite for the order store, one file per shop, because backups are a plain copy."
LESSON = "Root cause: the payment webhook was retried by the provider after 10 s, so every slow order was booked twice."
TASK = "Still to do: rotate the webhook secret before the launch."
ANSWER = f"Done, the store uses SQLite now.\n\n**{LESSON}**\n\n{TASK}"


@pytest.fixture
def talked(workspace):
    workspace.chat().user(DECISION).assistant(ANSWER).ended().user("thanks").assistant("You're welcome.").ended().save(
        written=workspace.long_ago()
    )
    return workspace


def bodies(workspace, category):
    return [memory.body for memory in workspace.memories() if memory.page.category == category]


def test_a_conversation_becomes_decisions_lessons_tasks_and_one_handoff(talked):
    tally = talked.process()

    assert (tally.decisions, tally.lessons, tally.tasks, tally.handoffs) == (1, 1, 1, 1)
    assert bodies(talked, "decisions")[0].startswith("Let's go with SQLite")
    assert "booked twice" in bodies(talked, "lessons")[0]
    assert bodies(talked, "tasks")[0].startswith("- [ ] ")
    assert "otate the webhook secret" in bodies(talked, "tasks")[0]


def test_what_was_taken_says_where_it_came_from_down_to_the_words(talked):
    talked.process()

    decision = next(memory for memory in talked.memories() if memory.page.category == "decisions")
    assert decision.origin is not None
    start, end = decision.origin.span
    assert DECISION[start:end] in DECISION
    assert decision.origin.turn == 0
    assert f"{decision.at:%Y-%m-%d %H:%M}" == "2026-03-16 09:00"


def test_a_second_run_is_up_to_date_and_changes_no_byte(talked):
    talked.process()
    before = talked.files()

    tally = talked.process()

    assert (tally.sessions_found, tally.sessions_processed, tally.sessions_up_to_date) == (1, 0, 1)
    assert talked.files() == before


def test_reading_everything_again_stores_nothing(talked):
    talked.process()
    before = {name: data for name, data in talked.files().items() if name.endswith((".md", "taken.jsonl"))}

    tally = talked.process(full=True)

    assert tally.turns == 4
    assert (tally.decisions, tally.lessons, tally.tasks, tally.duplicates, tally.handoffs) == (0, 0, 0, 0, 0)
    assert {name: data for name, data in talked.files().items() if name in before} == before


def test_a_dry_run_says_what_would_be_found_and_writes_nothing(talked):
    tally = talked.process(dry=True)

    assert (tally.decisions, tally.lessons, tally.tasks, tally.handoffs) == (1, 1, 1, 1)
    assert not talked.memory.exists()


def test_a_chat_that_is_still_being_written_keeps_its_open_turn_back(workspace):
    workspace.chat().user(DECISION).assistant("Working on it.").save(written=workspace.clock.now())

    tally = workspace.process()

    assert (tally.turns, tally.decisions, tally.handoffs) == (1, 1, 0)
    assert workspace.process().sessions_up_to_date == 1


def test_an_open_turn_is_taken_once_the_chat_has_been_idle(workspace):
    workspace.chat().user(DECISION).assistant(ANSWER).save(written=workspace.clock.now())
    workspace.process()
    workspace.clock.advance(minutes=6)

    tally = workspace.process()

    assert (tally.lessons, tally.tasks, tally.handoffs) == (1, 1, 1)


def test_the_handoff_follows_a_conversation_that_resumes(talked):
    talked.process()
    chat = talked.chat()
    chat.user(DECISION).assistant(ANSWER).ended().user("thanks").assistant("You're welcome.").ended()
    chat.user("Now write the import of the old orders.").assistant("The import is written and tested.").ended()
    talked.clock.advance(hours=1)
    chat.save(written=talked.clock.now())
    talked.clock.advance(hours=1)

    tally = talked.process()

    handoffs = [memory for memory in talked.memories() if memory.page.category == "handoffs"]
    assert tally.handoffs == 1
    assert len(handoffs) == 1
    assert "import of the old orders" in handoffs[0].body
    assert f"{handoffs[0].at:%H:%M}" == "09:02"


def test_a_handoff_leaves_the_archive_when_its_conversation_resumes_not_when_its_file_is_copied(talked):
    for number in range(2, 5):
        chat = talked.chat(number).user(f"{DECISION} {number}").assistant(ANSWER).ended().user("thanks")
        chat.assistant("You're welcome.").ended().save(written=talked.long_ago())
    talked.process()
    with talked.app(compact__max_entries=3, compact__keep_entries=2) as app:
        maintain.compact(app, dry_run=False)
    away = {memory.id for memory in talked.memories() if memory.page.category == "handoffs" and memory.page.archived}
    before = talked.files()["default/archive/handoffs.md"]
    restored = talked.transcripts.with_name("restored")
    shutil.copytree(talked.transcripts, restored)
    shutil.rmtree(talked.transcripts)
    restored.rename(talked.transcripts)

    tally = talked.process()

    assert (len(away), tally.handoffs) == (2, 0)
    assert talked.files()["default/archive/handoffs.md"] == before
    gone_on = next(memory for memory in talked.memories() if memory.id in away)
    path = talked.transcripts / gone_on.origin.conversation / f"{gone_on.origin.conversation}.jsonl"
    more = talked.chat(9).user("Now the invoices as well, please.").assistant(TASK).ended()
    path.write_bytes(path.read_bytes() + more.data)
    os.utime(path, (talked.long_ago().timestamp(),) * 2)
    assert talked.process().handoffs == 1
    assert {memory.id for memory in talked.memories() if memory.page.archived} & away == away - {gone_on.id}


def test_a_turn_that_grows_after_an_idle_close_is_taken_again_whole(workspace):
    chat = workspace.chat().user("Which store?").assistant("Root cause: the disk was full, so orders were lost.")
    chat.save(written=workspace.long_ago())
    workspace.process()
    chat.assistant(ANSWER).ended().user("ok").save(written=workspace.clock.now())
    workspace.clock.advance(hours=1)
    workspace.process()

    again = Workspace(workspace.root, workspace.home, workspace.clock)
    standing = {(memory.body, memory.status) for memory in again.memories() if memory.page.category == "lessons"}
    assert any("booked twice" in body and status is None for body, status in standing)


def test_secrets_are_taken_out_before_anything_is_written(workspace):
    secret = "Zk3vQ9xT2bLw7RfYp0aHsd5"
    text = f"Let's keep the SMS gateway and always read API_KEY={secret} from the environment."
    workspace.chat().user(text).assistant("Done, the gateway reads it from there.").ended().save(
        written=workspace.long_ago()
    )

    tally = workspace.process()

    assert tally.redactions >= 1
    assert tally.decisions == 1
    assert not [name for name, data in workspace.files().items() if secret.encode() in data]


def test_a_broken_line_costs_itself_and_is_reported_with_its_number(workspace):
    chat = workspace.chat().user(DECISION)
    chat.lines.append(b'{"role": "user", "message": {"content": [{"type"\n')
    chat.assistant(ANSWER).ended().save(written=workspace.long_ago())

    tally = workspace.process()

    assert (tally.decisions, tally.lessons, tally.skipped_lines) == (1, 1, 1)
    assert [(trouble.line, bool(trouble.message)) for trouble in tally.errors] == [(2, True)]
    assert not tally.failed


def test_a_chat_that_cannot_be_read_costs_itself(talked):
    locked = talked.chat(2).user(DECISION + " Really.").save(written=talked.long_ago()).path
    locked.unlink()
    locked.mkdir()
    (locked / "x").write_text("")

    tally = talked.process()

    assert tally.decisions == 1


def test_a_named_folder_that_is_not_there_is_an_error_not_an_empty_backlog(talked, tmp_path):
    with pytest.raises(FileError, match="no folder"):
        talked.process(transcripts=tmp_path / "mistyped")


def test_other_projects_chats_are_never_read(workspace):
    other = workspace.chat().user(DECISION).save(written=workspace.long_ago()).path
    project = workspace.transcripts.parent
    (project / ".workspace-trusted").write_text(json.dumps({"workspacePath": "/somewhere/else"}), encoding="utf-8")

    assert workspace.process().sessions_found == 0
    assert other.exists()


@pytest.mark.parametrize("inside", ["", "src"])
def test_a_chat_about_a_linked_workspace_is_ours_from_within_the_link(workspace, monkeypatch, inside):
    (workspace.root / ".git").mkdir(exist_ok=True)
    (workspace.root / "src").mkdir()
    link = workspace.root.with_name("linked")
    link.symlink_to(workspace.root)
    chat = Workspace(link, workspace.home).chat().user(DECISION).assistant(ANSWER).ended()
    chat.save(written=workspace.long_ago())

    assert workspace.process().decisions == 0
    monkeypatch.setenv("PWD", str(link / inside))
    assert workspace.process().decisions == 1


def test_two_folders_that_claim_the_workspace_both_count(talked):
    twin = talked.home / ".cursor" / "projects" / "private-truncated-157e277" / "agent-transcripts"
    name = "00000002-0000-4000-8000-000000000000"
    (twin / name).mkdir(parents=True)
    (twin.parent / ".workspace-trusted").write_text(json.dumps({"workspacePath": str(talked.root)}), encoding="utf-8")
    chat = talked.chat(2).user("Let's always store prices in cents, never as floats, because rounding lost money.")
    chat.path = twin / name / f"{name}.jsonl"
    chat.assistant("Done.").ended().save(written=talked.long_ago())

    assert talked.process().decisions == 2


def test_the_same_decision_in_another_chat_is_a_duplicate(talked):
    talked.chat(2).user(DECISION).assistant("Done already.").ended().save(written=talked.long_ago())

    tally = talked.process()

    assert (tally.decisions, tally.duplicates) == (1, 1)
    assert talked.process(full=True).duplicates == 0


def test_the_oldest_chat_is_taken_first(workspace):
    for number in (1, 2):
        chat = workspace.chat(number).user(DECISION).assistant("Done.").ended()
        chat.save(written=workspace.long_ago())
        os.utime(chat.path, (1_700_000_000 - number, 1_700_000_000 - number))

    workspace.process()

    origin = next(m.origin for m in workspace.memories() if m.page.category == "decisions")
    assert origin is not None
    assert origin.conversation.startswith("00000002")


def test_a_briefing_that_comes_back_in_a_chat_is_not_learnt_again(talked):
    talked.process()
    with talked.app() as app:
        from agent_memory.app.brief import brief

        text = brief(app, "default", "orders").text
    assert "SQLite" in text
    before = len(talked.memories())
    talked.chat(2).user(f"{text}\nGo on.").assistant(f"I was told:\n{text}").ended().save(written=talked.long_ago())

    tally = talked.process()

    assert (tally.decisions, tally.lessons, tally.tasks) == (0, 0, 0)
    assert len([m for m in talked.memories() if m.page.category != "handoffs"]) == before - 1


def test_what_a_person_deleted_does_not_come_back(talked):
    talked.process()
    decision = next(m for m in talked.memories() if m.page.category == "decisions")
    with talked.app() as app:
        vault.delete(app, "default", "decisions", decision.id)

    tally = talked.process(full=True)

    assert tally.decisions == 0
    assert bodies(talked, "decisions") == []


def test_deleted_words_do_not_come_back_through_a_copied_chat(talked):
    talked.process()
    decision = next(m for m in talked.memories() if m.page.category == "decisions")
    with talked.app() as app:
        vault.delete(app, "default", "decisions", decision.id)
    talked.chat(2).user(DECISION).assistant("Done.").ended().save(written=talked.long_ago())

    assert talked.process().decisions == 0


def test_deleted_words_may_be_decided_again_later(talked):
    talked.process()
    decision = next(m for m in talked.memories() if m.page.category == "decisions")
    with talked.app() as app:
        vault.delete(app, "default", "decisions", decision.id)
    chat = talked.chat(2)
    talked.clock.advance(days=2)
    chat.at = talked.clock.now()
    chat.user(DECISION).assistant("Done.").ended()
    talked.clock.advance(hours=1)
    chat.save(written=talked.clock.now())
    talked.clock.advance(hours=1)

    assert talked.process().decisions == 1


def test_a_handoff_that_a_person_edited_is_continued_not_changed(talked):
    talked.process()
    handoff = next(m for m in talked.memories() if m.page.category == "handoffs")
    with talked.app() as app:
        vault.edit(app, "default", "handoffs", handoff.id, "My own words about this chat.")
    chat = talked.chat()
    chat.user(DECISION).assistant(ANSWER).ended().user("thanks").assistant("You're welcome.").ended()
    chat.user("Now write the import of the old orders.").assistant("The import is written and tested.").ended()
    talked.clock.advance(hours=1)
    chat.save(written=talked.clock.now())
    talked.clock.advance(hours=1)

    talked.process()
    talked.process(full=True)

    handoffs = [m.body for m in talked.memories() if m.page.category == "handoffs"]
    assert len(handoffs) == 2
    assert "My own words about this chat." in handoffs
    continued = next(body for body in handoffs if body != "My own words about this chat.")
    assert "import of the old orders" in continued
    assert "SQLite" not in continued


def test_a_deleted_handoff_is_not_written_again_for_what_it_covered(talked):
    talked.process()
    handoff = next(m for m in talked.memories() if m.page.category == "handoffs")
    with talked.app() as app:
        vault.delete(app, "default", "handoffs", handoff.id)

    talked.process(full=True)

    assert bodies(talked, "handoffs") == []


def test_the_slug_is_the_editors():
    assert cursor_slug("/Users/foo.bar/my_app") == "Users-foo-bar-my-app"
    assert cursor_slug("C:\\Dev\\simulations\\opc") == "c-Dev-simulations-opc"


def test_turns_said_after_a_handoff_was_deleted_are_covered_whatever_else_is_lost(talked):
    talked.process()
    handoff = next(m for m in talked.memories() if m.page.category == "handoffs")
    with talked.app() as app:
        vault.delete(app, "default", "handoffs", handoff.id)
    chat = talked.chat()
    chat.user(DECISION).assistant(ANSWER).ended().user("thanks").assistant("You're welcome.").ended()
    for step in ("Write the import of the old orders.", "Now print the labels of the ovens."):
        chat.user(step).assistant(f"Done: {step}").ended()
        talked.clock.advance(hours=1)
        chat.save(written=talked.clock.now())
        talked.clock.advance(hours=1)
        talked.process()
        (talked.memory / ".vault" / "state.sqlite3").unlink()

    talked.process()

    (only,) = bodies(talked, "handoffs")
    assert "import of the old orders" in only
    assert "labels of the ovens" in only
    assert "SQLite" not in only


def test_the_same_words_in_two_turns_keep_their_first_origin(workspace):
    chat = workspace.chat().user("What is left?").assistant(f"One thing.\n\n{TASK}").ended()
    chat.user("And now?").assistant(f"The same.\n\n{TASK}").ended().user("ok").save(written=workspace.long_ago())
    workspace.process()
    before = workspace.files()

    for _ in range(3):
        workspace.process(full=True)

    pages = {name: data for name, data in before.items() if name.endswith(".md") or "journal" in name}
    assert {name: data for name, data in workspace.files().items() if name in pages} == pages


def test_a_file_from_the_far_future_costs_nothing(talked):
    os.utime(talked.chat().path, ns=(10**18, 2**62))

    assert not talked.process().failed
