"""Ingest, for ever: wait for the doorbell, take what is new, close what has gone quiet.

One watcher per vault and workspace folder; a second one says so and leaves. Between events nothing
runs but a sweep, for file systems whose doorbell does not ring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.ingest import Options, Tally, Trouble, is_idle, take_file, transcript_folders
from agent_memory.errors import AgentMemoryError
from agent_memory.model.ids import digest
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.system import files, logs
from agent_memory.tailing.scan import scan
from agent_memory.tailing.watcher import Doorbell

SWEEP_S: Final = 30.0
# Where no folder exists yet there is nothing to ring; looking is one stat.
LOOK_AGAIN_S: Final = 3.0

Seen = tuple[FileIdentity | None, bool]

_log = logs.get("watch")


@dataclass
class Watch:
    """A running watcher. ``report`` is told after each round that took something."""

    app: App
    options: Options
    debounce_s: float
    report: Callable[[Tally], None] = lambda tally: None
    _handled: dict[str, Seen] = field(default_factory=dict)
    _complained: set[Trouble] = field(default_factory=set)
    _stopping: bool = False
    _bell: Doorbell | None = None

    def run(self, *, wait_for_transcripts: bool) -> str:
        """Watch until ``stop``, and return a sentence that says why it ended.

        Args:
            wait_for_transcripts: Whether to wait, quietly, until the transcripts folder exists.
        """
        path = lock_path(self.app, self.options.transcripts)
        lock = files.try_lock(path)
        if lock is None:
            return f"Already being watched by {files.holder_of(path) or 'another process'}."
        try:
            return self._run(wait_for_transcripts)
        finally:
            lock.release()

    def stop(self) -> None:
        """End the watch at the next safe moment; callable from a signal handler or another thread."""
        self._stopping = True
        if self._bell is not None:
            self._bell.stop()

    def _run(self, wait_for_transcripts: bool) -> str:
        watched: dict[Path, int] = {}
        try:
            while not self._stopping:
                present = self._present()
                if not present and not wait_for_transcripts:
                    return "There are no transcripts to watch yet; --wait-for-transcripts waits for them."
                if present != watched or self._bell is None:
                    self._listen_to(list(present))
                    watched = present
                self.round(list(present))
                self._wait(watching=bool(present))
        finally:
            if self._bell is not None:
                self._bell.close()
        return "Stopped."

    def _present(self) -> dict[Path, int]:
        """Return the transcripts folders that exist, with their inodes: one made again is another folder."""
        found = ((folder, files.identify(folder)) for folder in transcript_folders(self.app, self.options))
        return {folder: identity.inode for folder, identity in found if identity is not None}

    def _listen_to(self, folders: list[Path]) -> None:
        """Take a new doorbell: the old one still hangs at a folder that was deleted and made again."""
        if self._bell is not None:
            self._bell.close()
        self._bell = Doorbell(debounce_s=self.debounce_s)
        self._bell.start(folders)
        if folders:
            _log.info("watching %s", ", ".join(map(str, folders)))

    def _wait(self, *, watching: bool) -> None:
        if self._bell is not None and not self._stopping:
            self._bell.wait(self._patience() if watching else LOOK_AGAIN_S)

    def round(self, folders: list[Path]) -> Tally:
        """Take everything that is new, or has gone quiet, once; what fails is tried again at the next round."""
        tally = Tally()
        for file, seen in self._due(folders):
            failures = len(tally.errors)
            take_file(self.app, file, self.options, tally)
            if not any(trouble.line is None for trouble in tally.errors[failures:]):
                self._handled[file.path] = seen
        if tally.sessions_processed:
            self._follow(tally)
            self.report(tally)
        self._complain(tally.errors)
        return tally

    def _follow(self, tally: Tally) -> None:
        """Bring the mirror up to date; it is derived, so a watcher outlives its troubles."""
        try:
            _ = self.app.mirror
        except AgentMemoryError as error:
            tally.errors.append(Trouble(str(self.app.folder.mirror), None, error.message))

    def _complain(self, troubles: list[Trouble]) -> None:
        """Name each trouble once, however often it is met."""
        for trouble in troubles:
            if trouble not in self._complained:
                place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
                _log.warning("%s: %s", place, trouble.message)
        self._complained.update(troubles)

    def _due(self, folders: list[Path]) -> Iterator[tuple[ConversationFile, Seen]]:
        """Yield the files that changed since they were last handled, or have become idle since."""
        now = self.app.clock.now()
        for file in scan(folders).files:
            if self._stopping:
                return
            identity = files.identify(Path(file.path))
            seen = identity, is_idle(identity, now=now, idle_after=self.options.idle_after)
            if self._handled.get(file.path) != seen:
                yield file, seen

    def _patience(self) -> float:
        """Return how long to wait for the doorbell: until the next file goes idle, at most until the next sweep."""
        now = self.app.clock.now()
        waits = [SWEEP_S]
        for identity, idle in self._handled.values():
            if identity is not None and not idle:
                written = datetime.fromtimestamp(identity.mtime_ns / 1e9, UTC)
                waits.append((written + self.options.idle_after - now).total_seconds())
        return max(min(waits), 0.05)


def lock_path(app: App, transcripts: Path | None) -> Path:
    """Return the lock of the one watcher that a vault and a workspace folder may have."""
    return app.folder.watch_lock(digest(str((transcripts or app.workspace).resolve()), digits=8))


def watcher_of(app: App) -> str:
    """Return who watches this workspace, empty if nobody does."""
    path = lock_path(app, None)
    if not path.exists():
        return ""
    lock = files.try_lock(path)
    if lock is None:
        return files.holder_of(path) or "another process"
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
    """Watch with the settings of the app until somebody calls ``stop`` on what ``on_start`` was given.

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
