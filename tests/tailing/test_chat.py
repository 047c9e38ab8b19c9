from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.errors import InvalidName
from agent_memory.model.transcript import Bookmark, ConversationFile, Origin
from agent_memory.tailing.chat import MAX_CHAT_BYTES, TURNS_KNOWN, align, open_chat
from agent_memory.tailing.reader import bookmark_after, open_reading
from agent_memory.tailing.reading import Reading

NOW = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)
IDLE_NS = 300 * 10**9
TOKEN = "ghp_" + "a1B2" * 9


@dataclass
class Dashboard:
    """One file, saved and read again and again; a moment passes only when told."""

    path: Path
    bookmark: Bookmark | None = None
    seconds: int = 1_000
    origins: list[Origin] = field(default_factory=list)

    def save(self, *said: str, **rest: object) -> Dashboard:
        """Save messages: ``u:`` in front of what the user said, ``a:`` of what an agent did, ``i:`` internally."""
        roles = {"u": "user", "a": "agent", "i": "agent"}
        messages = [{"role": roles[one[0]], "text": one[2:], "internal": one[0] == "i"} for one in said]
        self.path.write_text(json.dumps({"savedAt": self.seconds * 1000, "messages": messages, **rest}))
        os.utime(self.path, ns=(self.seconds * 10**9,) * 2)
        return self

    def later(self, seconds: int) -> Dashboard:
        self.seconds += seconds
        return self

    def open(self) -> Reading | None:
        return open_chat(
            ConversationFile(self.path.name, "dashboard", str(self.path)),
            self.bookmark,
            idle=lambda seen: self.seconds * 10**9 - seen.mtime_ns >= IDLE_NS,
            now=NOW,
            origins=lambda agent: self.origins,
        )

    def read(self) -> list[str] | None:
        reading = self.open()
        if reading is None:
            return None
        closed = list(reading.turns())
        marks = [*reading.marks, *(turn.mark(f"memo {turn.turn.ordinal}") for turn in closed if not turn.provisional)]
        self.bookmark = bookmark_after(reading, marks, settled=reading.idle)
        return [turn.turn.text for turn in closed]


@pytest.fixture
def chat(tmp_path: Path) -> Dashboard:
    return Dashboard(tmp_path / "dev.json")


def test_turns_are_taken_as_they_are_closed_and_internal_messages_never(chat):
    assert chat.save("u:a", "i:secret thoughts", "a:b", "a:c").read() == ["a"]
    assert chat.save("u:a", "i:secret thoughts", "a:b", "a:c", "u:d").read() == ["b\n\nc"]


def test_a_file_that_is_written_again_without_a_new_word_grows_quiet(chat):
    assert chat.save("u:a", "a:b").read() == ["a"]
    for _ in range(9):
        assert chat.later(30).save("u:a", "a:b").read() is None

    assert chat.later(30).save("u:a", "a:b").read() == ["b"]
    assert chat.later(30).save("u:a", "a:b").read() is None
    assert chat.later(9_000).save("u:a", "a:b").read() is None


def test_what_was_cut_away_at_the_front_is_not_missed(chat):
    chat.save("u:a", "a:b", "a:c", "u:d").read()

    assert chat.save("a:c", "u:d", "a:e", "u:f").read() == ["d", "e"]
    assert chat.save("u:f", "a:g", "u:h").read() == ["f", "g"]
    assert chat.bookmark is not None
    assert [mark.ordinal for mark in chat.bookmark.marks] == list(range(6))


def test_the_memo_goes_on_where_the_file_does(chat):
    chat.save("u:a", "a:b", "u:c").read()

    reading = chat.save("a:b", "u:c", "a:d").open()

    assert reading is not None
    assert reading.resumed is not None
    assert (reading.resumed.memo, reading.next_ordinal) == ("memo 1", 2)


def test_a_turn_that_was_answered_anew_is_taken_again(chat):
    chat.save("u:a", "a:b", "u:c", "a:d", "u:e").read()

    assert chat.save("u:a", "a:b", "u:c", "a:another answer", "u:e").read() == ["another answer"]


