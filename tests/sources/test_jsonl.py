from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.model.transcript import SkippedLine
from agent_memory.sources import jsonl
from agent_memory.sources.base import Line
from agent_memory.sources.jsonl import MAX_LINE_BYTES, Piece, is_blank, is_whole, objects, split


def pieces_of(data: bytes) -> list[Piece | SkippedLine]:
    return [piece for line in split([data]) for piece in objects(line)]


def values_of(data: bytes) -> list[dict[str, object]]:
    return [piece.value for piece in pieces_of(data) if isinstance(piece, Piece)]


def test_every_object_knows_exactly_its_bytes():
    data = b'\xef\xbb\xbf{"a":1}\r\n  {"b":"\xc3\xa9"}{"c":3}\r\n\n{"d":4}'

    found = [data[piece.start_bytes : piece.end_bytes] for piece in pieces_of(data) if isinstance(piece, Piece)]

    assert found == [b'{"a":1}', b'{"b":"\xc3\xa9"}', b'{"c":3}', b'{"d":4}']


def test_lines_end_at_line_feeds_only():
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"
    data = (
        json.dumps({"t": text.replace("\x0b", "").replace("\x0c", "").replace("\x1c", "")}, ensure_ascii=False) + "\n"
    ).encode()

    assert values_of(data) == [{"t": "a\u2028b\u2029c\x85defg"}]
    assert [line.number for line in split([data])] == [1]


@pytest.mark.parametrize("marks", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"])
def test_byte_order_marks_are_no_damage(marks):
    assert pieces_of(marks + b'{"a":1}\n') == [Piece({"a": 1}, len(marks), len(marks) + 7)]


def test_runs_of_nul_between_objects_are_no_damage():
    assert values_of(b'{"a":1}\n\0\0\0\0{"b":2}\0\0\n\0\0\0\n{"c":3}\n') == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert not [piece for piece in pieces_of(b"\0\0\0\n") if isinstance(piece, SkippedLine)]


def test_a_record_glued_to_a_torn_one_is_saved():
    data = b'{"role":"assistant","message":{"content":[{"type":"te{"role":"user","message":{"content":"oi"}}\n'

    assert pieces_of(data) == [
        SkippedLine(1, "not JSON"),
        Piece({"role": "user", "message": {"content": "oi"}}, 53, len(data) - 1),
    ]


def test_an_object_nested_in_damage_is_never_taken_for_a_record():
    data = b'{"role":"assistant" "message":{"role":"user","message":{"content":"obey"}}}\n'

    assert pieces_of(data) == [SkippedLine(1, "not JSON")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"hello", "not JSON"),
        (b"[1,2]", "no JSON object"),
        (b"12", "no JSON object"),
        (b'"text"', "no JSON object"),
        (b"null", "no JSON object"),
        (b'{"a":"\0"}', "not JSON"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5_000, "not JSON"),
    ],
)
def test_what_is_no_object_is_named_with_its_line(line, reason):
    assert pieces_of(b'{"ok":1}\n' + line + b"\n")[1:] == [SkippedLine(2, reason)]


def test_reasons_never_quote_the_text():
    reasons = [piece.reason for piece in pieces_of(b'{"password": hunter2}\n') if isinstance(piece, SkippedLine)]

    assert reasons
    assert not any("hunter2" in reason for reason in reasons)


def test_invalid_utf8_costs_its_characters_only():
    data = b'{"a":"x\xff\xfey"}{"b":1}\n'

    first, second = pieces_of(data)

    assert isinstance(first, Piece)
    assert isinstance(second, Piece)
    assert data[second.start_bytes : second.end_bytes] == b'{"b":1}'


def test_a_lone_surrogate_escape_is_accepted():
    assert values_of(b'{"a":"\\ud83d"}\n') == [{"a": "\ud83d"}]


def test_a_line_that_is_too_long_is_skipped_without_being_kept():
    long = b"x" * (MAX_LINE_BYTES + 1)
    lines = list(split([long[:5_000_000], long[5_000_000:] + b"\n", b'{"a":1}\n']))

    assert [(line.number, line.oversize, line.raw) for line in lines] == [(1, True, b""), (2, False, b'{"a":1}')]
    assert lines[1].start_bytes == len(long) + 1
    assert list(objects(lines[0])) == [SkippedLine(1, "longer than 8 MB")]


def test_a_line_of_exactly_the_limit_is_read():
    line = b'{"a":"' + b"x" * (MAX_LINE_BYTES - 8) + b'"}'

    assert [piece.reason for piece in pieces_of(line + b"\n") if isinstance(piece, SkippedLine)] == []


def test_damage_that_looks_like_a_thousand_records_is_given_up_soon():
    line = b'{"role":' * 200_000

    assert len(pieces_of(line + b"\n")) == 1


def test_only_whole_objects_let_an_unterminated_line_pass():
    assert is_whole(Line(1, 0, b'{"a":1}', terminated=False))
    assert not is_whole(Line(1, 0, b'{"a":1', terminated=False))
    assert is_whole(Line(1, 0, b'{"a":1}{"b":2}', terminated=False))
    assert not is_whole(Line(1, 0, b'{"a":1}{"b":', terminated=False))
    assert not is_whole(Line(1, 0, b"17", terminated=False))
    assert not is_whole(Line(1, 0, b"", terminated=False))


def test_a_line_of_filler_is_blank():
    assert is_blank(Line(1, 0, b" \t\r\0\0"))
    assert not is_blank(Line(1, 0, b"{"))


def test_only_an_object_parses_as_one():
    assert jsonl.parse_object('{"a": 1}') == {"a": 1}
    assert [jsonl.parse_object(text) for text in ("[1]", "", "{", "[" * 100_000)] == [None] * 4


@given(st.lists(st.binary(max_size=40), max_size=12), st.integers(1, 7))
def test_splitting_does_not_depend_on_the_chunks(parts, size):
    data = b"\n".join(parts)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]

    lines = list(split(chunks))

    assert lines == list(split([data]))
    assert b"\n".join(line.raw for line in lines) == data.removesuffix(b"\n")
    assert all(data[line.start_bytes :].startswith(line.raw) for line in lines)


@given(
    st.lists(
        st.sampled_from([b'{"role":"user"}', b'{"a":"\xc3\xa9"}', b"\0\0", b" ", b"x", b"{", b"7", b"\xff"]), max_size=8
    )
)
def test_reading_on_behind_any_object_gives_the_rest(parts):
    data = b"".join(parts) + b"\n"
    found = pieces_of(data)

    for position, piece in enumerate(found):
        if isinstance(piece, Piece):
            (line,) = split([data[piece.end_bytes :]], start_bytes=piece.end_bytes)
            assert list(objects(line)) == found[position + 1 :]
