"""Where a conversation is opened: what is new in its file, and the bookmark behind what was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from agent_memory.model.transcript import Bookmark, ConversationFile, Mark
from agent_memory.sources import source_named
from agent_memory.system import files
from agent_memory.tailing.chat import open_chat
from agent_memory.tailing.decide import needs_reading
from agent_memory.tailing.reading import ClosedTurn as ClosedTurn
from agent_memory.tailing.reading import Reading as Reading
from agent_memory.tailing.reading import read_between, standing_marks

HEAD_BYTES: Final = 1024


def open_reading(file: ConversationFile, bookmark: Bookmark | None, *, idle: bool, now: datetime) -> Reading | None:
    """Prepare to read what is new in ``file``; None where there is nothing to do, ``FileError`` if it cannot be read.

    ``idle`` says that nobody has written to it for the idle threshold: then what is open is closed, provisionally,
    and a last line without its end counts if it is a whole JSON object. No turn is later than ``now``.
    """
    source = source_named(file.source)
    if source.chat_of is not None:
        return open_chat(file, bookmark, idle=lambda seen: idle, now=now)
    path = Path(file.path)
    if not needs_reading(files.identify(path), bookmark, idle=idle):
        return None
    with files.opened(path) as (handle, identity):
        marks = standing_marks(handle, identity.size, bookmark, source.layout_of(file.path), idle=idle)
        head = read_between(handle, 0, min(HEAD_BYTES, identity.size))
    if not needs_reading(identity, bookmark, idle=idle):
        return None
    reading = Reading(file, identity, marks, head, idle=idle, now=now)
    reading.known_alarms = bookmark.alarms if bookmark and marks else ()
    return reading


def bookmark_after(reading: Reading, marks: Sequence[Mark], *, settled: bool) -> Bookmark:
    """Return the bookmark behind the last of ``marks``: those that the reading found standing, then its own.

    Only the last ones are kept. A bookmark of a reading that is not finished describes the file as older than
    it is, so that the rest is read even if nobody writes to it again.
    """
    kept = tuple(marks)[-reading.marks_kept :]
    # The head ends where the first mark does, so that a change behind it costs no more than the marks there.
    head = reading.head[: kept[0].end_bytes if kept else 0]
    identity = reading.identity
    if not reading.finished:
        identity = replace(identity, size=kept[-1].end_bytes if kept else 0, mtime_ns=0)
    return Bookmark(
        conversation=reading.file.conversation,
        path=reading.file.path,
        identity=identity,
        head_bytes=len(head),
        head_digest=(reading.finished and reading.content_digest) or files.digest_of(head),
        settled=settled and reading.finished,
        marks=kept,
        alarms=reading.alarms,
        chat=reading.chat,
        tail=reading.tail if reading.finished else "",
    )
