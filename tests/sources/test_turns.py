from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agent_memory.model.transcript import Record, Role, Turn
from agent_memory.sources.base import Status
from agent_memory.sources.turns import Assembly, Setting

NOW = datetime(2026, 3, 16, 12, 0, tzinfo=UTC)
EARLIER = NOW - timedelta(hours=1)
FALLBACK = NOW - timedelta(minutes=5)
ENDED = Status(ends_turn=True)


def said(role: Role, text: str = "x", *, at: datetime | None = None, injected: bool = False) -> Record:
    return Record(role, text, len(text), said_at=at, injected=injected)


def assembled(*events: Record | Status) -> tuple[list[Turn], Assembly]:
    assembly = Assembly(Setting("c", "cursor", from_agent=False, fallback=FALLBACK, now=NOW))
    return [turn for event in events if (turn := assembly.feed(event))], assembly


def test_a_user_turn_waits_for_the_next_record_of_any_kind():
    for event in (said("assistant"), said("user"), said("user", injected=True), Status(), ENDED):
        assert assembled(said("user", "a"))[0] == []
        assert [turn.text for turn in assembled(said("user", "a"), event)[0]] == ["a"]


def test_an_assistant_turn_is_all_records_up_to_the_next_user():
    turns, assembly = assembled(said("assistant", "a"), Status(), said("assistant", "b"), said("user", "c"))

    assert [(turn.role, turn.text) for turn in turns] == [("assistant", "a\n\nb")]
    assert assembly.is_open


def test_the_end_of_the_turn_closes_it_whoever_speaks_next():
    turns, _ = assembled(said("assistant", "a"), ENDED, said("assistant", "b"), ENDED)

    assert [(turn.ordinal, turn.text) for turn in turns] == [(0, "a"), (1, "b")]


def test_two_messages_in_a_row_are_two_turns():
    turns, _ = assembled(said("user", "a"), said("user", "b"), ENDED)

    assert [(turn.ordinal, turn.text) for turn in turns] == [(0, "a"), (1, "b")]


def test_an_injected_message_is_no_turn_but_parts_what_the_assistant_says():
    with_status = assembled(said("assistant", "a"), ENDED, said("user", injected=True), said("assistant", "b"), ENDED)[
        0
    ]
    without = assembled(said("assistant", "a"), said("user", injected=True), said("assistant", "b"), ENDED)[0]

    assert with_status == without
    assert [turn.text for turn in without] == ["a", "b"]


def test_an_orphan_end_closes_nothing():
    turns, assembly = assembled(ENDED, Status(), ENDED)

    assert turns == []
    assert not assembly.is_open
    assert assembly.close() is None


def test_assistants_inherit_the_last_known_time():
    turns, _ = assembled(said("user", at=EARLIER), said("assistant"), said("user"), ENDED)

    assert {turn.at for turn in turns} == {EARLIER}
    assert not any(turn.approximate for turn in turns)


def test_before_any_time_is_known_the_fallback_serves_and_says_so():
    turns, _ = assembled(said("user"), said("assistant"), said("user", at=EARLIER), ENDED)

    assert [(turn.at, turn.approximate) for turn in turns] == [(FALLBACK, True), (FALLBACK, True), (EARLIER, False)]


def test_an_injected_message_still_tells_the_time():
    turns, _ = assembled(said("user", at=EARLIER, injected=True), said("assistant"), ENDED)

    assert turns[0].at == EARLIER


def test_a_time_to_come_counts_as_now():
    turns, assembly = assembled(said("user", at=NOW + timedelta(days=400)), ENDED)

    assert (turns[0].at, turns[0].approximate) == (NOW, True)
    assert assembly.known_time == NOW + timedelta(days=400)


def test_a_sub_agents_turns_say_so():
    assembly = Assembly(Setting("c", "cursor", from_agent=True, fallback=FALLBACK, now=NOW), next_ordinal=7)
    assembly.feed(said("user"))

    turn = assembly.close()

    assert turn is not None
    assert (turn.ordinal, turn.from_agent) == (7, True)