def test_a_chat_is_named_by_its_id_else_by_its_agent(chat):
    def name(reading: Reading | None) -> tuple[str, str]:
        assert reading is not None
        return reading.agent, reading.chat

    assert name(chat.save("u:a", chatId="chat_1", agentId="ops").open()) == ("ops", "chat_1")
    assert name(chat.save("u:a", chatId=17).open()) == ("dev", "17")
    assert name(chat.save("u:a").open()) == ("dev", "dev")


def test_another_chat_begins_where_no_turn_is_known(chat):
    chat.save("u:a", "a:b", "u:c").read()
    first = chat.bookmark
    assert chat.save("u:x", "a:y", "u:z").read() == ["x", "y"]
    second = chat.bookmark

    assert first is not None
    assert second is not None
    assert first.chat == "dev"
    assert second.chat.startswith("dev-")
    assert second.marks[0].ordinal == 0
    chat.bookmark = first
    chat.read()
    assert chat.bookmark == second


def test_a_chat_with_an_id_stays_the_same_though_all_we_knew_was_cut_away(chat):
    chat.save("u:a", "a:b", "u:c", chatId="k").read()

    reading = chat.save("u:x", "a:y", chatId="k").open()

    assert reading is not None
    assert (reading.chat, reading.next_ordinal) == ("k", 2)


def test_another_id_is_another_chat_though_its_words_are_the_same(chat):
    chat.save("u:a", "a:b", "u:c", chatId="k").read()

    assert chat.save("u:a", "a:b", "u:c", chatId="l").read() == ["a", "b"]


def as_known(chat, *turns, conversation="dev-77", before=0):
    """Let the vault have something from these turns of the file, which began ``before`` turns earlier."""
    reading = chat.open()
    found = [closed.turn for closed in reading.all_turns()]
    chat.origins += [Origin("dashboard", conversation, before + n, (0, 1), found[n].digest) for n in turns]


def test_a_lost_bookmark_is_made_up_for_by_what_the_vault_knows(chat):
    as_known(chat.save(f"u:my token is {TOKEN}"), 0)

    reading = chat.open()

    assert reading is not None
    assert reading.chat == "dev-77"
    (turn,) = reading.all_turns() or iter(())
    assert "hunter2" not in turn.turn.text


def test_the_vault_tells_which_turns_are_left_of_a_chat_that_was_cut(chat):
    as_known(chat.save("u:ok", "a:done", "u:now the cache of the till", "a:done"), 1, 2, 3, before=40)

    reading = chat.open()

    assert (reading.chat, reading.first_turn) == ("dev-77", 40)
    assert [closed.turn.ordinal for closed in reading.all_turns()] == [40, 41, 42, 43]


def test_a_turn_that_is_said_in_every_chat_does_not_make_one_of_two(chat):
    as_known(chat.save("u:the till", "a:it is mended now, and closes", "u:the test of it is green", "a:done"), 1, 2, 3)

    for said in (
        ["u:the oven", "a:done"],
        ["u:the oven", "a:looks good", "u:the test of it is green", "a:cold", "u:no"],
    ):
        reading = chat.save(*said).open()
        assert (reading.chat, reading.first_turn) == ("dev", 0)


def test_what_the_vault_knows_of_another_chat_says_nothing_of_one_with_an_id(chat):
    as_known(chat.save("u:ok", "a:done", chatId="k"), 0, 1, before=7)

    assert (chat.open().chat, chat.open().first_turn) == ("k", 0)


def test_half_a_file_waits_and_a_broken_one_is_named(chat):
    chat.save("u:a", "a:b", "u:c").read()
    whole = chat.bookmark
    chat.path.write_text('{"messages": [{"role": "us')
    os.utime(chat.path, ns=(chat.seconds * 10**9,) * 2)
    assert chat.read() is None

    reading = chat.later(400).open()
    assert reading is not None
    assert list(reading.turns()) == []
    assert [skipped.reason for skipped in reading.skipped] == ["not JSON"]
    assert whole is not None
    assert reading.marks == whole.marks


def test_an_emptied_chat_means_nothing(chat):
    chat.save("u:a", "a:b", "u:c").read()
    assert chat.later(400).save().read() == []

    assert chat.save("u:a", "a:b", "u:c", "a:d", "u:e").read() == ["c", "d"]


