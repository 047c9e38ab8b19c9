import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.sessions.conversation import trimmed

MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "agent", "assistant"]), "text": st.text(max_size=3)},
    optional={"internal": st.booleans(), "diffs": st.just([1])},
)
ODD = st.sampled_from([None, 7, {"role": "system", "text": "x"}, {"role": "user"}, {"role": "user", "text": 1}])


def chat(*roles, **rest):
    return json.dumps({**rest, "messages": [{"role": role, "text": f"{n}"} for n, role in enumerate(roles)]}).encode()


def left(data, keep):
    cut = trimmed(data, keep)
    return None if cut is None else [message["text"] for message in json.loads(cut.data)["messages"]]


def test_the_newest_stay():
    data = chat(*["user", "agent"] * 5)

    assert left(data, 4) == ["6", "7", "8", "9"]
    cut = trimmed(data, 4)
    assert cut is not None
    assert cut.removed == 6
    assert trimmed(data, 10) is None


def test_the_last_turn_stays_whole_since_it_may_grow():
    assert left(chat("user", "agent", "user", *["agent"] * 6), 3) == ["3", "4", "5", "6", "7", "8"]
    assert trimmed(chat(*["agent"] * 6), 3) is None
    assert left(chat(*["user"] * 6), 3) == ["3", "4", "5"]


def test_whatever_else_a_host_keeps_there_stays():
    cut = trimmed(chat(*["user"] * 5, agentId="dev", savedAt=1.5, theirs={"ç": [None]}), 2)
    assert cut is not None
    kept = json.loads(cut.data)

    assert {**kept, "messages": 0} == {"agentId": "dev", "savedAt": 1.5, "theirs": {"ç": [None]}, "messages": 0}


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[1]", "{}", '{"messages": 3}', "[" * 100_000, '{"messages": "' + "x" * 50]
)
def test_what_is_no_conversation_is_left_alone(text):
    assert trimmed(text.encode(), 2) is None


def test_what_is_not_utf_8_is_left_alone():
    assert trimmed(chat(*["user"] * 5).replace(b'"0"', b'"\xff"'), 2) is None


@given(st.lists(MESSAGE | ODD, max_size=12), st.integers(1, 6))
def test_what_nobody_can_read_stays_and_twice_is_once(messages, keep):
    data = json.dumps({"messages": messages}).encode()
    cut = trimmed(data, keep)
    if cut is None:
        return
    after = json.loads(cut.data)["messages"]

    def readable(value):
        return isinstance(value, dict) and isinstance(value.get("text"), str) and value.get("role") != "system"

    assert cut.removed == len(messages) - len(after) > 0
    assert [value for value in after if not readable(value)] == [value for value in messages if not readable(value)]
    newest = [value for value in after if readable(value)]
    assert newest == [value for value in messages if readable(value)][-len(newest) :]
    assert len(newest) >= keep
    assert trimmed(cut.data, keep) is None
