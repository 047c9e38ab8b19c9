"""Conversations in files that are written anew each time: what is new in them is told by digests, not by place.

Such a file is small, is cut at the front while the chat goes on, and is written again though nothing was
said; so it is quiet once its messages are, whatever ``stat`` says. A file that is no whole JSON is being
written and waits, and one without messages means nothing.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Final

from agent_memory.model.ids import check_name, digest
from agent_memory.model.origin import FileIdentity, Origin
from agent_memory.model.transcript import Bookmark, ConversationFile, Mark, Record, SkippedLine, Turn
from agent_memory.sources import source_named
from agent_memory.sources.base import Chat
from agent_memory.sources.turns import Assembly
from agent_memory.system import files
from agent_memory.tailing.reading import ClosedTurn, Reading
from agent_memory.tailing.secrets import Redactor

TURNS_KNOWN: Final = 50
MAX_CHAT_BYTES: Final = 64_000_000
# What is shorter is said in many chats, and tells none from another.
TELLING_CHARS: Final = 20

_TOO_LONG: Final = Chat(events=(SkippedLine(1, f"longer than {MAX_CHAT_BYTES // 1_000_000} MB"),), whole=False)

# An agent → where what the vault has in its pages was said.
Origins = Callable[[str], Iterable[Origin]]


def open_chat(  # noqa: PLR0913 - the facts of one reading, each from another hand
    file: ConversationFile,
    bookmark: Bookmark | None,
    *,
    idle: Callable[[FileIdentity], bool],
    now: datetime,
    origins: Origins = lambda agent: (),
    given: files.Snapshot | None = None,
    full: bool = False,
) -> Reading | None:
    """Prepare to read what is new in ``file``; None where there is nothing to do.

    ``idle`` tells whether a file was last written to long enough ago. ``origins`` are asked where no bookmark tells
    which turns these are. ``given`` is read where a host hands a chat over, not the file's own bytes. ``full`` reads
    all that the file has; the bookmark still tells which turns these are. A chat for an agent that cannot be is an
    ``InvalidName``.
    """
    seen = given.identity if given else files.identify(Path(file.path))
    if seen is None or not seen.size or (bookmark and bookmark.settled and seen == bookmark.identity and not full):
        return None
    too_long = seen.size > MAX_CHAT_BYTES
    snapshot = files.Snapshot(b"", seen) if too_long else given or files.read(Path(file.path))
    chat_of = source_named(file.source).chat_of
    if snapshot is None or chat_of is None:
        return None
    chat = _TOO_LONG if too_long else chat_of(snapshot.data)
    same = bookmark is not None and bookmark.head_digest == _content_digest(chat) and not full
    identity = bookmark.identity if bookmark and same else snapshot.identity
    quiet = idle(identity)
    if (same and (not quiet or (bookmark and bookmark.settled))) or not (chat.whole or quiet):
        return None
    return _ChatReading(file, identity, chat, bookmark, idle=quiet, now=now, origins=origins, full=full)


def is_taken(data: bytes, source: str, bookmark: Bookmark | None) -> bool:
    """Tell whether all that a file says was taken when it went quiet, whatever was done to the file since."""
    chat_of = source_named(source).chat_of
    chat = chat_of(data) if chat_of else _TOO_LONG
    known = bookmark is not None and bookmark.settled and bookmark.head_digest == _content_digest(chat)
    return known and chat.whole


def _mark(turn: Turn, last_message: str, memo: str) -> Mark:
    return Mark(turn.ordinal, turn.role, turn.end_bytes, 0, last_message, memo, 0, None)


def align(known: Sequence[str], tail: str, found: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return how many of the ``known`` turns still hold, and how many of those ``found`` they cover.

    ``known`` are the turns taken, each by the digest of its last message, ``tail`` the last message seen, behind those;
    ``found`` are the turns in the file, each by the digests of its messages, and may have lost some at its front.
    Nothing holds if nothing is known: another chat. Where it is not clear which turns are which, fewer hold.
    """
    if not found:
        return len(known), 0
    ends = [messages[-1] for messages in found]
    tails = [at for at, messages in enumerate(found) if tail in messages and _agree(known, ends, at)]
    if tails:
        return len(known), max(tails, key=lambda at: (min(at, len(known)), -at))
    block = SequenceMatcher(None, known, ends, autojunk=False).find_longest_match()
    if not block.size:
        return 0, 0
    at_known, at_found = max(block.a - block.b, 0), max(block.b - block.a, 0)
    while at_known < len(known) and at_found < len(found) and known[at_known] == ends[at_found]:
        at_known, at_found = at_known + 1, at_found + 1
    return (at_known, at_found) if at_known else (0, 0)


def _agree(known: Sequence[str], ends: Sequence[str], at: int) -> bool:
    """Tell whether the turns that end so before a place are the last ones known, as far as both go back."""
    overlap = min(len(known), at)
    reaches = at <= len(known) or len(known) == TURNS_KNOWN
    return reaches and list(known[len(known) - overlap :]) == list(ends[at - overlap : at])


