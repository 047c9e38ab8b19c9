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
from agent_memory.app.ingest import Options, Tally, is_idle, take_file, transcript_folders
from agent_memory.model.ids import digest
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.system import files, logs
from agent_memory.tailing.scan import scan
from agent_memory.tailing.watcher import Doorbell

SWEEP_S: Final = 30.0
# Where no folder exists yet there is nothing to ring; looking is one stat.
LOOK_AGAIN_S: Final = 2.0

_log = logs.get("watch")


@dataclass
class Watch:
    """A running watcher. ``report`` is told after each round that took something."""

    app: App
    options: Options
    debounce_s: float
    report: Callable[[Tally], None] = lambda tally: None
    _handled: dict[str, tuple[FileIdentity | None, bool]] = field(default_factory=dict)
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
        self._bell = Doorbell(debounce_s=self.debounce_s)
        watched: list[Path] = []
        try:
            while not self._stopping:
                folders = transcript_folders(self.app, self.options)
                present = [folder for folder in folders if folder.is_dir()]
                if not present and not wait_for_transcripts:
                    return "There are no transcripts to watch yet; --wait-for-transcripts waits for them."
                if present != watched:
                    self._bell.start(present)
                    watched = present
                    _log.info("watching %s", ", ".join(map(str, present)))
                self.round(present)
                self._bell.wait(self._patience(bool(present)))
        finally:
            self._bell.close()
        return "Stopped."

    def round(self, folders: list[Path]) -> Tally:
        """Take everything that is new, or has gone quiet, once."""
        tally = Tally()
        for file in self._due(folders):
            take_file(self.app, file, self.options, tally)
        if tally.sessions_processed:
            _ = self.app.mirror
            self.report(tally)
        for trouble in tally.errors:
            _log.warning("%s%s: %s", trouble.path, f":{trouble.line}" if trouble.line else "", trouble.message)
        return tally

    def _due(self, folders: list[Path]) -> Iterator[ConversationFile]:
        """Yield the files that changed since they were last handled, or have become idle since."""
        now = self.app.clock.now()
        for file in scan(folders).files:
            if self._stopping:
                return
            identity = files.identify(Path(file.path))
            idle = is_idle(identity, now=now, idle_after=self.options.idle_after)
            if self._handled.get(file.path) != (identity, idle):
                yield file
                self._handled[file.path] = (identity, idle)

    def _patience(self, present: bool) -> float:
        """Return how long to wait for the doorbell: until the next file goes idle, at most until the next sweep."""
        if not present:
            return LOOK_AGAIN_S
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
