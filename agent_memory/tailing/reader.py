"""Where a conversation is opened: what is new in its file, and the bookmark behind what was taken.

Reading never moves the bookmark: the caller stores what a turn led to and only then saves the one made by
``bookmark_after``.
"""

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
from agent_memory.tailing.resume import read_between, standing_marks
from agent_memory.tailing.secrets import Redact

HEAD_BYTES: Final = 1024


def open_reading(
    file: ConversationFile, bookmark: Bookmark | None, *, idle: bool, now: datetime, redact: Redact
) -> Reading | None:
    """Prepare to read what is new in ``file``; None where there is nothing to do.

    Args:
        file: The conversation.
        bookmark: How far it has been taken, None if never.
        idle: Whether nobody has written to it for the idle threshold; then what is open is closed,
            provisionally, and a last line without its end counts if it is a whole JSON object.
        now: The present; no turn is later.
        redact: Takes secrets out of a text.

    Raises:
        FileError: The file is there but cannot be read.
    """
    source = source_named(file.source)
    if source.chat_of is not None:
        return open_chat(file, bookmark, idle=lambda seen: idle, now=now, redact=redact)
    path = Path(file.path)
    if not needs_reading(files.identify(path), bookmark, idle=idle):
        return None
    with files.opened(path) as (handle, identity):
        marks = standing_marks(handle, identity.size, bookmark, source.layout_of(file.path), idle=idle)
        head = read_between(handle, 0, min(HEAD_BYTES, identity.size))
    if not needs_reading(identity, bookmark, idle=idle):
        return None
    reading = Reading(source, file, identity, marks, head, idle=idle, now=now, redact=redact)
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
