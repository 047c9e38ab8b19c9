"""Conversations on their way into the vault: read one after the other, written many at a time.

A batch is one durable step. It holds a long conversation's next turns or many short ones, and the bookmarks
move only behind it: whatever interrupts this, doing it again gives the vault of one undisturbed run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from agent_memory.app.closing import cleaner, close, start_of
from agent_memory.app.container import App
from agent_memory.app.conversations import Options
from agent_memory.app.conversations import is_idle as is_idle
from agent_memory.app.excluding import Exclusions, names_of, title_of
from agent_memory.app.fold import Pass, Turns
from agent_memory.app.hearing import VERB, Ears
from agent_memory.app.tally import NOTHING, Tally, Trouble
from agent_memory.errors import AgentMemoryError, LockTimeout
from agent_memory.fabric.take import Rules, Taking, take
from agent_memory.model.memory import Batch
from agent_memory.model.transcript import Bookmark, ConversationFile, FileIdentity, Origin, Turn
from agent_memory.sources import source_named
from agent_memory.system import files
from agent_memory.system.garbage import uncollected
from agent_memory.tailing.chat import open_chat
from agent_memory.tailing.reader import Reading, open_reading
from agent_memory.vault.foresee import foresee
from agent_memory.vault.store import View

# So many keep memory flat, and the vault is looked through rarely; short conversations share a batch.
TURNS_PER_BATCH: Final = 1024
CHARS_PER_BATCH: Final = 4_000_000
PASSES_PER_BATCH: Final = 64


def rules(app: App) -> Rules:
    """Return what taking depends on by the settings, at this moment."""
    settings = app.settings
    return Rules(
        app.clock.now(),
        settings.number("extraction.min_confidence"),
        propose=settings.text("extraction.mode") == "propose",
        across=settings.flag("links.auto_generate"),
    )


class Intake:
    """Takes conversations; ``flush`` writes what is still waiting. A dry run tells what is ``foreseen``.

    Args:
        app: The product.
        options: How to read.
        tally: Counts what it comes to. What cannot be read is named there and costs itself, nothing else.
        taken: Told of each conversation that is done with.
        given: A chat that a host hands over, read instead of what is in its file.
        summary: The host's own words for its handoff.
        said: Told of each turn once it is in the vault, and in whose pages.
    """

    def __init__(  # noqa: PLR0913 - what one taking depends on, each from another hand
        self,
        app: App,
        options: Options,
        tally: Tally,
        taken: Callable[[ConversationFile], None] = lambda file: None,
        given: files.Snapshot | None = None,
        summary: str = "",
        said: Callable[[str, Turn], None] = lambda agent, turn: None,
    ) -> None:
        self._app = app
        self._options = options
        self._tally = tally
        self._taken = taken
        self._given = given
        self._summary = summary
        self._said = said
        self._waiting: list[Pass] = []
        self._ears: Ears | None = None  # made when something is opened: an idle round costs nothing
        self._paused: FileIdentity | None = None
        self._exclusions = Exclusions.of(app)
        self.foreseen: View | None = None

    def take(self, file: ConversationFile) -> None:
        """Read what is new in one conversation, unless capture is off."""
        if self._app.settings.text("extraction.mode") == "off":
            return
        try:
            self._read(file)
        except AgentMemoryError as error:
            self._waiting = [one for one in self._waiting if one.file is not file]
            self._fail(file, error)

    def flush(self) -> None:
        """Write what is waiting."""
        waiting, self._waiting = self._waiting, []
        self._write(waiting)
        self._waiting = [one for one in waiting if not (one.finished or one.failed)]

    def reread(self, file: ConversationFile) -> Reading | None:
        """Open a conversation from its start, as if it had never been taken; None if it is not there, or not ours.

        Raises:
            FileError: It cannot be read.
        """
        self._listen()
        return self._ours(file, self._open_anew(file))

    @uncollected()
    def _read(self, file: ConversationFile) -> None:
        one = self._begin(file)
        if one and any(other.chat == one.chat for other in self._waiting):
            self.flush()  # another copy, which decides what is left to take in this one
            one = self._begin(file)
        if one is None:
            self._tally.sessions_up_to_date += 1
            self._taken(file)
            return
        self._waiting.append(one)
        while not (one.finished or one.failed):
            turns, chars = sum(one.waiting for one in self._waiting), sum(one.chars for one in self._waiting)
            more = one.read(TURNS_PER_BATCH - turns, CHARS_PER_BATCH - chars)
            if more or len(self._waiting) >= PASSES_PER_BATCH:
                self.flush()

    def _begin(self, file: ConversationFile) -> Pass | None:
        self._listen()
        seen, state = self._seen(file), self._app.state if self._remembers else None
        full = self._options.full
        if seen is None or (state and not full and state.is_settled(file.conversation, seen)):
            return None
        bookmark = state.bookmark(file.conversation) if state else None
        reading = self._ours(file, self._open(file, bookmark, seen))
        if reading is None:
            return None
        agent, start = self._app.agent_named(reading.agent or self._options.agent), start_of(self._app, reading)
        resumed = bookmark is not None and not full
        return Pass(reading, seen, agent, start, resumed=resumed, again=lambda: self._again(file))

    def _listen(self) -> None:
        """Take note of a pause that began or ended meanwhile; what had to be noted by then is written first."""
        paused = files.identify(self._app.folder.pause)
        if self._ears is None or paused != self._paused:
            self.flush()
            self._ears, self._paused = Ears(self._app), paused
            if self._ears.paused and self._options.verb != VERB:
                self._app.warn("Capture is paused: what was said since is passed over. agent-memory resume ends that.")

    def _seen(self, file: ConversationFile) -> FileIdentity | None:
        return self._given.identity if self._given else files.identify(file.path)

    @property
    def _remembers(self) -> bool:
        """Whether bookmarks count; a dry run does not make the state that is not there."""
        return self._options.follow and (not self._options.dry or self._app.folder.state.exists())

    def _open(self, file: ConversationFile, bookmark: Bookmark | None, seen: FileIdentity) -> Reading | None:
        now, full = self._app.clock.now(), self._options.full
        idle = partial(is_idle, now=now, idle_after=self._options.idle_after)
        if source_named(file.source).chat_of is None:
            return open_reading(file, None if full else bookmark, idle=idle(seen), now=now)
        origins, given = partial(self._origins, file.source), self._given
        return open_chat(file, bookmark, idle=idle, now=now, origins=origins, given=given, full=full)

    def _origins(self, source: str, agent: str) -> list[Origin]:
        agent, view = self._app.agent_named(agent), self._app.vault.view(partial=True)
        memories = (memory for memory in view.memories if memory.page.agent == agent)
        return [memory.origin for memory in memories if memory.origin and memory.origin.source == source]

    def _ours(self, file: ConversationFile, reading: Reading | None) -> Reading | None:
        """Return a reading with blanks for what may not be heard; None if that is all of it."""
        if reading is None or self._exclusions.match(names_of(file, reading), lambda: self._title(file, reading)):
            return None
        if self._ears and not self._ears.are_open:
            reading.hush = self._ears.hush(file)
        return reading

    def _title(self, file: ConversationFile, reading: Reading) -> str:
        anew = None if (turns := reading.all_turns()) else self._open_anew(file)
        return title_of(turns or (anew.turns() if anew else ()))

    def _open_anew(self, file: ConversationFile) -> Reading | None:
        seen = self._seen(file)
        return self._open(file, None, seen) if seen else None

    def _again(self, file: ConversationFile) -> Turns:
        reading = self._ours(file, self._open_anew(file))
        return reading.turns() if reading else iter(())

    def _write(self, passes: list[Pass]) -> None:
        """Write a batch; where that fails each conversation is written alone, and costs itself."""
        try:
            self._apply(passes)
        except AgentMemoryError as error:
            if len(passes) > 1 and not isinstance(error, LockTimeout):
                for one in passes:
                    self._write([one])
                return
            for one in passes:
                one.failed = True
                self._fail(one.file, error)

    def _apply(self, passes: list[Pass]) -> None:
        if not passes:
            return
        decided: list[tuple[View, Taking]] = []

        def plan(view: View) -> Batch:
            taking, batch = self._decide(view, passes)
            decided.append((view, taking))
            return batch

        if self._options.dry:
            before = self.foreseen or self._app.vault.view(partial=True)
            self.foreseen = foresee(before, plan(before), now=self._app.clock.now())
        else:
            self._app.vault.update(plan, verb=self._options.verb, partial=True)
        view, taking = decided[-1]
        self._tally.turns += sum(one.waiting for one in passes)
        self._tally.add(taking)
        said = [(one.agent, proposal.turn) for one in passes for proposal in one.proposals()]
        bookmarks = [one.settle(cleaner(view)) for one in passes]
        if not self._options.dry and self._options.follow:
            self._app.state.save(bookmarks)
            for agent, turn in said:
                self._said(agent, turn)
        for one in passes:
            if one.finished:
                self._count(one)

    def _decide(self, view: View, passes: list[Pass]) -> tuple[Taking, Batch]:
        """Decide what a batch comes to; a conversation that a page is needed for which cannot be read has to wait."""
        for one in passes:
            one.stale = self._seen(one.file) != one.seen
            if error := view.refusal(one.agent, one.categories):
                raise error
        proposals = [proposal for one in passes for proposal in one.proposals()]
        taking, now = take(view, proposals, rules(self._app)), self._app.clock.now()
        ended = self._given is not None
        closings = (close(self._app, view, one, self._summary, now=now, ended=ended) for one in passes if one.closes)
        return taking, Batch.joined((taking.batch, *closings, self._ears.notes if self._ears else Batch()))

    def _count(self, one: Pass) -> None:
        reading, tally = one.reading, self._tally
        if one.turns or one.closed:
            tally.sessions_processed += 1
        else:
            tally.sessions_up_to_date += 1
        tally.handoffs += one.closed
        tally.sound(one.file.source, reading.unknown_kinds)
        if reading.says_nothing:
            tally.sound(one.file.source, {NOTHING: 1})
        if reading.is_broken:
            tally.errors.append(Trouble(one.file.path, None, "Nothing in it can be read."))
        tally.redactions += reading.redactions
        tally.skipped_lines += reading.skipped_lines
        tally.errors += [Trouble(one.file.path, skipped.line, skipped.reason) for skipped in reading.skipped]
        self._taken(one.file)

    def _fail(self, file: ConversationFile, error: AgentMemoryError) -> None:
        self._tally.errors.append(Trouble(file.path, None, f"{error.message} {error.hint}".strip()))
