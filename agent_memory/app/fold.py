"""One pass over one conversation: extraction folded along its turns, and where its bookmark may move to.

Nothing is written here. What was read is proposed to the vault by ``intake``, which then asks for the bookmark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from agent_memory.extraction import Memo, handoff, restart_handoff, step
from agent_memory.fabric.take import Proposal
from agent_memory.model.memory import Candidate
from agent_memory.model.transcript import Bookmark, ConversationFile, FileIdentity, Mark
from agent_memory.tailing.reader import ClosedTurn, Reading, bookmark_after

Turns = Iterator[ClosedTurn]
Clean = Callable[[Memo], Memo]


class Pass:
    """One pass over what is new in a conversation.

    ``turns`` counts what was read, ``chars`` how much of it is waiting, ``finished`` says that it was all. Whoever
    writes it notes whether that ``failed``, whether a handoff was written (``closed``), and whether the file is no
    longer as ``seen`` (``stale``): then what idleness alone has closed is the next reader's to take.
    """

    def __init__(
        self,
        reading: Reading,
        seen: FileIdentity | None,
        agent: str,
        start: Memo,
        *,
        resumed: bool,
        again: Callable[[], Turns],
    ) -> None:
        self.reading = reading
        self.seen = seen
        self.agent = agent
        self.turns = self.chars = 0
        self.finished = self.failed = self.closed = self.stale = False
        self._resumed = resumed
        self._again = again
        self._fold = _Fold(start, reading.marks)
        self._unread = reading.turns()
        self._read: list[tuple[ClosedTurn, tuple[Candidate, ...]]] = []

    @property
    def file(self) -> ConversationFile:
        """The conversation's file."""
        return self.reading.file

    @property
    def chat(self) -> str:
        """The conversation that it is, whatever file it is in."""
        return self.reading.chat or self.file.conversation

    @property
    def waiting(self) -> int:
        """How many turns have been read and not yet been taken."""
        return len(self._read)

    def read(self, turns: int, chars: int) -> bool:
        """Read up to ``turns`` more turns, until they have ``chars`` characters; tell whether there may be more.

        Raises:
            FileError: The file cannot be read any more.
        """
        for closed in self._unread:
            self._read.append((closed, self._fold.take(closed)))
            self.turns += 1
            self.chars += len(closed.turn.text)
            turns, chars = turns - 1, chars - len(closed.turn.text)
            if turns <= 0 or chars <= 0:
                return True
        self.finished = True
        return False

    def proposals(self) -> list[Proposal]:
        """Return what the turns that are waiting propose."""
        return [
            Proposal(closed.turn, candidates, self.agent, resumed=self._resumed)
            for closed, candidates in self._read
            if not (self.stale and closed.provisional)
        ]

    @property
    def categories(self) -> set[str]:
        """Of which kinds the entries are that this may write or change."""
        proposed = {candidate.category for _, candidates in self._read for candidate in candidates}
        return proposed | ({"handoffs"} if self.closes else set())

    @property
    def closes(self) -> bool:
        """Whether the conversation is read to its end, has gone quiet, and should get its handoff."""
        return self.finished and self.reading.idle and not self.stale

    def handoff(self, summary: str = "") -> Candidate | None:
        """Return the handoff of what has been read, in a host's words if it gives a ``summary``."""
        return handoff(self._fold.ahead, summary)

    def cover_after(self, turn: int | None) -> None:
        """Let the handoff begin behind ``turn``, or behind everything read so far."""
        self._fold.cover_after(turn, lambda: self.reading.all_turns() or self._again())

    def settle(self, clean: Clean) -> Bookmark:
        """Return the bookmark, its memos ``clean``, behind the turns that were waiting: they are in the vault now."""
        self._read.clear()
        self.chars = 0
        return bookmark_after(self.reading, self._fold.settle(self.reading.marks_kept, clean), settled=self.closes)


class _Fold:
    """Extraction's state along a conversation: at the bookmark, and ahead of it by a provisional turn."""

    def __init__(self, memo: Memo, marks: tuple[Mark, ...]) -> None:
        self.memo = memo
        self.ahead = memo
        self.marks = list(marks)
        self.last_turn = marks[-1].ordinal if marks else -1
        self._passed: list[tuple[ClosedTurn, Memo]] = []

    def take(self, closed: ClosedTurn) -> tuple[Candidate, ...]:
        """Fold one turn in and return what it proposes; a provisional one only moves ``ahead``."""
        self.ahead, candidates = step(self.memo, closed.turn)
        self.last_turn = closed.turn.ordinal
        if not closed.provisional:
            self.memo = self.ahead
            self._passed.append((closed, self.memo))
        return candidates

    def settle(self, kept: int, clean: Clean) -> list[Mark]:
        """Return the marks, those of the last ``kept`` turns at least; writing a memo out is dear."""
        self.marks += [closed.mark(clean(memo).to_json()) for closed, memo in self._passed[-kept:]]
        self._passed.clear()
        return self.marks

    def cover_after(self, turn: int | None, conversation: Callable[[], Turns]) -> None:
        """Let the handoff begin behind ``turn``, or behind everything read so far.

        What was said since may have been folded away, so it is folded again from the transcript.
        """
        if turn is None:
            self.memo = restart_handoff(self.memo, after=self.last_turn)
            self.ahead = restart_handoff(self.ahead, after=self.last_turn)
        else:
            again = _Fold(restart_handoff(Memo.empty(), after=turn), ())
            for closed in conversation():
                again.take(closed)
            self.memo, self.ahead = again.memo, again.ahead
        self._rewrite_last()

    def _rewrite_last(self) -> None:
        """Give the place that reading resumes from the new memo."""
        if self._passed:
            self._passed[-1] = self._passed[-1][0], self.memo
        elif self.marks:
            self.marks[-1] = replace(self.marks[-1], memo=self.memo.to_json())
