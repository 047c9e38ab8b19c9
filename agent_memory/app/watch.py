"""Ingest, for ever: take what is new, close what has gone quiet, keep the vault lean.

One watcher per vault and workspace folder; a second one leaves, or stands by. What fails is named once and
tried again; a watcher outlives it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from agent_memory.app import maintain, rule
from agent_memory.app.beside import Beside
from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.app.intake import Intake, is_idle
from agent_memory.app.lookout import LOOK_AGAIN_S, SWEEP_S, Lookout, Seen
from agent_memory.app.tally import Tally, Trouble
from agent_memory.errors import AgentMemoryError
from agent_memory.model.ids import digest
from agent_memory.model.transcript import ConversationFile
from agent_memory.system import files, garbage, locks, logs

if TYPE_CHECKING:
    from filelock import FileLock

# How soon a model's reply is looked for while one is on its way.
REPLY_LOOK_S: Final = 0.2

T = TypeVar("T")

_log = logs.get("watch")


@dataclass
class Watch:
    """A running watcher.

    ``report`` is told after each round that took something; ``deserted`` tells whether whoever started it
    has gone.
    """

    app: App
    options: Options
    debounce_s: float
    report: Callable[[Tally], None] = lambda tally: None
    deserted: Callable[[], bool] = lambda: False
    _handled: dict[str, Seen] = field(default_factory=dict)
    _complained: set[Trouble] = field(default_factory=set)
    _additions: int = 0
    _stopping: bool = False
    _resting: bool = False

    def __post_init__(self) -> None:
        self._lookout = Lookout(self.app, self.options, self.debounce_s, self._ended)
        self._beside = Beside(self.app)

    def run(self, *, wait_for_transcripts: bool) -> str:
        """Watch until ``stop``, and return a sentence that says why it ended.

        Args:
            wait_for_transcripts: Whether to wait, quietly, until there are transcripts, and until another
                watcher ends.

        Raises:
            FileError: The folder that was named cannot be one of transcripts.
        """
        transcript_folders(self.app, self.options)
        path = lock_path(self.app, self.options.transcripts)
        try:
            while (lock := self._lock(path, stand_by=wait_for_transcripts)) is not None:
                with contextlib.closing(_Held(lock, path)) as held:
                    if ended := self._run(held, wait_for_transcripts):
                        return ended
                self.app.close()
            return self._ended() or f"Already being watched by {locks.holder_of(path) or 'another process'}."
        finally:
            self._lookout.close()
            self._safely(self._beside.close)

    def stop(self) -> None:
        """End the watch at the next safe moment; callable from a signal handler or another thread."""
        self._stopping = True
        self._lookout.stop()

    def _ended(self) -> str:
        """Return why there is nothing more to do, empty while there is."""
        if self._stopping:
            return "Stopped."
        return "Ended, since the program that started it has." if self.deserted() else ""

    def _lock(self, path: Path, *, stand_by: bool) -> FileLock | None:
        lock = locks.try_lock(path)
        if lock is None and stand_by:
            _log.info("standing by: already being watched by %s", locks.holder_of(path) or "another process")
        while lock is None and stand_by and not self._ended():
            self._lookout.pause(LOOK_AGAIN_S)
            lock = locks.try_lock(path)
        return lock

    def _run(self, held: _Held, wait_for_transcripts: bool) -> str:
        """Watch for as long as the lock is held; empty if it was deleted, since then another watcher may hold it."""
        if not (wait_for_transcripts or self._lookout.transcripts()):
            return "There are no transcripts to watch yet; --wait-for-transcripts waits for them."
        self._keep_lean(starting=True)
        self._safely(lambda: rule.refresh(self.app))  # pages may have been edited while nobody watched
        while not (ended := self._ended()) and held.stands:
            self._rest(idle=not self.round().sessions_processed)
            if self._lookout.wait(self._patience()):
                self._rest(idle=False)
                self._safely(lambda: rule.refresh(self.app))
        return ended

    def _rest(self, *, idle: bool) -> None:
        """Let go, once, of what was kept only to be quicker: a watcher mostly waits, and waiting needs no memory."""
        if idle and not self._resting:
            self.app.shelf.let_go()
            garbage.give_back()
        self._resting = idle

    def round(self) -> Tally:
        """Take everything that is new, or has gone quiet, once; what fails is tried again at the next sweep."""
        tally = Tally()
        seen: dict[str, Seen] = {}
        intake = Intake(
            self.app,
            self.options,
            tally,
            taken=lambda file: self._handled.update({file.path: seen[file.path]}),
            said=self._beside.offer,
        )
        for file, was in self._due():
            seen[file.path] = was
            intake.take(file)
        intake.flush()
        if tally.sessions_processed:
            self._safely(lambda: rule.refresh(self.app))
            self._additions += tally.decisions + tally.lessons + tally.tasks + tally.handoffs
            self.report(tally)
        self._safely(self._beside.go_on)
        self._complain([*self._lookout.troubles, *tally.errors])
        self._keep_lean(starting=False)
        return tally

    def _due(self) -> Iterator[tuple[ConversationFile, Seen]]:
        """Yield the files that are no longer as they were last handled, or have gone idle since."""
        suspects = self._lookout.look(self._handled)
        suspects |= {path for path, (_, idle) in self._handled.items() if not idle}
        now = self.app.clock.now()
        for path, file in self._lookout.files.items() if suspects else ():
            if self._stopping:
                return
            if path in suspects:
                identity = files.identify(Path(path))
                seen = identity, is_idle(identity, now=now, idle_after=self.options.idle_after)
                if self._handled.get(path) != seen:
                    yield file, seen

    def _keep_lean(self, *, starting: bool) -> None:
        """Run the upkeep that is due."""
        beside = {"consolidate": self._beside.consolidate}
        if self._safely(lambda: maintain.run_due(self.app, self._additions, starting=starting, beside=beside)):
            self._additions = 0

    def _safely(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except AgentMemoryError as error:
            self._complain([Trouble(str(error.facts.get("path", self.app.folder.root)), None, error.message)])
            return None

    def _complain(self, troubles: list[Trouble]) -> None:
        """Name each trouble once, however often it is met."""
        for trouble in troubles:
            if trouble not in self._complained:
                place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
                _log.warning("%s: %s", place, trouble.message)
        self._complained.update(troubles)

    def _patience(self) -> float:
        """Return how long it is until the next file goes idle."""
        now = self.app.clock.now()
        waits = [REPLY_LOOK_S if self._beside.is_asking else SWEEP_S]
        for identity, idle in self._handled.values():
            if identity is not None and not idle:
                written = datetime.fromtimestamp(identity.mtime_ns / 1e9, UTC)
                waits.append((written + self.options.idle_after - now).total_seconds())
        return max(min(waits), 0.05)


class _Held:
    """A lock that this process has, for as long as its file is the one that stands there."""

    def __init__(self, lock: FileLock, path: Path) -> None:
        self._lock = lock
        self._path = path
        self._file = files.identify(path)

    @property
    def stands(self) -> bool:
        now = files.identify(self._path)
        return now is not None and self._file is not None and now.inode == self._file.inode

    def close(self) -> None:
        self._lock.release()


def lock_path(app: App, transcripts: Path | None) -> Path:
    """Return the lock of the one watcher that a vault and a workspace folder may have."""
    return app.folder.watch_lock(digest(str((transcripts or app.workspace).resolve()), digits=8))


def watcher_of(app: App) -> str:
    """Return who watches this workspace, empty if nobody does."""
    return _holder(lock_path(app, None))


def watchers_of(app: App) -> list[str]:
    """Return all who watch this memory, for whatever workspace."""
    return list(filter(None, map(_holder, sorted(app.folder.machine.glob("watch-*.lock")))))


def _holder(path: Path) -> str:
    lock = locks.try_lock(path) if path.exists() else None
    if lock is None:
        return (locks.holder_of(path) or "another process") if path.exists() else ""
    lock.release()
    return ""


def watch(
    app: App,
    *,
    transcripts: Path | None,
    wait_for_transcripts: bool,
    quiet: bool,
    on_start: Callable[[Watch], None],
    report: Callable[[Tally], None],
) -> str:
    """Watch with the settings of the app until ``on_start``'s watcher is stopped or deserted.

    Returns:
        A sentence that says why it ended.
    """
    logs.configure(quiet=quiet)
    options = Options(
        agent=app.agent,
        idle_after=timedelta(seconds=app.settings.number("watch.idle_timeout_s")),
        transcripts=transcripts,
        verb="watch",
    )
    watching = Watch(app, options, app.settings.number("watch.debounce_s"), report)
    on_start(watching)
    return watching.run(wait_for_transcripts=wait_for_transcripts)
