from __future__ import annotations

import json

import pytest

from agent_memory.model.transcript import Record
from agent_memory.sources.base import Chat
from agent_memory.sources.dashboard import chat_of, conversation_of


def chat(**value: object) -> Chat:
    return chat_of(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("dev.json", ("dev.json", None)),
        ("ação.json", ("ação.json", None)),
        ("dev.jsonl", None),
        (".dev.json", None),
        ("_x.json", None),
        ("a/dev.json", None),
    ],
)
def test_a_chat_is_known_by_its_place(path, expected):
    assert conversation_of(tuple(path.split("/"))) == expected


def test_messages_become_records_and_internal_ones_do_not():
    messages = [
        {"role": "user", "text": " olá "},
        {"role": "agent", "text": "hidden", "internal": True},
        {"role": "agent", "text": "hi", "internal": False, "diffs": [], "targetAgentIds": ["x"]},
        {"role": "agent", "text": "  "},
    ]

    found = chat(messages=messages).events

    assert [(event.role, event.text) for event in found if isinstance(event, Record)] == [
        ("user", "olá"),
        ("assistant", "hi"),
    ]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-03-16T09:00:00Z", "2026-03-16 09:00:00+00:00"),
        ("2026-03-16T09:00:00.123-03:00", "2026-03-16 12:00:00.123000+00:00"),
        (1773651600000, "2026-03-16 09:00:00+00:00"),
        (0, "None"),
        (1e300, "None"),
        (True, "None"),
        ("soon", "None"),
        (None, "None"),
    ],
)
def test_when_it_was_saved_may_be_text_or_milliseconds(given, expected):
    assert str(chat(messages=[], savedAt=given).saved_at) == expected


@pytest.mark.parametrize("data", [b"", b'{"messages": [', b"[" * 100_000, b"\xff\xfe"])
def test_half_a_file_is_no_chat(data):
    assert not chat_of(data).whole


@pytest.mark.parametrize("data", [b"null", b"[]", b"{}", b'{"messages": {}}', b'\xef\xbb\xbf{"messages": 3}'])
def test_a_file_of_another_kind_is_named(data):
    found = chat_of(data)

    assert found.whole
    assert [event.kind for event in found.events if not isinstance(event, Record)] == ["file without messages"]


@pytest.mark.parametrize("given", [None, True, ["x"], {}])
def test_an_id_of_another_kind_is_none(given):
    assert chat(messages=[], chatId=given, agentId=given).chat_id == ""


def test_lone_surrogates_never_leave_the_parser():
    (event,) = chat(messages=[{"role": "user", "text": "a\ud83d"}]).events

    assert isinstance(event, Record)
    assert event.text.encode("utf-8")
