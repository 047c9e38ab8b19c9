"""What a watcher looks at: rings where events come, sweeps for what rang in vain or not at all.

A ring costs a look at the files it names. A sweep lists everything again: seldom where events come, often
where they do not, which is found out when a sweep meets a change that nobody rang for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.conversations import Options, transcript_folders
from agent_memory.app.intake import is_idle
from agent_memory.app.tally import Trouble
from agent_memory.errors import AgentMemoryError
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.system import files, logs
from agent_memory.tailing.scan import scan
from agent_memory.tailing.watcher import MAX_DEBOUNCES, Doorbell, is_wake

SWEEP_S: Final = 30.0
# Where there is nothing to ring, or nobody hears it; also how soon a folder's or a parent's end is noticed.
LOOK_AGAIN_S: Final = 3.0
# Sweeping a big tree is dear: it may take this part of the time where events come, and where they do not.
SWEEP_SHARE: Final = 0.0015
POLL_SHARE: Final = 0.02
# An event that has not come by now, behind the debounce, will not.
EVENT_S: Final = 2.0

Seen = tuple[FileIdentity | None, bool]

_log = logs.get("watch")


class Lookout:
    """The conversations there are, and which of them may have changed.

    Args:
        app: The product.
        options: Which folders.
        debounce_s: How long a file must be quiet after a ring.
        ended: Why there is nothing more to wait for; empty while there is.
    """

    def __init__(self, app: App, options: Options, debounce_s: float, ended: Callable[[], str]) -> None:
        self.files: dict[str, ConversationFile] = {}
        self.troubles: list[Trouble] = []
        self._app = app
        self._options = options
        self._debounce_s = debounce_s
        self._ended = ended
        self._suspects: set[str] = set()
        self._watched: dict[Path, int] = {}
        self._next_sweep = 0.0
        self._polling = False
        self._bell = Doorbell(debounce_s=debounce_s)

    def look(self, handled: Mapping[str, Seen]) -> set[str]:
        """Return the paths that may have changed since the last look.

        Args:
            handled: How each file was when it was last dealt with.
        """
        if time.monotonic() >= self._next_sweep or self._has_moved():
            self.sweep(handled)
        suspects, self._suspects = self._suspects, set()
        return suspects & self.files.keys()

    def sweep(self, handled: Mapping[str, Seen]) -> None:
        """List every conversation, listen to the folders as they are now, and find out whether events come."""
        started = time.monotonic()
        self.troubles.clear()
        try:
            folders = self.transcripts()
        except AgentMemoryError as error:
            self.troubles.append(Trouble(str(error.facts.get("path", "")), None, error.message))
            folders = []
        found, present = scan(folders, self._options.sources), _inodes([*folders, self._app.folder.root])
        self.troubles += [Trouble(one.path, None, one.message) for one in found.troubles]
        self.files = {file.path: file for file in found.files}
        self._suspects = set(self.files)
        if present != self._watched:
            self._listen_to(present)
        elif any(self._is_overheard(path, handled.get(path)) for path in self.files):
            self._poll("no events come from the file system")
        cost = time.monotonic() - started
        seldom = max(LOOK_AGAIN_S, cost / POLL_SHARE) if self._polling else max(SWEEP_S, cost / SWEEP_SHARE)
        self._next_sweep = time.monotonic() + (seldom if self.files else LOOK_AGAIN_S)

    def transcripts(self) -> list[Path]:
        """Return the folders of transcripts that exist."""
        return [folder for folder in transcript_folders(self._app, self._options) if files.is_folder(folder)]

    def wait(self, seconds: float) -> bool:
        """Wait until something rings, ``seconds`` are over or a sweep is due; tell whether a page rang."""
        until = min(self._next_sweep, time.monotonic() + seconds)
        while not self._ended() and (left := until - time.monotonic()) > 0 and not self._has_moved():
            if rung := self.pause(min(left, LOOK_AGAIN_S)):
                return self._heard(rung)
        return False

    def pause(self, seconds: float) -> set[Path]:
        """Wait for ``seconds``, a ring or ``stop``, whichever comes first; return what rang."""
        return set() if self._ended() else self._bell.wait(seconds)

    def stop(self) -> None:
        """End every wait, now and later; callable from a signal handler or another thread."""
        self._bell.stop()

    def close(self) -> None:
        """Stop listening."""
        self._bell.close()

    def _listen_to(self, present: dict[Path, int]) -> None:
        """Take a new doorbell: the old one still hangs at a folder that was deleted and made again."""
        self._bell.close()
        self._bell = Doorbell(debounce_s=self._debounce_s)
        self._watched = present
        _log.info("watching %s", ", ".join(map(str, present)))
        if unheard := self._bell.start(list(present)):
            self._poll(f"no events come from {', '.join(map(str, unheard))}")

    def _poll(self, why: str) -> None:
        if not self._polling:
            _log.warning("%s; looking every %g seconds instead", why, LOOK_AGAIN_S)
        self._polling = True

    def _has_moved(self) -> bool:
        return _inodes(self._watched) != self._watched

    def _is_overheard(self, path: str, handled: Seen | None) -> bool:
        """Tell whether a file has changed, long enough ago, and nobody rang."""
        identity = files.identify(Path(path))
        if handled is None or identity == handled[0]:
            return False
        due = timedelta(seconds=EVENT_S + MAX_DEBOUNCES * self._debounce_s)
        return is_idle(identity, now=self._app.clock.now(), idle_after=due)

    def _heard(self, rung: set[Path]) -> bool:
        """Suspect what rang; have everything listed again if a file is among it that is not known yet."""
        strange = {path for path in rung if str(path) not in self.files}
        self._suspects |= {str(path) for path in rung - strange}
        pages = {path for path in strange if self._is_page(path)}
        if strange - pages or any(map(is_wake, rung)):
            self._next_sweep = 0.0
        return bool(pages)

    def _is_page(self, path: Path) -> bool:
        folder = self._app.folder
        return path.is_relative_to(folder.root) and not path.is_relative_to(folder.conversations)


def _inodes(folders: Iterable[Path]) -> dict[Path, int]:
    """Return the folders that exist, with their inodes: one made again is another folder."""
    found = ((folder, files.identify(folder)) for folder in folders)
    return {folder: identity.inode for folder, identity in found if identity is not None}
