"""From transcripts to memories, spelled once.

Read at least once, write idempotently, move the bookmark last: whatever interrupts this, doing it again
gives the vault of one undisturbed run.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from agent_memory.app.container import App
from agent_memory.app.conversations import Options as Options
from agent_memory.app.conversations import sources_named as sources_named
from agent_memory.app.conversations import transcript_folders as transcript_folders
from agent_memory.app.conversations import unclear_projects
from agent_memory.app.tally import NOTHING
from agent_memory.app.tally import Tally as Tally
from agent_memory.app.tally import Trouble as Trouble
from agent_memory.errors import AgentMemoryError
from agent_memory.extraction import Memo, handoff, restart_handoff, step
from agent_memory.fabric.handoffs import Continue, Written, place_handoff
from agent_memory.fabric.take import Proposal, Rules, Taking, take
from agent_memory.model.memory import Batch, Candidate
from agent_memory.model.transcript import Bookmark, ConversationFile, FileIdentity, Mark
from agent_memory.redaction import redact
from agent_memory.sources import source_named
from agent_memory.system import files
from agent_memory.tailing.chat import open_chat
from agent_memory.tailing.reader import ClosedTurn, Reading, bookmark_after, open_reading
from agent_memory.tailing.scan import scan
from agent_memory.vault.journal import last_origin
from agent_memory.vault.store import View

# A batch is one durable step; this many turns keep memory flat and make the disk wait rarely.
TURNS_PER_BATCH: Final = 64

T = TypeVar("T")


def process(app: App, options: Options, *, advance: Callable[[int, int], None] = lambda done, total: None) -> Tally:
    """Take the backlog once, oldest conversation first.

    A conversation that cannot be read is reported and costs itself, nothing else.

    Args:
        app: The product.
        options: How to read.
        advance: Told how many conversations are done, of how many.
    """
    tally = Tally()
    found = scan(transcript_folders(app, options), options.sources)
    tally.sessions_found = len(found.files)
    tally.alarms = unclear_projects(app, options)
    tally.errors += [Trouble(trouble.path, None, trouble.message) for trouble in found.troubles]
    for done, file in enumerate(found.files):
        advance(done, len(found.files))
        take_file(app, file, options, tally)
    advance(len(found.files), len(found.files))
    if not options.dry and tally.sessions_processed:
        follow(app, tally)
    return tally


def follow(app: App, tally: Tally) -> None:
    """Bring the mirror up to date; it is derived, so its troubles are told and cost nothing else."""
    try:
        _ = app.mirror
    except AgentMemoryError as error:
        tally.errors.append(Trouble(str(app.folder.mirror), None, error.message))


def take_file(app: App, file: ConversationFile, options: Options, tally: Tally) -> None:
    """Take what is new in one conversation, unless capture is off; an error becomes a line of the tally."""
    if app.settings.text("extraction.mode") == "off":
        return
    try:
        _Taker(app, file, options, tally).run()
    except AgentMemoryError as error:
        tally.errors.append(Trouble(file.path, None, f"{error.message} {error.hint}".strip()))


def is_idle(identity: FileIdentity | None, *, now: datetime, idle_after: timedelta) -> bool:
    """Tell whether nobody has written to a file for long enough."""
    return identity is not None and is_idle_since(identity.mtime_ns, now=now, idle_after=idle_after)


def is_idle_since(mtime_ns: int, *, now: datetime, idle_after: timedelta) -> bool:
    """Tell whether a time of writing is long enough ago; one as far in the future says that the clock was set back."""
    return abs(int(now.timestamp() * 1e9) - mtime_ns) >= idle_after.total_seconds() * 1e9


class _Taker:
    """One pass over one conversation."""

    def __init__(self, app: App, file: ConversationFile, options: Options, tally: Tally) -> None:
        self.app = app
        self.file = file
        self.options = options
        self.tally = tally
        self.now = app.clock.now()
        self.idle = is_idle(files.identify(Path(file.path)), now=self.now, idle_after=options.idle_after)
        self.bookmark = None if options.full else self._bookmark()
        self.agent = options.agent

    def run(self) -> None:
        reading = self._open(self.bookmark)
        if reading is None:
            self.tally.sessions_up_to_date += 1
            return
        self.agent = reading.agent or self.agent
        before = self.tally.turns + self.tally.handoffs
        fold = self._take_turns(reading)
        if reading.idle:
            self._take_handoff(fold, lambda: self._whole_conversation(reading))
        self._save(reading, fold, settled=reading.idle)
        self._count(reading, took=self.tally.turns + self.tally.handoffs > before)

    def _bookmark(self) -> Bookmark | None:
        if self.options.dry and not self.app.folder.state.exists():
            return None
        return self.app.state.bookmark(self.file.conversation)

    def _open(self, bookmark: Bookmark | None) -> Reading | None:
        if source_named(self.file.source).chat_of is None:
            return open_reading(self.file, bookmark, idle=self.idle, now=self.now, redact=redact)
        return open_chat(
            self.file, bookmark, idle=self._is_long_ago, now=self.now, redact=redact, name_known=self._name_known
        )

    def _is_long_ago(self, mtime_ns: int) -> bool:
        return is_idle_since(mtime_ns, now=self.now, idle_after=self.options.idle_after)

    def _name_known(self, agent: str, digests: frozenset[str]) -> str | None:
        """Name the conversation that the vault has turns with these digests from: the bookmark may be lost."""
        memories = (memory for memory in self.app.vault.view().memories if memory.page.agent == agent)
        origins = (memory.origin for memory in memories if memory.origin)
        known = Counter(one.conversation for one in origins if one.source == self.file.source and one.digest in digests)
        return known.most_common(1)[0][0] if known else None

    def _take_turns(self, reading: Reading) -> _Fold:
        fold = _Fold(Memo.from_json(reading.resumed.memo) if reading.resumed else Memo.empty(), list(reading.marks))
        turns = reading.turns()
        while chunk := list(itertools.islice(turns, TURNS_PER_BATCH)):
            self._apply([Proposal(closed.turn, fold.take(closed)) for closed in chunk])
            if len(chunk) == TURNS_PER_BATCH:  # behind the last batch the bookmark is saved once more anyway
                self._save(reading, fold, settled=False)
        return fold

    def _apply(self, proposals: list[Proposal]) -> None:
        rules = Rules(
            agent=self.agent,
            now=self.now,
            min_confidence=self.app.settings.number("extraction.min_confidence"),
            resumed=self.bookmark is not None,
            propose=self.app.settings.text("extraction.mode") == "propose",
        )
        taking = self._write(lambda view: _with_batch(take(view, proposals, rules)))
        self.tally.turns += len(proposals)
        self.tally.add(taking)

    def _take_handoff(self, fold: _Fold, conversation: Callable[[], Iterator[ClosedTurn]]) -> None:
        """Write the conversation's handoff, continued behind whatever a person has made their own."""
        tried: set[str] = set()
        while (candidate := handoff(fold.ahead)) is not None and candidate.key not in tried:
            tried.add(candidate.key)
            placed = self._place(candidate)
            if isinstance(placed, Written):
                self.tally.handoffs += bool(placed.batch.changes)
                return
            fold.cover_after(placed.turn if placed.turn is not None else self._last_covered(candidate), conversation)

    def _last_covered(self, candidate: Candidate) -> int | None:
        """Return the last turn that a handoff covered before a person removed it; None if nobody knows."""
        line = self.app.vault.view().taken.by_key(candidate.key)
        origin = last_origin(self.app.vault.journal_runs(), line.id) if line else None
        return origin.turn if origin else None

    def _place(self, candidate: Candidate) -> Written | Continue:
        def plan(view: View) -> tuple[Written | Continue, Batch]:
            placed = place_handoff(view, candidate, agent=self.agent, now=self.now)
            return placed, placed.batch if isinstance(placed, Written) else Batch()

        return self._write(plan)

    def _whole_conversation(self, reading: Reading) -> Iterator[ClosedTurn]:
        in_memory = reading.all_turns()
        if in_memory is not None:
            return in_memory
        again = self._open(None)
        return again.turns() if again else iter(())

    def _write(self, plan: Callable[[View], tuple[T, Batch]]) -> T:
        """Run ``plan`` on the vault as it is, write its batch, and return what else it came to."""
        outcomes: list[T] = []

        def decide(view: View) -> Batch:
            outcome, batch = plan(view)
            outcomes.append(outcome)
            return batch

        if self.options.dry:
            decide(self.app.vault.view())
        else:
            self.app.vault.update(decide, verb=self.options.verb)
        return outcomes[-1]

    def _save(self, reading: Reading, fold: _Fold, *, settled: bool) -> None:
        if not self.options.dry:
            self.app.state.save(bookmark_after(reading, fold.settle(reading.marks_kept), settled=settled))

    def _count(self, reading: Reading, *, took: bool) -> None:
        if took:
            self.tally.sessions_processed += 1
        else:
            self.tally.sessions_up_to_date += 1
        self.tally.sound(self.file.source, reading.unknown_kinds)
        if reading.says_nothing:
            self.tally.sound(self.file.source, {NOTHING: 1})
        if reading.is_broken:
            self.tally.errors.append(Trouble(self.file.path, None, "Nothing in it can be read."))
        self.tally.redactions += reading.redactions
        self.tally.skipped_lines += reading.skipped_lines
        self.tally.errors += [Trouble(self.file.path, skipped.line, skipped.reason) for skipped in reading.skipped]


