"""From where reading may go on, and the bytes from there.

A mark stands if its bytes are still in the file and what follows does not belong to the turn before it:
both, because a rewrite may leave a turn's bytes alone and take away what had closed it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

from agent_memory.model.transcript import Bookmark, Mark, Record
from agent_memory.sources import jsonl
from agent_memory.sources.base import Layout, Line, Status
from agent_memory.system.files import digest_of
from agent_memory.tailing.decide import marks_that_hold

CHUNK_BYTES: Final = 256 * 1024


def standing_marks(
    handle: BinaryIO, end: int, bookmark: Bookmark | None, layout: Layout, *, idle: bool
) -> tuple[Mark, ...]:
    """Return the marks from whose last reading may go on, in a file of which the first ``end`` bytes count."""
    if not layout.appended:
        return ()
    marks = marks_that_hold(bookmark, lambda start, stop: digest_of(read_between(handle, start, min(stop, end))))
    while marks and _runs_on(handle, end, marks[-1], layout, idle=idle):
        marks = marks[:-1]
    return marks


def counts(line: Line, layout: Layout, *, idle: bool) -> bool:
    """Tell whether a line is complete: terminated, or whole in a file that is still."""
    return line.terminated or (idle and layout.is_whole(line))


def read_between(handle: BinaryIO, start: int, end: int) -> bytes:
    """Return the bytes from ``start`` to ``end``, fewer where the file is shorter."""
    start = max(start, 0)
    handle.seek(start)
    return handle.read(max(end - start, 0))


def chunks(handle: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes from ``start`` to ``end`` a piece at a time."""
    handle.seek(start)
    while start < end and (chunk := handle.read(min(CHUNK_BYTES, end - start))):
        start += len(chunk)
        yield chunk


def _runs_on(handle: BinaryIO, end: int, mark: Mark, layout: Layout, *, idle: bool) -> bool:
    if mark.role == "user":
        return False
    for line in jsonl.split(chunks(handle, mark.end_bytes, end), start_bytes=mark.end_bytes):
        for event in layout.events(line) if counts(line, layout, idle=idle) else ():
            if isinstance(event, Record):
                return event.role == "assistant"
            if isinstance(event, Status) and event.ends_turn:
                return False
    return False
