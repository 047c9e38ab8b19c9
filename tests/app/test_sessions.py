"""Sessions of a host, through the whole product."""

import json
import os
import shutil
from datetime import timedelta
from typing import Any

import pytest

from agent_memory.app import brief, forget, ingest, maintain, sessions
from agent_memory.app.sessions import chat
from agent_memory.app.sleep import sleep
from agent_memory.errors import InvalidName, UnknownAgent, UsageError
from tests.builders import A_DAY
from tests.workspace import essence

KEY = "AKIA" + "Q3EGZ7HJ5TWP2M6L"
SAID: list[dict[str, Any]] = [
    {"role": "user", "text": "Let's go with SQLite for the order store, because backups are a plain copy."},
    {"role": "agent", "text": f"Done, the store uses SQLite now. The key was {KEY}."},
    {"role": "user", "text": "Still to do: rotate the webhook secret before the launch."},
    {"role": "agent", "text": "A host's note to itself.", "internal": True},
    {"role": "agent", "text": "I will rotate it on Monday."},
]
MORE = [
    {"role": "user", "text": "Let's always store prices in cents, because rounding floats lost money last year."},
    {"role": "agent", "text": "Prices are cents now, and the two tests of the till pass."},
]


@pytest.fixture
def host(workspace):
    return Host(workspace)


class Host:
    """A dashboard with one agent, whose chat is in a file, in checkpoints, and laid to rest now and then."""

    def __init__(self, workspace, chat_id=None):
        self.workspace = workspace
        self.chat_id = chat_id

    def save(self, messages, *, name="dev", hours=1, **rest):
        path = self.workspace.memory / "conversations" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        now = self.workspace.clock.now()
        value = {"agentId": "dev", "savedAt": now.isoformat(), "messages": messages, **rest}
        path.write_text(json.dumps({**value, "chatId": self.chat_id} if self.chat_id else value))
        os.utime(path, (now.timestamp(), now.timestamp()))
        self.workspace.clock.advance(hours=hours)
        return path

    def do(self, verb, *arguments, **named):
        with self.workspace.app() as app:
            return verb(app, *arguments, **named)

    def checkpoint(self, messages, **rest):
        return self.do(sessions.checkpoint, chat("dev", messages, self.chat_id, **rest))

    def sleep(self, messages, summary=""):
        return self.do(sleep, chat("dev", messages, self.chat_id), summary)

    def recovering(self):
        return [message["text"] for message in self.do(sessions.recovering, "dev")]

    def handoffs(self):
        return [memory for memory in self.workspace.memories() if memory.page.category == "handoffs"]


def test_what_was_saved_is_recovered_for_a_week_without_its_secrets(host):
    saved = host.checkpoint(SAID, model_id="m")

    assert host.do(sessions.recover, "dev") == saved
    assert KEY not in (host.workspace.memory / ".vault" / "checkpoints" / "dev.json").read_text()
    assert [message["text"] for message in saved.messages[2:]] == [message["text"] for message in SAID[2:]]
    host.workspace.clock.advance(days=7)
    assert host.do(sessions.recover, "dev") is None
    assert host.recovering() == []


def test_where_nothing_was_saved_nothing_is_recovered_and_nothing_made(host):
    assert host.do(sessions.recover, "dev") is None
    assert host.recovering() == []
    assert not host.workspace.memory.exists()


@pytest.mark.parametrize("agent", ["../../escaped", "", ".x", "conversations", "a/b"])
def test_an_agent_that_cannot_be_a_folder_is_refused(host, agent):
    with pytest.raises(InvalidName):
        host.do(sessions.checkpoint, chat(agent, SAID))
    with pytest.raises(InvalidName):
        host.do(sessions.recover, agent)


@pytest.mark.parametrize(
    "messages",
    [
        None,
        "hi",
        {},
        [1],
        [{"role": "user"}],
        [{"role": "system", "text": "x"}],
        [{"role": "user", "text": "x", "at": A_DAY}],
    ],
)
def test_what_is_no_chat_is_refused(messages):
    with pytest.raises(UsageError):
        chat("dev", messages)


def test_the_chat_that_an_agent_was_last_in_is_known_by_its_name(host):
    host.chat_id = "c-1"
    host.checkpoint(SAID)
    host.do(sessions.checkpoint, chat("ops", SAID))

    assert (host.do(sessions.last_chat, "dev"), host.do(sessions.last_chat, "ops")) == ("c-1", None)
    assert json.loads((host.workspace.memory / ".vault" / "chat-sessions.json").read_text()) == {"dev": "c-1"}


def test_a_name_that_cannot_be_stored_is_mended(host):
    host.chat_id = "c\ud83d\n/../1\0"
    host.sleep(SAID)

    assert host.do(sessions.last_chat, "dev") == "c? /../1"
    assert {memory.origin.conversation for memory in host.workspace.memories()} == {"c? /../1"}


