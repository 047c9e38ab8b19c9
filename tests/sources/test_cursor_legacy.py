from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.transcript import Record, SkippedLine, ToolUse
from agent_memory.sources import jsonl
from agent_memory.sources.base import Event
from agent_memory.sources.cursor import CURSOR
from agent_memory.sources.cursor_legacy import LAYOUT, events, gather

LEGACY = Path(__file__).parent.parent / "fixtures" / "transcripts" / "legacy.txt"


def read(data: bytes | str) -> list[Event]:
    raw = data.encode() if isinstance(data, str) else data
    return [event for line in gather(jsonl.split([raw])) for event in events(line)]


def said(data: bytes | str) -> list[tuple[str, str]]:
    return [(event.role, event.text) for event in read(data) if isinstance(event, Record)]


def test_the_ending_of_the_name_chooses_the_layout():
    assert CURSOR.layout_of("/x/a.b/c.txt") is LAYOUT
    assert CURSOR.layout_of("/x/a.b/c.jsonl").appended


def test_a_whole_chat_is_read():
    records = [event for event in read(LEGACY.read_bytes()) if isinstance(event, Record)]

    assert [record.role for record in records] == ["user", "assistant", "assistant", "user", "assistant"]
    assert records[0].text.startswith("Let's go with SQLite")
    assert str(records[0].said_at) == "2026-03-16 09:00:00+00:00"
    assert records[1].text == "I will look at the schema first."
    assert records[1].tools == (ToolUse("Read", ("src/store.py",)), ToolUse("Write", ("src/orders.py",)))
    assert records[2].text.startswith("Done, the store uses SQLite now.")
    assert not records[2].tools
    assert not [record for record in records if "Postgres" in record.text or "elsewhere" in record.text]


def test_a_mark_inside_a_quoted_prompt_is_part_of_it():
    text = "user:\n<user_query>\nWhat does\nassistant:\nmean?\n</user_query>\n\nA:\nThe agent speaks.\n"

    assert said(text) == [("user", "What does\nassistant:\nmean?"), ("assistant", "The agent speaks.")]


def test_a_mark_inside_a_line_is_none():
    assert said("user:\nwho is user: and assistant: here?\n") == [("user", "who is user: and assistant: here?")]


@pytest.mark.parametrize("change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\xef\xbb\xbf" + data])
def test_line_ends_and_byte_order_marks_make_no_difference(change):
    assert said(change(LEGACY.read_bytes())) == said(LEGACY.read_bytes())


def test_text_before_anybody_speaks_is_named():
    (event,) = read("Exported by somebody\n\n")

    assert isinstance(event, SkippedLine)
    assert event.kind == "text without speaker"
    assert read("\n \n") == []


def test_a_speech_that_is_too_long_is_passed_over():
    events_ = read(b"user:\n" + b"x" * 5_000_000 + b"\n" + b"y" * 5_000_000 + b"\nA:\nhello\n")

    assert events_[0] == SkippedLine(1, "longer than 8 MB")
    assert isinstance(events_[1], Record)


MARKS = ["user:", "assistant:", "A:", "<user_query>", "</user_query>"]
ROWS = st.sampled_from([*MARKS, "x", "", "  y", "[Thinking] z", "[Tool call] T", "[Tool result] T", "é\x85"])


@given(st.lists(ROWS, max_size=30))
def test_whatever_it_holds_it_comes_apart_without_a_gap(rows):
    data = "\n".join(rows).encode()

    lines = list(gather(jsonl.split([data])))

    assert b"\n".join(line.raw for line in lines) == data.removesuffix(b"\n")
    assert all(line.start_bytes == data.find(line.raw, line.start_bytes) for line in lines)
    for line in lines:
        list(events(line))
