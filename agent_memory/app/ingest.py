"""From transcripts to memories, spelled once.

Read at least once, write idempotently, move the bookmark last: whatever interrupts this, doing it again
gives the vault of one undisturbed run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from agent_memory.app.container import App
from agent_memory.errors import AgentMemoryError, FileError
from agent_memory.extraction import Memo, handoff, restart_handoff, step
from agent_memory.fabric.handoffs import Continue, Written, place_handoff
from agent_memory.fabric.take import Proposal, Rules, Taking, take
from agent_memory.model.memory import Batch, Candidate
from agent_memory.model.transcript import Bookmark, ConversationFile, FileIdentity, Mark
from agent_memory.redaction import redact
from agent_memory.sources import SOURCES, source_named
from agent_memory.sources.base import Source
from agent_memory.system import files
from agent_memory.tailing.reader import ClosedTurn, Reading, bookmark_after, open_reading
from agent_memory.tailing.scan import find_folders, scan
from agent_memory.vault.store import View

# A batch is one durable step; this many turns keep memory flat and make the disk wait rarely.
TURNS_PER_BATCH: Final = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that could not be used: where, and why."""

    path: str
    line: int | None
    message: str


@dataclass
class Tally:
    """What a run came to."""

    sessions_found: int = 0
    sessions_processed: int = 0
    sessions_up_to_date: int = 0
    turns: int = 0
    decisions: int = 0
    lessons: int = 0
    tasks: int = 0
    handoffs: int = 0
    duplicates: int = 0
    redactions: int = 0
    skipped_lines: int = 0
    errors: list[Trouble] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether something could not be read at all; lines that were skipped are no failure."""
        return any(trouble.line is None for trouble in self.errors)

    def add(self, taking: Taking) -> None:
        """Count what a taking stored."""
        self.decisions += taking.count("stored", "decisions")
        self.lessons += taking.count("stored", "lessons")
        self.tasks += taking.count("stored", "tasks")
        self.duplicates += taking.count("duplicate")


@dataclass(frozen=True, slots=True)
class Options:
    """How a run should read.

    ``transcripts`` names a folder to read instead of the workspace's own; ``full`` ignores bookmarks;
    ``dry`` decides everything and writes nothing.
    """

    agent: str
    idle_after: timedelta
    transcripts: Path | None = None
    sources: tuple[Source, ...] = SOURCES
    full: bool = False
    dry: bool = False
    verb: str = "process"


def transcript_folders(app: App, options: Options) -> list[Path]:
    """Return the folders that hold this workspace's conversations, or the one that was named.

    Raises:
        FileError: The named folder is a file, or the editor's own cannot be listed.
    """
    if options.transcripts is not None:
        named = app.places.cwd / options.transcripts.expanduser()
        if named.exists() and not named.is_dir():
            raise FileError(
                f"{named} is a file, not a folder of transcripts.", hint="Name its folder.", path=str(named)
            )
        return [named]
    data_dir = app.environment.get("CURSOR_DATA_DIR") or None
    return [
        folder
        for source in options.sources
        for folder in find_folders(source, home=str(app.places.home), data_dir=data_dir, workspace=str(app.workspace))
    ]


def sources_named(name: str | None) -> tuple[Source, ...]:
    """Return the source called ``name``, all of them if None.

    Raises:
        UsageError: There is no such source.
    """
    return SOURCES if name is None else (source_named(name),)


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
    tally.errors += [Trouble(trouble.path, None, trouble.message) for trouble in found.troubles]
    for done, file in enumerate(found.files):
        advance(done, len(found.files))
        take_file(app, file, options, tally)
    advance(len(found.files), len(found.files))
    if not options.dry and tally.sessions_processed:
        _ = app.mirror
    return tally


def take_file(app: App, file: ConversationFile, options: Options, tally: Tally) -> None:
    """Take what is new in one conversation; an error becomes a line of the tally."""
    try:
        _Taker(app, file, options, tally).run()
    except AgentMemoryError as error:
        tally.errors.append(Trouble(file.path, None, f"{error.message} {error.hint}".strip()))


def is_idle(identity: FileIdentity | None, *, now: datetime, idle_after: timedelta) -> bool:
    """Tell whether nobody has written to a file for long enough; a time in the future counts as now."""
    if identity is None:
        return False
    written = datetime.fromtimestamp(identity.mtime_ns / 1e9, UTC)
    return now - written >= idle_after


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

    def run(self) -> None:
        reading = self._open(self.bookmark)
        if reading is None:
            self.tally.sessions_up_to_date += 1
            return
        before = self.tally.turns + self.tally.handoffs
        fold = self._take_turns(reading)
        if self.idle:
            self._take_handoff(fold)
        self._save(reading, fold, settled=self.idle)
        self._count(reading, took=self.tally.turns + self.tally.handoffs > before)

    def _bookmark(self) -> Bookmark | None:
        if self.options.dry and not self.app.folder.state.exists():
            return None
        return self.app.state.bookmark(self.file.conversation)

    def _open(self, bookmark: Bookmark | None) -> Reading | None:
        return open_reading(self.file, bookmark, idle=self.idle, now=self.now, redact=redact)

    def _take_turns(self, reading: Reading) -> _Fold:
        fold = _Fold(Memo.from_json(reading.resumed.memo) if reading.resumed else Memo.empty(), list(reading.marks))
        turns = reading.turns()
        while chunk := list(itertools.islice(turns, TURNS_PER_BATCH)):
            self._apply([Proposal(closed.turn, fold.take(closed)) for closed in chunk])
            self._save(reading, fold, settled=False)
        return fold

    def _apply(self, proposals: list[Proposal]) -> None:
        rules = Rules(
            agent=self.options.agent,
            now=self.now,
            min_confidence=self.app.settings.number("extraction.min_confidence"),
            resumed=self.bookmark is not None,
        )
        taking = self._write(lambda view: _with_batch(take(view, proposals, rules)))
        self.tally.turns += len(proposals)
        self.tally.add(taking)

    def _take_handoff(self, fold: _Fold) -> None:
        """Write the conversation's handoff, continued behind whatever a person has made their own."""
        tried: set[str] = set()
        while (candidate := handoff(fold.ahead)) is not None and candidate.key not in tried:
            tried.add(candidate.key)
            placed = self._place(candidate)
            if isinstance(placed, Written):
                self.tally.handoffs += bool(placed.batch.changes)
                return
            fold.cover_after(placed.turn, self._whole_conversation)

    def _place(self, candidate: Candidate) -> Written | Continue:
        def plan(view: View) -> tuple[Written | Continue, Batch]:
            placed = place_handoff(view, candidate, agent=self.options.agent, now=self.now)
            return placed, placed.batch if isinstance(placed, Written) else Batch()

        return self._write(plan)

    def _whole_conversation(self) -> Iterator[ClosedTurn]:
        reading = self._open(None)
        return reading.turns() if reading else iter(())

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
            self.app.state.save(bookmark_after(reading, fold.marks, settled=settled))

    def _count(self, reading: Reading, *, took: bool) -> None:
        if took:
            self.tally.sessions_processed += 1
        else:
            self.tally.sessions_up_to_date += 1
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

    def take(self, closed: ClosedTurn) -> tuple[Candidate, ...]:
        """Fold one turn in and return what it proposes; a provisional one only moves ``ahead``."""
        self.ahead, candidates = step(self.memo, closed.turn)
        self.last_turn = closed.turn.ordinal
        if not closed.provisional:
            self.memo = self.ahead
            self.marks.append(closed.mark(self.memo.to_json()))
        return candidates

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