def test_what_was_forgotten_does_not_come_back_in_checkpoints(host):
    host.sleep(SAID)
    host.do(lambda app: forget.forget(app, forget.words_of(app, None, "SQLite for the order store")))
    host.checkpoint(SAID)
    planted = {"agentId": "dev", "savedAt": host.workspace.clock.now().timestamp() * 1000, "messages": SAID}

    assert "order store" not in json.dumps(host.do(sessions.recover, "dev").messages)
    (host.workspace.memory / ".vault" / "checkpoints" / "dev.json").write_text(json.dumps(planted))
    assert "order store" not in json.dumps(host.do(sessions.recover, "dev").messages)
    assert len(host.do(sessions.recover, "dev").messages) == 4


def test_a_session_that_broke_off_is_recovered_until_its_handoff_is_written(host):
    host.checkpoint(SAID)
    assert host.recovering() == [SAID[1]["text"].replace(KEY, "[REDACTED:aws-key]"), SAID[2]["text"], SAID[4]["text"]]

    host.save(SAID)
    host.workspace.process()
    assert host.recovering() == []
    host.checkpoint(SAID)  # once more, by a host that saves every half minute
    assert host.recovering() == []
    host.checkpoint([*SAID, *MORE])
    assert host.recovering()[-1] == MORE[1]["text"]


@pytest.mark.parametrize("covered", [False, True])
def test_after_a_clean_end_nothing_is_recovered(host, covered):
    if covered:
        host.save(SAID)
        host.workspace.process()
    host.sleep(SAID)

    assert host.recovering() == []
    assert host.do(sessions.recover, "dev").messages


STEPS = {
    "sleep": lambda host, said: host.sleep(said),
    "process": lambda host, said: (host.save(said), host.workspace.process()),
    "state lost": lambda host, said: (host.workspace.memory / ".vault" / "state.sqlite3").unlink(missing_ok=True),
    "compact": lambda host, said: (host.save(said), host.do(maintain.compact, dry_run=False)),
}


@pytest.mark.parametrize("chat_id", [None, "c-1"])
@pytest.mark.parametrize(
    "steps",
    [
        ["sleep", "sleep", "process"],
        ["process", "sleep", "process"],
        ["sleep", "state lost", "process"],
        ["process", "state lost", "sleep"],
        ["compact", "sleep", "state lost", "process"],
    ],
    ids=" ".join,
)
def test_one_conversation_is_one_handoff_whoever_meets_it(host, chat_id, steps):
    host.chat_id = chat_id
    host.save(SAID)
    host.workspace.process()
    once = essence(host.workspace.memories())
    for step in steps:
        STEPS[step](host, SAID)
        assert essence(host.workspace.memories()) == once

    assert len(host.handoffs()) == 1


def test_a_session_that_goes_on_has_its_handoff_updated(host):
    host.sleep(SAID)
    host.save([*SAID, *MORE])
    host.workspace.process()
    host.sleep([*SAID, *MORE])

    assert len(host.handoffs()) == 1
    assert "Prices are cents now" in host.handoffs()[0].body


def test_another_chat_of_the_agent_has_a_handoff_of_its_own(host):
    host.chat_id = "c-1"
    host.sleep(SAID)
    host.chat_id = "c-2"
    host.sleep(MORE)
    host.chat_id = "c-1"
    host.sleep(SAID)
    host.save(SAID, name="dev")
    host.workspace.process()

    assert {memory.origin.conversation for memory in host.handoffs()} == {"c-1", "c-2"}
    assert len(host.handoffs()) == 2


def test_a_hosts_summary_stands_and_is_continued_behind(host):
    host.sleep(SAID, summary=f"We chose SQLite. Password: {KEY}")
    host.save(SAID)
    host.workspace.process()
    host.sleep(SAID, summary="We chose SQLite. Password: none")
    (first,) = host.handoffs()
    host.sleep([*SAID, *MORE], summary="Prices are cents.")

    assert first.body == "We chose SQLite. Password: [REDACTED:aws-key]"
    assert first.tags == ("session-close",)
    assert {memory.body for memory in host.handoffs()} == {first.body, "Prices are cents."}


def test_a_summary_of_a_single_message_stands_too_and_one_of_nothing_is_refused(host):
    host.sleep(SAID[:1], summary="One word only.")

    assert [memory.body for memory in host.handoffs()] == ["One word only."]
    with pytest.raises(UsageError):
        host.sleep([], summary="Of nothing.")


def test_where_chats_are_not_taken_a_session_is_still_saved(host):
    with host.workspace.app(extraction__mode="off") as app:
        tally = sleep(app, chat("dev", SAID))

    assert (tally.turns, host.workspace.memories()) == (0, ())
    assert len(host.do(sessions.recover, "dev").messages) == 5


