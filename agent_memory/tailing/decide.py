"""What has become of a file since it was last read, from what ``stat`` says and from digests: no disk.

``stat`` alone decides only that nothing needs doing. Where reading goes on is decided by bytes, since
inodes are reused, times are copied, and a file may be rewritten in place to the same size.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from agent_memory.model.transcript import Bookmark, FileIdentity, Mark


class Change(Enum):
    """What has become of a file; the first four need no reading."""

    GONE = "gone"
    EMPTIED = "emptied"  # a crash of the machine does that; it means nothing, least of all "forget"
    SETTLED = "settled"
    WAITING = "waiting"  # unchanged, but its last turn has not had its idle close
    IDLE = "idle"  # unchanged, and the idle close is due
    NEW = "new"
    GROWN = "grown"
    TRUNCATED = "truncated"
    REPLACED = "replaced"  # another file has taken the name
    REWRITTEN = "rewritten"

    @property
    def needs_reading(self) -> bool:
        """Whether there may be something to take."""
        return self not in (Change.GONE, Change.EMPTIED, Change.SETTLED, Change.WAITING)


def decide(seen: FileIdentity | None, bookmark: Bookmark | None, *, idle: bool) -> Change:
    """Compare a file as it is with the bookmark.

    Args:
        seen: What ``stat`` says now, None if there is no file.
        bookmark: How far it has been taken, None if never.
        idle: Whether nobody has written to it for the idle threshold.
    """
    if seen is None:
        return Change.GONE
    if seen.size == 0:
        return Change.EMPTIED
    if bookmark is None:
        return Change.NEW
    if seen == bookmark.identity:
        return Change.SETTLED if bookmark.settled else Change.IDLE if idle else Change.WAITING
    return _difference(seen, bookmark.identity)


def marks_that_hold(bookmark: Bookmark | None, digest: Callable[[int, int], str]) -> tuple[Mark, ...]:
    """Return the marks whose bytes, and the bytes of all marks before them, are still in the file.

    Args:
        bookmark: Where the marks are, oldest first.
        digest: Returns the digest of the file's bytes from one offset to another; where the file is
            shorter, of fewer bytes.
    """
    if bookmark is None or digest(0, bookmark.head_bytes) != bookmark.head_digest:
        return ()
    held: list[Mark] = []
    for mark in bookmark.marks:
        if digest(mark.end_bytes - mark.window_bytes, mark.end_bytes) != mark.digest:
            break
        held.append(mark)
    return tuple(held)


def _difference(seen: FileIdentity, before: FileIdentity) -> Change:
    if (seen.device, seen.inode) != (before.device, before.inode):
        return Change.REPLACED
    if seen.size == before.size:
        return Change.REWRITTEN
    return Change.GROWN if seen.size > before.size else Change.TRUNCATED
