import json
import os

import pytest

from agent_memory.app import maintain
from agent_memory.app.conversations import Options
from agent_memory.app.intake import CHARS_PER_BATCH, Intake
from agent_memory.app.tally import Tally
from agent_memory.tailing.scan import scan
from tests.app.test_conversations import as_an_ordinary_user
from tests.app.test_ingest import ANSWER, DECISION
from tests.workspace import A_MINUTE, essence

LESSON = "Root cause: the payment webhook was retried by the provider after 10 s, so every slow order was booked twice."
posix = pytest.mark.skipif(os.name != "posix", reason="permissions are not these elsewhere")


def save_dashboard(workspace, agent):
    path = workspace.memory / "conversations" / f"{agent}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    messages = [{"role": "user", "text": DECISION}, {"role": "agent", "text": ANSWER}]
    path.write_text(json.dumps({"agentId": agent, "savedAt": "2026-03-19T10:00:00Z", "messages": messages}))
    os.utime(path, (workspace.long_ago().timestamp(),) * 2)


def only_file(workspace):
    return scan([workspace.transcripts]).files[0]


def test_short_conversations_share_one_durable_step(workspace):
    for number in range(1, 31):
        workspace.chat(number).user(f"{DECISION} Shop {number} first.").ended().save(written=workspace.long_ago())

    tally = workspace.process()

    assert tally.sessions_processed == 30
    with workspace.app() as app:
        assert [run.verb for run in app.vault.journal_runs()] == ["process"]
    assert workspace.process().sessions_up_to_date == 30


def test_a_conversation_longer_than_a_batch_is_taken_whole_a_batch_at_a_time(workspace):
    chat = workspace.chat()
    pasted = "0 " * (CHARS_PER_BATCH // 4)
    for number in range(3):
        chat.user(f"Let's go with port {8000 + number} for service {number}, because it is its shelf.\n\n{pasted}")
        chat.assistant("Done.")
    chat.ended().save(written=workspace.long_ago())
    workspace.chat(2).user(DECISION).assistant(ANSWER).ended().save(written=workspace.long_ago())

    tally = workspace.process()

    assert (tally.turns, tally.sessions_processed, tally.handoffs) == (8, 2, 2)
    assert tally.decisions == 4
    with workspace.app() as app:
        assert [run.verb for run in app.vault.journal_runs()] == ["process", "process"]


def test_a_conversation_that_the_vault_refuses_costs_itself(workspace):
    for agent in ("ana", "rui", "zoe"):
        save_dashboard(workspace, agent)
    (workspace.memory / "rui" / "decisions.md").mkdir(parents=True)

    tally = workspace.process()

    agents = {memory.page.agent for memory in workspace.memories() if memory.page.category == "decisions"}
    assert agents == {"ana", "zoe"}
    assert len([trouble for trouble in tally.errors if trouble.line is None]) == 1


def test_what_idleness_closed_is_left_alone_if_the_file_has_grown_since(workspace):
    chat = workspace.chat().user(DECISION).assistant("Working on it.")
    chat.save(written=workspace.long_ago())
    with workspace.app() as app:
        intake = Intake(app, Options(app.agent, 5 * A_MINUTE), Tally())
        intake.take(only_file(workspace))
        chat.assistant(ANSWER).ended().save(written=workspace.long_ago() + A_MINUTE)
        intake.flush()

    before = {memory.page.category for memory in workspace.memories()}
    late = workspace.process()
    undisturbed = essence(workspace.memories())

    assert before <= {"decisions"}
    assert (late.lessons, late.tasks, late.handoffs) == (1, 1, 1)
    assert {category for category, *_ in undisturbed} == {"decisions", "lessons", "tasks", "handoffs"}


@posix
def test_a_page_that_cannot_be_read_keeps_only_those_waiting_that_write_to_it(workspace):
    workspace.chat(1).user(DECISION).ended().save(written=workspace.long_ago())
    workspace.process()
    page = workspace.memory / "default" / "decisions.md"
    before = page.read_bytes()
    page.chmod(0)
    workspace.chat(2).user(
        "Let's always store prices in cents, never as floats, because rounding lost money."
    ).ended().save(written=workspace.long_ago())
    workspace.chat(3).assistant(LESSON).ended().save(written=workspace.long_ago())
    with as_an_ordinary_user(workspace):
        for dry in (True, False, False):
            tally = workspace.process(dry=dry)
            (trouble,) = tally.errors
            assert (tally.failed, str(page) in trouble.message, "00000002" in trouble.path) == (True, True, True)
    page.chmod(0o600)

    assert page.read_bytes() == before
    assert {memory.page.category for memory in workspace.memories()} == {"decisions", "lessons"}
    assert workspace.process().decisions == 1


@posix
@pytest.mark.parametrize("archived", [False, True])
def test_upkeep_leaves_alone_what_it_cannot_read_and_says_so(workspace, archived):
    for agent in ("ana", "rui"):
        page = workspace.memory / agent / "decisions.md"
        page.parent.mkdir(parents=True)
        page.write_text("".join(f"## 2026-03-16T10:{minute}\n\nNo. {minute}.\n\n" for minute in range(10, 50)))
    with workspace.app() as app:
        app.state.bookmarks()
    refused = workspace.memory / "ana" / ("archive/decisions.md" if archived else "decisions.md")
    refused.parent.mkdir(exist_ok=True)
    refused.touch()
    refused.chmod(0)
    with as_an_ordinary_user(workspace), workspace.app() as app:
        done = maintain.compact(app, dry_run=False)
    refused.chmod(0o600)

    assert (done.vault_entries_merged, [trouble.path for trouble in done.troubles]) == (20, [str(refused)])
    assert {memory.page.agent for memory in workspace.memories() if memory.page.archived} == {"rui"}