def test_checkpoints_follow_the_conversations(host):
    host.save(SAID)
    host.save(MORE, name="other", agentId="ops")
    (host.workspace.memory / "conversations" / "broken.json").write_text('{"messages": [')
    (host.workspace.memory / "conversations" / "nothing.json").write_text("null")

    done = host.do(sessions.sync_checkpoints, force=False)

    assert (done.synced, done.skipped) == (["dev", "ops"], [])
    assert [agent for agent, _ in done.errors] == ["broken", "nothing"]
    assert [message["role"] for message in host.do(sessions.recover, "dev").messages] == ["user", "agent"] * 2
    assert host.do(sessions.sync_checkpoints, force=False).skipped == ["dev", "ops"]
    host.save([*MORE, *SAID], name="other", agentId="ops")
    assert host.do(sessions.sync_checkpoints, force=False).synced == ["ops"]


def test_a_newer_checkpoint_stays_unless_forced(host):
    host.save(SAID)
    host.checkpoint(MORE)

    assert host.do(sessions.sync_checkpoints, force=False).skipped == ["dev"]
    assert len(host.do(sessions.recover, "dev").messages) == 2
    assert host.do(sessions.sync_checkpoints, force=True).synced == ["dev"]
    assert len(host.do(sessions.recover, "dev").messages) == 4


def test_a_conversation_from_the_future_is_synced_once(host):
    later = host.workspace.clock.now() + timedelta(days=400)
    host.save(SAID, savedAt=later.isoformat())
    host.do(sessions.sync_checkpoints, force=False)

    assert host.do(sessions.recover, "dev") is not None
    host.workspace.clock.advance(hours=1)
    assert host.do(sessions.sync_checkpoints, force=False).skipped == ["dev"]


@pytest.mark.parametrize("chat_id", [None, "c-1"])
def test_a_chat_of_which_all_that_was_told_is_cut_away_is_still_that_chat_when_read_in_full(workspace, chat_id):
    host = Host(workspace, chat_id)
    host.save(SAID)
    host.workspace.process()
    small = [{"role": role, "text": f"Page {n} it is, then."} for n in range(9) for role in ("user", "agent")]
    for start in (0, 8):
        host.save([*SAID, *small][start:])
        host.workspace.process()
    before = essence(host.workspace.memories())
    for _ in range(2):
        host.workspace.process(full=True)
        host.workspace.process()

    assert essence(host.workspace.memories()) == before
    assert len(host.handoffs()) == 1


def test_a_summary_that_comes_when_all_was_taken_still_stands(host):
    host.save(SAID)
    host.workspace.process()
    host.sleep(SAID)
    host.sleep(SAID, "The store is SQLite; rotate the secret on Monday.")
    host.sleep(SAID)
    host.workspace.process()

    assert [handoff.body for handoff in host.handoffs()] == ["The store is SQLite; rotate the secret on Monday."]


def test_what_json_has_no_word_for_is_saved_as_javascript_does(host):
    host.checkpoint([{**SAID[0], "score": float("nan"), "spans": [float("inf")]}])
    text = (host.workspace.memory / ".vault" / "checkpoints" / "dev.json").read_text()

    assert json.loads(text, parse_constant=pytest.fail)["messages"] == [{**SAID[0], "score": None, "spans": [None]}]


def test_an_agent_whose_first_session_broke_off_has_a_briefing_that_recovers_it(host):
    host.checkpoint(SAID)

    assert "I will rotate it on Monday." in host.do(brief.brief, "dev", "go on").text
    with pytest.raises(UnknownAgent):
        host.do(brief.brief, "ops", "go on")


def test_the_chat_of_a_file_that_was_cut_while_the_state_was_lost_has_no_second_handoff(host):
    host.save([*SAID, *MORE])
    host.workspace.process()
    before = essence(host.workspace.memories())
    STEPS["state lost"](host, SAID)
    host.save([*SAID, *MORE][4:])
    assert not host.workspace.process().failed
    assert essence(host.workspace.memories()) == before

    again = [
        {"role": "user", "text": "Please write the release notes now."},
        {"role": "agent", "text": "They are written, two pages."},
    ]
    host.save([*SAID, *MORE, *again][4:])
    host.workspace.process()
    (handoff,) = host.handoffs()
    host.workspace.process(full=True)
    assert [one.body for one in host.handoffs()] == [handoff.body]

    shutil.rmtree(host.workspace.memory)
    host.save([*SAID, *MORE, *again])
    host.workspace.process()
    assert [one.body for one in host.handoffs()] == [handoff.body]


def test_process_after_a_sleep_counts_it_as_up_to_date(host):
    host.sleep(SAID)
    host.save(SAID)

    assert (
        host.do(lambda app: ingest.process(app, ingest.Options("dev", timedelta(minutes=5)))).sessions_up_to_date == 1
    )
