"""What may be heard: while capture is paused, what is said is never taken, whoever reads it and whenever.

``.vault/pause.json`` says since when, how each conversation's file ended then, and what the hosts' chats had said.
What is read beyond that is blank to everybody behind the reader, and is noted in the ledger as ``unheard``, by a digest
and never by its words: so losing state, reading everything again, or a copy of the chat brings nothing back. In doubt
something counts as said during the pause. A turn keeps its number and its place, so bookmarks move over it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from agent_memory.app.container import App
from agent_memory.model.ids import EPOCH, digest
from agent_memory.model.memory import Batch, TakenLine
from agent_memory.model.session import Message
from agent_memory.model.text import normalise
from agent_memory.model.transcript import ConversationFile, Record, Turn
from agent_memory.sources.dashboard import ROLES
from agent_memory.system import files
from agent_memory.tailing.reading import WINDOW_BYTES, read_between

VERB: Final = "pause"
# What is shorter is said in many chats, and is known again by its place alone.
TELLING_CHARS: Final = 20


@dataclass(frozen=True, slots=True)
class Pause:
    """What ``pause.json`` says: since when, what there was then, and the pauses that are over.

    ``ends`` has the size of each conversation's file, and the digest of its last bytes.
    """

    since: datetime | None = None
    ends: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    said: frozenset[str] = frozenset()
    past: tuple[tuple[datetime, datetime], ...] = ()

    def to_json(self) -> bytes:
        """Return the bytes of the file."""
        value = {
            "since": self.since.isoformat() if self.since else None,
            "ends": dict(self.ends),
            "said": sorted(self.said),
            "past": [[start.isoformat(), end.isoformat()] for start, end in self.past],
        }
        return json.dumps(value).encode("ascii")


def pause_of(app: App) -> Pause:
    """Return how things stand. A file that nobody can read any more counts as a pause since ever."""
    text = files.read_text(app.folder.pause)
    if text is None:
        return Pause()
    try:
        value = json.loads(text)
        since, past = value["since"], value["past"]
        return Pause(
            _moment(since) if since else None,
            {name: (int(size), str(end)) for name, (size, end) in value["ends"].items()},
            frozenset(map(str, value["said"])),
            tuple((_moment(start), _moment(end)) for start, end in past),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return Pause(since=EPOCH)


class Ears:
    """What lets readers hear nothing of what was said in a pause; ``notes`` are the lines that the ledger gets."""

    def __init__(self, app: App) -> None:
        self._pause = pause_of(app)
        self._unheard = app.shelf.ledger().unheard
        self._now = app.clock.now()
        self._notes: dict[str, TakenLine] = {}

    @property
    def are_open(self) -> bool:
        """Whether there is nothing to keep from anybody."""
        return not (self._pause.since or self._pause.past or self._unheard)

    @property
    def paused(self) -> bool:
        """Whether capture is paused now."""
        return self._pause.since is not None

    @property
    def notes(self) -> Batch:
        """What the ledger has to be told before a bookmark moves."""
        return Batch((), tuple(self._notes.values()))

    def hush(self, file: ConversationFile) -> Callable[[Turn], Turn]:
        """Return what puts blanks for what was said in a pause into a turn of ``file``."""
        size, end = self._pause.ends.get(file.conversation, (0, ""))
        if size and ending_of(Path(file.path), size) != end:
            size = 0  # it was written anew, and its places are others

        def hushed(turn: Turn) -> Turn:
            records = tuple(one if self._is_heard(turn, one, size) else _blank(one) for one in turn.records)
            return turn if records == turn.records else replace(turn, records=records)

        return hushed

    def heard(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the messages of a host's chat that were not said during a pause."""
        kept, before = [], ""
        for message in messages:
            words = normalise(message["text"])
            mark = mark_of(ROLES[message["role"]], words, "behind", before)
            known = said_mark(message["role"], words) in self._pause.said
            if (self.paused and not known) or mark in self._unheard:
                self._note(mark)
            else:
                kept.append(message)
            before = words
        return tuple(kept)

    def _is_heard(self, turn: Turn, record: Record, size: int) -> bool:
        words = normalise(record.text)
        touched = (part for tool in record.tools for part in (tool.name, *tool.paths, *map(str, tool.todos)))
        mark = mark_of(turn.role, words, turn.conversation, str(turn.ordinal), *touched)
        noted = self._unheard.get(mark)
        at = record.said_at or (None if turn.approximate else turn.at)
        again = noted is not None and (at is None or at <= noted)
        if again or self._in_past(at) or (self.paused and not self._was_before(turn, record, words, size)):
            self._note(mark, at)
            return False
        return True

    def _was_before(self, turn: Turn, record: Record, words: str, size: int) -> bool:
        since = self._pause.since
        if since is None:
            return True
        if not record.end_bytes and said_mark(turn.role, words) in self._pause.said:
            return True  # of a chat that is written anew, which has no places
        if size and record.end_bytes:
            return record.end_bytes <= size
        # Editors tell the minute; what was said in that of the pause may have been said after it began.
        at = record.said_at or (turn.at if turn.approximate else None)
        return at is not None and at < _minute(since)

    def _in_past(self, at: datetime | None) -> bool:
        return at is not None and any(_minute(start) < at < _minute(end) for start, end in self._pause.past)

    def _note(self, mark: str, at: datetime | None = None) -> None:
        noted = self._unheard.get(mark)
        if noted is None or (at is not None and at > noted):  # the same words again, in a later pause or chat
            self._notes[mark] = TakenLine(mark, "", self._now, "unheard")


def mark_of(role: str, words: str, *place: str) -> str:
    """Return the digest by which something said is known again: its words or, where these are few, its place too."""
    return digest("unheard", role, words, *(() if len(words) >= TELLING_CHARS else place))


def ending_of(path: Path, size: int) -> str:
    """Return the digest of the bytes before the place ``size`` of a file."""
    with files.opened(path) as (handle, _):
        return files.digest_of(read_between(handle, size - WINDOW_BYTES, size))


def said_mark(role: str, words: str) -> str:
    """Return the digest by which a message of a host's chat is known as said before a pause."""
    return digest("said", ROLES.get(role, role), words)


def said_in(messages: Iterable[Any]) -> frozenset[str]:
    """Return the digests of what messages say."""
    return frozenset(said_mark(message["role"], normalise(message["text"])) for message in messages)


def _blank(record: Record) -> Record:
    return replace(record, text="", tools=(), redacted=True)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