class _Fold:
    """Extraction's state along a conversation: at the bookmark, and ahead of it by a provisional turn."""

    def __init__(self, memo: Memo, marks: list[Mark]) -> None:
        self.memo = memo
        self.ahead = memo
        self.marks = marks
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

    def settle(self, kept: int) -> list[Mark]:
        """Return the marks, those of the last ``kept`` turns at least; writing a memo out is dear."""
        self.marks += [closed.mark(memo.to_json()) for closed, memo in self._passed[-kept:]]
        self._passed.clear()
        return self.marks

    def cover_after(self, turn: int | None, conversation: Callable[[], Iterator[ClosedTurn]]) -> None:
        """Let the handoff begin behind ``turn``, or behind everything read so far.

        What was said since may have been folded away, so it is folded again from the transcript.
        """
        if turn is None:
            self.memo = restart_handoff(self.memo, after=self.last_turn)
            self.ahead = restart_handoff(self.ahead, after=self.last_turn)
        else:
            again = _Fold(restart_handoff(Memo.empty(), after=turn), [])
            for closed in conversation():
                again.take(closed)
            self.memo, self.ahead = again.memo, again.ahead
        if self.marks:
            self.marks[-1] = replace(self.marks[-1], memo=self.memo.to_json())


def _with_batch(taking: Taking) -> tuple[Taking, Batch]:
    return taking, taking.batch
