from __future__ import annotations

from dataclasses import replace

import pytest

from agent_memory.model.transcript import Bookmark, FileIdentity, Mark
from agent_memory.tailing.decide import marks_that_hold, needs_reading

SEEN = FileIdentity(device=1, inode=2, size=300, mtime_ns=1_000)
MARKS = tuple(
    Mark(n, "user", end, 50, f"50@{end}", "{}", lines=n, said_at=None) for n, end in enumerate((100, 200, 300))
)
BOOKMARK = Bookmark("c", "/t/c.jsonl", SEEN, head_bytes=80, head_digest="80@80", marks=MARKS)


def whole(start: int, end: int) -> str:
    return f"{end - start}@{end}"


def broken_at(place: int):
    return lambda start, end: "other" if start <= place < end else whole(start, end)


@pytest.mark.parametrize(
    ("seen", "bookmark", "idle", "expected"),
    [
        (None, None, True, False),
        (None, BOOKMARK, False, False),
        (replace(SEEN, size=0), BOOKMARK, True, False),
        (replace(SEEN, size=0), None, True, False),
        (SEEN, None, False, True),
        (SEEN, BOOKMARK, False, False),
        (SEEN, BOOKMARK, True, True),
        (SEEN, replace(BOOKMARK, settled=True), True, False),
        (SEEN, replace(BOOKMARK, settled=True), False, False),
        (replace(SEEN, size=400, mtime_ns=2), BOOKMARK, False, True),
        (replace(SEEN, size=299, mtime_ns=2), BOOKMARK, False, True),
        (replace(SEEN, mtime_ns=2), replace(BOOKMARK, settled=True), False, True),
        (replace(SEEN, inode=3), BOOKMARK, False, True),
        (replace(SEEN, device=3, size=400), BOOKMARK, False, True),
    ],
)
def test_only_a_file_that_is_there_and_may_hold_more_is_read(seen, bookmark, idle, expected):
    assert needs_reading(seen, bookmark, idle=idle) is expected


def test_marks_hold_while_their_bytes_do():
    assert marks_that_hold(BOOKMARK, whole) == MARKS
    assert marks_that_hold(BOOKMARK, broken_at(260)) == MARKS[:2]


def test_a_mark_is_worth_nothing_behind_one_that_does_not_hold():
    assert marks_that_hold(BOOKMARK, broken_at(160)) == MARKS[:1]
    assert marks_that_hold(BOOKMARK, broken_at(90)) == ()


def test_another_beginning_is_another_file():
    assert marks_that_hold(BOOKMARK, broken_at(10)) == ()


def test_without_a_bookmark_there_is_nothing_to_hold():
    assert marks_that_hold(None, whole) == ()