def test_messages_that_nobody_can_read_are_counted_by_kind(chat):
    odd = [{"role": "oracle", "text": "x"}, {"role": "user"}, 7, {"role": "user", "text": "a"}]
    reading = chat.save(messages=odd).open()

    assert reading is not None
    list(reading.turns())
    assert dict(reading.unknown_kinds) == {"role oracle": 1, "role ?": 1, "message without text": 1}


def test_an_agent_that_cannot_be_is_refused(chat):
    with pytest.raises(InvalidName):
        chat.save("u:a", agentId="../../escaped").open()


def test_secrets_are_gone_before_a_turn_exists(chat):
    reading = chat.save(f"u:my token is {TOKEN}", "a:b").open()

    assert reading is not None
    (closed,) = reading.turns()
    assert closed.turn.text == "my token is [REDACTED:token]"
    assert reading.redactions == 1


def test_whoever_opens_any_conversation_may_open_a_chat(chat):
    chat.save("u:a", "a:b")
    file = ConversationFile("dev.json", "dashboard", str(chat.path))

    reading = open_reading(file, None, idle=True, now=NOW)

    assert reading is not None
    assert [closed.turn.text for closed in reading.turns()] == ["a", "b"]


WORDS = st.lists(st.sampled_from(["ok", "yes", "a", "b", "c", "d"]), min_size=2, max_size=30)


@given(said=WORDS, cut=st.integers(0, 30), seen=st.integers(1, 30))
def test_alignment_passes_over_no_turn_whose_words_were_not_taken(said: Sequence[str], cut: int, seen: int):
    seen = min(seen, len(said) - 1)
    known, found = said[:seen][-TURNS_KNOWN:], [[word] for word in said[min(cut, seen) :]]

    held, taken = align(known, said[seen], found)

    assert held == len(known)
    assert {word for (word,) in found[:taken]} <= set(known)


@given(st.integers(1, 60), st.integers(0, 60))
def test_turns_that_differ_are_aligned_exactly(seen: int, kept: int):
    said = [str(number) for number in range(80)]
    cut = max(seen - kept, 0)

    held, taken = align(said[:seen][-TURNS_KNOWN:], said[seen], [[word] for word in said[cut:]])

    assert (held, taken) == (min(seen, TURNS_KNOWN), seen - cut)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("a b x d e", (2, 2)),
        ("x b c d e", (0, 0)),
        ("b x d", (2, 1)),
        ("x c d", (1, 0)),
        ("p q", (0, 0)),
    ],
)
def test_where_the_tail_was_changed_too_what_stands_before_it_holds(found: str, expected: tuple[int, int]):
    assert align(["a", "b", "c", "d"], "?", [[word] for word in found.split()]) == expected


def test_an_answer_longer_than_the_file_is_one_turn_of_one_chat(chat):
    assert chat.save("u:a", "a:1", "a:2").read() == ["a"]
    assert chat.save("a:2", "a:3", "a:4").read() == ["2\n\n3\n\n4"]
    assert chat.save("a:4", "a:5", "a:6").read() == ["4\n\n5\n\n6"]

    assert chat.save("a:6", "a:7", "u:b").read() == ["6\n\n7"]
    assert chat.bookmark is not None
    assert chat.bookmark.chat == "dev"


def test_a_reading_that_was_cut_short_is_finished_next_time(chat):
    chat.save("u:a", "a:b", "u:c", "a:d", "u:e")
    reading = chat.open()
    assert reading is not None
    first = next(reading.turns())
    chat.bookmark = bookmark_after(reading, [first.mark("memo 0")], settled=False)

    assert chat.read() == ["b", "c", "d"]


def test_a_file_without_measure_is_not_read(chat):
    with chat.path.open("wb") as handle:
        handle.truncate(MAX_CHAT_BYTES + 1)
    os.utime(chat.path, (1, 1))

    reading = chat.open()

    assert reading is not None
    assert list(reading.turns()) == []
    assert [skipped.reason for skipped in reading.skipped] == ["longer than 64 MB"]
