"""A doorbell: it says that a transcript or a page may have changed, at once, but promises nothing.

Events are hints. They fail silently where inotify watches have run out and on network and WSL mounts,
so whoever waits also sweeps. The doorbell reads no file and keeps no list of them.
"""

from __future__ import annotations

import logging
import os
import queue
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

HEARD: Final = frozenset({".jsonl", ".txt", ".json", ".md"})
DEAF_TO: Final = frozenset({".vault"})  # the machine's own writes
WAKE: Final = "wake"
"""The file there that is touched by who has something to be taken, and waits for no debounce."""
MAX_DEBOUNCES: Final = 5
JOIN_TIMEOUT_S: Final = 2.0


class Doorbell:
    """Rings for changed transcripts and pages below folders."""

    def __init__(self, *, debounce_s: float) -> None:
        self._debounce_s = debounce_s
        # SimpleQueue.put is the one wake-up that may be called from a signal's middle.
        self._rings: queue.SimpleQueue[Path | None] = queue.SimpleQueue()
        self._watched: set[Path] = set()
        self._observer: BaseObserver | None = None
        self._stopped = False

    def start(self, folders: Sequence[Path]) -> tuple[Path, ...]:
        """Watch ``folders`` too; return those that cannot be watched, or not yet, and need the sweep.

        May be called again, for instance once a folder exists.
        """
        return tuple(folder for folder in folders if folder not in self._watched and not self._watch(folder))

    def ring(self, path: Path) -> None:
        """Say that ``path`` may have changed; callable from any thread."""
        if is_wake(path) or (path.suffix in HEARD and not any(part in DEAF_TO for part in path.parts)):
            self._rings.put(path)

    def wait(self, timeout_s: float) -> set[Path]:
        """Return what changed, once it has been quiet for the debounce, or has not for five times that.

        Empty after ``timeout_s`` without a ring, and at once when stopped.
        """
        changed: set[Path] = set()
        until = time.monotonic() + timeout_s
        latest = float("inf")
        while not self._stopped:
            try:
                path = self._rings.get(timeout=max(min(until, latest) - time.monotonic(), 0))
            except queue.Empty:
                break
            if path is not None:
                now = time.monotonic()
                latest = now + MAX_DEBOUNCES * self._debounce_s if not changed else latest
                until = now if is_wake(path) else now + self._debounce_s
                changed.add(path)
        return changed

    def stop(self) -> None:
        """End every ``wait``, now and later; callable from any thread and from a signal's handler."""
        self._stopped = True
        self._rings.put(None)

    def close(self) -> None:
        """Stop, and end the thread that listens; closing twice is fine."""
        self.stop()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(JOIN_TIMEOUT_S)
            self._observer = None

    def _watch(self, folder: Path) -> bool:
        from watchdog.events import FileClosedEvent, FileCreatedEvent, FileModifiedEvent, FileMovedEvent

        # Without a filter watchdog 7.1 listens to its own walk and spins above some 4,000 folders.
        heard: list[type[FileSystemEvent]] = [FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileClosedEvent]
        try:
            if not folder.is_dir():
                return False
            self._listening().schedule(_listener(self.ring), str(folder), recursive=True, event_filter=heard)
        except OSError:
            return False  # not ours to enter, or no inotify watches left: the caller is told, and sweeps
        self._watched.add(folder)
        return True

    def _listening(self) -> BaseObserver:
        from watchdog.observers import Observer

        if self._observer is None:
            # watchdog 7.1 warns, at length, when folders are made faster than it follows; harmless.
            warnings.filterwarnings("ignore", category=RuntimeWarning, module="watchdog")
            # It logs as an error that it was stopped while it read; without a handler that reaches the terminal.
            logging.getLogger("watchdog").addHandler(logging.NullHandler())
            observer = Observer()
            observer.daemon = True
            observer.start()
            self._observer = observer
        return self._observer


def is_wake(path: Path) -> bool:
    """Tell whether this is the file that wakes a watcher."""
    return path.name == WAKE and path.parent.name in DEAF_TO


def _listener(ring: Callable[[Path], None]) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Listener(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            for path in (event.src_path, event.dest_path):
                if path:
                    ring(Path(os.fsdecode(path)))

    return Listener()
