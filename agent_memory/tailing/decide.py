"""What has become of a file since it was last read, from what ``stat`` says and from digests: no disk.

``stat`` alone decides only that nothing needs doing. Where reading goes on is decided by bytes, since
inodes are reused, times are copied, and a file may be rewritten in place to the same size.
"""

from __future__ import annotations

from collections.abc import Callable

from agent_memory.model.transcript import Bookmark, FileIdentity, Mark


def needs_reading(seen: FileIdentity | None, bookmark: Bookmark | None, *, idle: bool) -> bool:
    """Tell whether a file, as ``stat`` sees it now, may hold something to take.

    An empty file means nothing, least of all "forget": a crash of the machine empties files. An unchanged one
    waits until the idle close of its last turn is due.
    """
    if seen is None or seen.size == 0:
        return False
    unchanged = bookmark is not None and seen == bookmark.identity
    return not unchanged or (idle and not (bookmark and bookmark.settled))


def marks_that_hold(bookmark: Bookmark | None, digest: Callable[[int, int], str]) -> tuple[Mark, ...]:
    """Return the marks whose bytes, and the bytes of all marks before them, are still in the file.

    ``digest`` is of the file's bytes from one offset to another, or to its end.
    """
    if bookmark is None or digest(0, bookmark.head_bytes) != bookmark.head_digest:
        return ()
    held: list[Mark] = []
    for mark in bookmark.marks:
        if digest(mark.end_bytes - mark.window_bytes, mark.end_bytes) != mark.digest:
            break
        held.append(mark)
    return tuple(held)
