"""Turns out of one file, from the last place that still stands, without ever moving the bookmark.

The caller stores what a turn led to and only then saves the bookmark made by ``bookmark_after``. Marks are digests
of the very bytes that were parsed, so a file rewritten while it is being read is noticed next time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from agent_memory.model.ids import EPOCH
from agent_memory.model.transcript import Bookmark, ConversationFile, FileIdentity, Mark, Record, SkippedLine, Turn
from agent_memory.sources import jsonl, source_named
from agent_memory.sources.base import Event, Layout, Line, Status
from agent_memory.sources.turns import Assembly, Setting
from agent_memory.system import files
from agent_memory.tailing.decide import marks_that_hold
from agent_memory.tailing.secrets import Redactor

WINDOW_BYTES: Final = 4096
MARKS_KEPT: Final = 16
CHUNK_BYTES: Final = 256 * 1024
MAX_SKIPPED: Final = 200


@dataclass(frozen=True, slots=True)
class ClosedTurn:
    """A turn, and what makes the place behind it out of extraction's state there; most turns need none.

    A ``provisional`` turn was closed by idleness alone. It comes last and must get no mark: if it grows
    it is read again whole.
    """

    turn: Turn
    provisional: bool
    mark: Callable[[str], Mark]


class Reading:
    """One pass over the new part of a file.

    ``marks`` are those that still stand; ``resumed`` is the last, from which this reading goes on: None
    means from the start, with an empty memo. ``idle`` says whether what is open counts as closed, ``agent``
    whose pages it is for, if the file says so. ``hush`` makes of each turn what may be heard of it. Once ``turns``
    is exhausted ``skipped`` names the first 200 unusable lines, ``skipped_lines`` counts all, ``unknown_kinds`` those
    that hold something this version does not know, ``redactions`` counts secrets taken out, and ``has_open_tail``
    says whether the bytes end in a turn or line that nothing in the file has closed. ``first_turn`` is the ordinal of
    the first turn that the file still has.
    """

    marks_kept = MARKS_KEPT
    first_turn = 0
    known_alarms: tuple[str, ...] = ()
    content_digest = chat = tail = agent = ""

    def __init__(
        self,
        file: ConversationFile,
        identity: FileIdentity,
        marks: tuple[Mark, ...],
        head: bytes,
        *,
        idle: bool,
        now: datetime,
    ) -> None:
        self.file = file
        self.identity = identity
        self.marks = marks
        self.head = head
        self.idle = idle
        self.hush: Callable[[Turn], Turn] = lambda turn: turn
        self.skipped: list[SkippedLine] = []
        self.skipped_lines = 0
        self.has_open_tail = self.finished = False
        self.unknown_kinds: Counter[str] = Counter()
        self._kinds_met: set[type[Event]] = set()
        self._last_skipped = 0
        self._redactor = Redactor()
        fallback = _moment(identity.mtime_ns, now)
        self._setting = Setting(file.conversation, file.source, file.parent is not None, fallback, now)
        known_time = self.resumed.said_at if self.resumed else None
        self._assembly = Assembly(self._setting, next_ordinal=self.next_ordinal, known_time=known_time)
        # Where the last record of the open turn ended: the bytes before it, the line ends, the time known.
        self._place: tuple[bytes, int, datetime | None] = b"", 0, None
        self._tape = b""

    @property
    def resumed(self) -> Mark | None:
        """The newest mark that still stands."""
        return self.marks[-1] if self.marks else None

    @property
    def next_ordinal(self) -> int:
        """The ordinal of the first turn that this reading can yield."""
        return self.resumed.ordinal + 1 if self.resumed else 0

    @property
    def says_nothing(self) -> bool:
        """Whether the file was read from its start and holds something, but no record of a known kind."""
        from_start = self.finished and self.resumed is None and (self.idle or not self.has_open_tail)
        return from_start and bool(self._kinds_met) and Record not in self._kinds_met

    @property
    def is_broken(self) -> bool:
        """Whether not even a line without a message is of a known kind."""
        return self.says_nothing and Status not in self._kinds_met

    @property
    def alarms(self) -> tuple[str, ...]:
        """The kinds of what could not be read in this file, now or before; ``nothing`` if that is all of it."""
        nothing = ("nothing",) if self.says_nothing else ()
        return tuple(sorted({*self.known_alarms, *self.unknown_kinds, *nothing}))

    @property
    def redactions(self) -> int:
        """How many secrets were taken out of what has been yielded or is open."""
        return self._redactor.count

    def all_turns(self) -> Iterator[ClosedTurn] | None:
        """Return every turn of a file that is in memory as a whole; None for one that has to be read again."""
        return None

    def turns(self) -> Iterator[ClosedTurn]:
        """Yield the closed turns in order; may be iterated once."""
        with files.opened(Path(self.file.path)) as (handle, identity):
            was = self.identity
            if (identity.device, identity.inode) != (was.device, was.inode) or identity.size < was.size:
                self.has_open_tail = True
                return
            layout = source_named(self.file.source).layout_of(self.file.path)
            for line in self._lines(handle, layout):
                for event in layout.events(line):
                    yield from self._take(event, line)
                # The bytes that have gone by; behind a line that was not kept a new window begins.
                self._tape = b"" if line.oversize else (self._tape + line.raw[-WINDOW_BYTES:] + b"\n")[-WINDOW_BYTES:]
        if self._assembly.is_open:
            self.has_open_tail = True
            if self.idle:
                yield from self._closed(self._assembly.close(), provisional=True)
        self.finished = True

    def _lines(self, handle: BinaryIO, layout: Layout) -> Iterator[Line]:
        start = self.resumed.end_bytes if self.resumed else 0
        lines_before = self.resumed.lines if self.resumed else 0
        found = chunks(handle, start, self.identity.size)
        for line in layout.gather(jsonl.split(found, start_bytes=start, lines_before=lines_before)):
            if is_complete(line, layout, idle=self.idle):
                yield line
            elif not jsonl.is_blank(line):
                self.has_open_tail = True
                self._kinds_met.update({SkippedLine} if self.idle else ())

    def _take(self, event: Event, line: Line) -> Iterator[ClosedTurn]:
        self._kinds_met.add(type(event))
        if isinstance(event, SkippedLine):
            self._skip(event)
            return
        if isinstance(event, Record) and not event.injected:
            event = self._redactor.record(event)
        yield from self._closed(self._assembly.feed(event), provisional=False)
        if isinstance(event, Record):
            upto = event.end_bytes - line.start_bytes
            window = (self._tape + line.raw[max(upto - WINDOW_BYTES, 0) : upto])[-WINDOW_BYTES:]
            self._place = window, line.number - 1, self._assembly.known_time

    def _closed(self, turn: Turn | None, *, provisional: bool) -> Iterator[ClosedTurn]:
        if turn is not None:
            yield ClosedTurn(self.hush(turn), provisional, partial(_mark, turn, *self._place))

    def _skip(self, event: SkippedLine) -> None:
        if event.line == self._last_skipped:
            return
        self._last_skipped = event.line
        self.skipped_lines += 1
        if event.kind:
            self.unknown_kinds[event.kind] += 1
        if len(self.skipped) < MAX_SKIPPED:
            self.skipped.append(event)


def _mark(turn: Turn, window: bytes, lines: int, said_at: datetime | None, memo: str) -> Mark:
    digest = files.digest_of(window)
    return Mark(turn.ordinal, turn.role, turn.end_bytes, len(window), digest, memo, lines, said_at)


def _moment(mtime_ns: int, now: datetime) -> datetime:
    latest = int((now - EPOCH) / timedelta(microseconds=1))
    return EPOCH + timedelta(microseconds=min(max(mtime_ns // 1000, 0), latest))


def standing_marks(
    handle: BinaryIO, end: int, bookmark: Bookmark | None, layout: Layout, *, idle: bool
) -> tuple[Mark, ...]:
    """Return the marks from whose last reading may go on, in a file of which the first ``end`` bytes count.

    Their bytes must still be in the file, and what follows must not belong to the turn before: a rewrite may leave
    a turn's bytes alone and take away what had closed it.
    """
    if not layout.appended:
        return ()
    marks = marks_that_hold(bookmark, lambda start, stop: files.digest_of(read_between(handle, start, min(stop, end))))
    while marks and _runs_on(handle, end, marks[-1], layout, idle=idle):
        marks = marks[:-1]
    return marks


def is_complete(line: Line, layout: Layout, *, idle: bool) -> bool:
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
        for event in layout.events(line) if is_complete(line, layout, idle=idle) else ():
            if isinstance(event, Record):
                return event.role == "assistant"
            if isinstance(event, Status) and event.ends_turn:
                return False
    return False
