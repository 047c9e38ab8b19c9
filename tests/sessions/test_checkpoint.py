import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent_memory.errors import UsageError
from agent_memory.model.memory import PageRef
from agent_memory.model.session import Checkpoint
from agent_memory.sessions.checkpoint import bare, is_fresh, is_message, parse, recovering, to_json
from tests.builders import A_DAY, a_memory, a_record, a_turn

HANDOFFS = PageRef("dev", "handoffs")


def said(*texts, role="user"):
    return tuple({"role": role, "text": text} for text in texts)


def a_checkpoint(*messages, saved_at=A_DAY, **rest):
    return Checkpoint("dev", saved_at, messages or said("hi"), **rest)


def test_the_format_is_that_of_the_npm_package():
    one = a_checkpoint(*said("olá"), chat_id="c1", model_id="m")

    assert json.loads(to_json(one)) == {
        "agentId": "dev",
        "savedAt": int(A_DAY.timestamp() * 1000),
        "messages": [{"role": "user", "text": "olá"}],
        "chatId": "c1",
        "modelId": "m",
    }
    assert list(json.loads(to_json(a_checkpoint()))) == ["agentId", "savedAt", "messages"]
    assert parse(to_json(one), "dev") == one


@pytest.mark.parametrize("saved_at", ['"soon"', "true", "1e300", "null", "-1e17", "[]"])
def test_without_a_time_it_is_none(saved_at):
    assert parse(f'{{"savedAt": {saved_at}, "messages": []}}'.encode(), "dev") is None


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "{}", '{"savedAt": 1773679871839}', "[" * 100_000])
def test_what_is_none_is_none(text):
    assert parse(text.encode(), "dev") is None


def test_what_is_no_message_is_passed_over():
    odd = [
        None,
        "x",
        {"role": "user"},
        {"role": ["user"], "text": "x"},
        {"role": "system", "text": "x"},
        {"role": "agent", "text": 1},
    ]

    assert not any(map(is_message, odd))
    value = json.dumps({"savedAt": 1773679871839, "messages": [*odd, {"role": "agent", "text": "y"}]})
    found = parse(value.encode(), "dev")
    assert found is not None
    assert found.messages == ({"role": "agent", "text": "y"},)


def test_the_last_fifty_are_kept_every_text_in_them_cleaned():
    many = [{"role": "user", "text": f"{n}", "diffs": [{"diff": "secret"}]} for n in range(60)]

    kept = bare(a_checkpoint(*many, *said("secret")), lambda text: text.replace("secret", "")).messages

    assert [message["text"] for message in kept] == [f"{n}" for n in range(11, 60)]
    assert kept[0]["diffs"] == [{"diff": ""}]


def test_a_message_that_nobody_could_look_through_is_refused():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(UsageError):
        bare(a_checkpoint({"role": "user", "text": "x", "diffs": deep}), str)


@pytest.mark.parametrize(("days", "fresh"), [(0, True), (6.99, True), (7, False), (-6.99, True), (-7, False)])
def test_it_expires_after_a_week_though_a_clock_was_wrong(days, fresh):
    assert is_fresh(a_checkpoint(saved_at=A_DAY - timedelta(days=days)), now=A_DAY, days=7) is fresh


@pytest.mark.parametrize("ms", [1773679871839, 1773679871001, 1796037091693])
def test_the_time_of_saving_survives_to_the_millisecond(ms):
    found = parse(f'{{"savedAt": {ms}, "messages": []}}'.encode(), "dev")
    assert found is not None
    assert json.loads(to_json(found))["savedAt"] == ms


def test_half_a_character_of_utf_16_survives():
    value = b'{"savedAt": 1773679871839, "messages": [{"role": "user", "text": "\\ud83d"}]}'

    found = parse(value, "dev")
    assert found is not None
    assert parse(to_json(found), "dev") == found


def test_the_last_three_messages_of_a_session_that_broke_off_are_recovered():
    one = a_checkpoint(*said("a", "b"), {"role": "agent", "text": "i", "internal": True}, *said("c", "d"))

    assert recovering(one, []) == said("b", "c", "d")
    assert recovering(one, [a_memory(page=HANDOFFS, at=A_DAY - timedelta(minutes=1))]) == said("b", "c", "d")


@pytest.mark.parametrize("later_s", [0, 29, -3600])
def test_a_handoff_of_that_minute_or_later_has_taken_it_over(later_s):
    day = datetime(2026, 3, 16, 10, 30, tzinfo=UTC)
    one = a_checkpoint(saved_at=day + timedelta(seconds=later_s))

    assert recovering(one, [a_memory(page=HANDOFFS, at=day)]) == ()


def test_a_handoff_that_covers_the_last_turn_has_taken_it_over_however_late_it_was_saved():
    turn = a_turn("Done.", "All green.", role="assistant")
    records = tuple(a_record(record.text, role="assistant") for record in turn.records)
    assert len(records) == 2
    origin = f"dashboard/dev/1/0-0/{turn.digest}"
    handoff = a_memory(page=HANDOFFS, at=A_DAY - timedelta(days=1), meta={"origin": origin})
    whole = (*said("go"), *said("Done.", " All green.\n", role="agent"))

    assert recovering(a_checkpoint(*whole), [handoff]) == ()
    assert recovering(a_checkpoint(*whole, *said("and now?")), [handoff]) == (*whole[1:], *said("and now?"))