class _ChatReading(Reading):
    """One pass over what is new in a chat. All of it is in memory; only new turns are yielded."""

    marks_kept = TURNS_KNOWN

    def __init__(  # noqa: PLR0913 - the facts of one reading, each from another hand
        self,
        file: ConversationFile,
        identity: FileIdentity,
        chat: Chat,
        bookmark: Bookmark | None,
        *,
        idle: bool,
        now: datetime,
        origins: Origins,
        full: bool,
    ) -> None:
        super().__init__(file, identity, (), b"", idle=idle, now=now)
        self._chat = chat
        self.agent = check_name(chat.agent or file.conversation.removesuffix(".json"), "an agent")
        self.content_digest = _content_digest(chat)
        turns = self._assemble()
        known = bookmark.marks if bookmark and chat.chat_id in ("", bookmark.chat) else ()
        said = [[digest(record.role, record.text) for record in turn.records] for turn in turns]
        before = bookmark.tail if bookmark else ""
        self.tail = said[-1][-1] if said else before
        held, self._taken = align([mark.digest for mark in known], before, said)
        if known and not held and chat.chat_id:
            held = len(known)  # it says that it is the same chat: so much was said that all we knew was cut away
        self.marks = known[:held]
        self.known_alarms = bookmark.alarms if bookmark and held else ()
        self.chat = chat.chat_id or self._name(bookmark, known)
        self.first_turn = max(self.next_ordinal - self._taken, 0)
        if not self.marks and (bookmark is None or chat.chat_id):
            self.chat, self.first_turn = self._known_from(turns, origins(self.agent)) or (self.chat, self.first_turn)
        if full:
            self.marks, self._taken = self.marks[: max(len(self.marks) - self._taken, 0)], 0
        self._turns: list[ClosedTurn] = []
        for ordinal, (turn, messages) in enumerate(zip(turns, said, strict=True), self.first_turn):
            # The last message is still there when the first ones of a turn have been cut away.
            named = replace(turn, conversation=self.chat, ordinal=ordinal)
            self._turns.append(ClosedTurn(named, turn is turns[-1], partial(_mark, named, messages[-1])))

    def turns(self) -> Iterator[ClosedTurn]:
        for event in self._chat.events:
            self._kinds_met.add(type(event))
            if isinstance(event, SkippedLine):
                self._skip(event)
        # An open turn whose beginning is being cut away cannot wait for its end.
        urgent = bool(self.marks) and not self._taken and len(self._turns) == 1
        for closed in self._turns[self._taken :]:
            if closed.provisional:
                self.has_open_tail = True
            if self.idle or urgent or not closed.provisional:
                yield replace(closed, turn=self.hush(self._bare(closed.turn, self._redactor)))
        self.finished = True

    def all_turns(self) -> Iterator[ClosedTurn]:
        bare = Redactor()
        return (replace(closed, turn=self.hush(self._bare(closed.turn, bare))) for closed in self._turns)

    def _assemble(self) -> list[Turn]:
        assembly = Assembly(replace(self._setting, fallback=self._chat.saved_at or self._setting.fallback))
        records = (event for event in self._chat.events if isinstance(event, Record))
        closed = [*map(assembly.feed, records), assembly.close()]
        return [turn for turn in closed if turn is not None]

    def _name(self, bookmark: Bookmark | None, known: tuple[Mark, ...]) -> str:
        """Name a chat that has no id: by its agent, and if another was here before, by where that one ended."""
        if known and not self.marks:
            return f"{self.agent}-{digest(known[-1].digest, digits=8)}"
        return (bookmark.chat if bookmark else "") or self.agent

    def _known_from(self, turns: list[Turn], origins: Iterable[Origin]) -> tuple[str, int] | None:
        """Return which chat this is, and which of its turns comes first here, by what the vault has from it.

        The bookmark may be lost, or may be of another file with this chat, and the chat's beginning cut away.
        """
        bare = Redactor()
        digests = [self._bare(turn, bare).prefix_digests for turn in turns]
        places: dict[str, list[int]] = defaultdict(list)
        for place, turn in enumerate(turns):
            for known in digests[place] if self._chat.chat_id or len(turn.text) >= TELLING_CHARS else ():
                places[known].append(place)
        named = [origin for origin in origins if self._chat.chat_id in ("", origin.conversation)]
        pairs = ((origin, place) for origin in named for place in places.get(origin.digest, ()))
        guesses = {(origin.conversation, origin.turn - place) for origin, place in pairs if place <= origin.turn}
        votes: Counter[tuple[str, int]] = Counter()
        for (conversation, first), origin in itertools.product(guesses, named):
            # An answer that comes first may have lost its beginning; every other turn has to be in its place.
            if origin.conversation == conversation and first <= origin.turn < first + len(turns):
                fits = origin.digest in digests[origin.turn - first]
                votes[conversation, first] += 1 if fits else -(origin.turn > first or turns[0].role == "user")
        best = max(votes, key=lambda guess: (votes[guess], -guess[1], guess[0]), default=None)
        if best and votes[best] > 0:
            return best
        seen = {known for each in digests for known in each}
        if not self._chat.chat_id or any(origin.digest in seen for origin in named):
            return None
        # It says that it is the same chat: so much was said that all we knew was cut away.
        return max(((self._chat.chat_id, origin.turn + 1) for origin in named), default=None)

    def _bare(self, turn: Turn, redactor: Redactor) -> Turn:
        return replace(turn, records=tuple(map(redactor.record, turn.records)))


def _content_digest(chat: Chat) -> str:
    said = (f"{event.role} {event.text}" if isinstance(event, Record) else event.reason for event in chat.events)
    return digest(chat.chat_id, chat.agent, *said)
