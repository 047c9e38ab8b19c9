"""Where a vault's pages stand, and reading them: each file once for as long as it stays the same.

Nothing is written here. Links that lead out of the vault are not followed: a page behind one is
passed over and named, and a path behind one is refused to whoever wants to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from unicodedata import normalize

from agent_memory.errors import FileError
from agent_memory.model.ids import alike, check_name
from agent_memory.model.memory import PageRef
from agent_memory.system import files
from agent_memory.system.folders import Listed
from agent_memory.system.paths import ARCHIVE_FOLDER, MemoryFolder
from agent_memory.vault import layout, taken
from agent_memory.vault.taken import Taken
from agent_memory.vault.view import PageState, StoredPage, View

Report = Callable[[PageRef | None, FileError], None]  # no page: a folder of them
Found = tuple[PageRef, Path, bool]
"""A page, where it stands, and whether that is in the vault once links are followed."""


class Shelf:
    """The files of one vault, remembered as they were last read."""

    def __init__(self, folder: MemoryFolder) -> None:
        self.folder = folder.root
        self._folder = folder
        self._pages: dict[PageRef, StoredPage] = {}
        self._ledger: tuple[bytes, Taken] = b"", Taken()
        self._view: tuple[object, View] | None = None  # the last one, and what it was made of

    def view(self, *, fresh: bool, partial: bool = False) -> View:
        """Return the vault as it is now.

        Args:
            fresh: Compare bytes where identities would do.
            partial: A page that cannot be read is ``unreadable`` in the view, and no error.
        """
        unreadable: dict[PageRef, FileError] = {}

        def note(ref: PageRef | None, error: FileError) -> None:
            if ref is None:
                raise error
            unreadable[ref] = error

        report = note if partial else None
        found = list(self._page_files(report))
        pages = self._loaded(found, fresh=fresh, report=report)
        agents = dict.fromkeys(ref.agent for ref, _, inside in found if inside)
        skipped = tuple(ref.path for ref, _, inside in found if not inside)
        parts = pages, self.ledger(), tuple(agents), skipped, unreadable
        if self._view is None or self._view[0] != parts:
            self._view = parts, View(*parts)
        return self._view[1]

    def let_go(self) -> None:
        """Keep nothing of what was read: it is read again when somebody asks."""
        self._pages, self._ledger, self._view = {}, (b"", Taken()), None

    def pages(self, *, fresh: bool, report: Report | None = None) -> list[StoredPage]:
        """Return every page; one that is as it was is not parsed again, one that cannot be read goes to ``report``."""
        return self._loaded(self._page_files(report), fresh=fresh, report=report)

    def _loaded(self, found: Iterable[Found], *, fresh: bool, report: Report | None) -> list[StoredPage]:
        loaded = [self._load(ref, path, fresh=fresh, report=report) for ref, path, inside in found if inside]
        self._pages = {stored.ref: stored for stored in loaded if stored is not None}
        return list(self._pages.values())

    def page_states(self, report: Report | None = None) -> list[PageState]:
        """Return what tells a reader which pages changed; entries are read only when asked for."""
        return [stored.state for stored in self.pages(fresh=False, report=report)]

    def project_text(self) -> str:
        """Return the page that every agent shares; empty if there is none."""
        return files.read_text(self.checked(self._folder.project)) or ""

    def is_prepared(self) -> bool:
        """Whether the folder is what a vault starts as."""
        self.checked(self._folder.machine)
        return files.identify(self._folder.journal) is not None

    def ledger(self) -> Taken:
        """Return what was taken; only what was appended since the last look is parsed."""
        snapshot = files.read(self.checked(self._folder.taken))
        data = snapshot.data if snapshot else b""
        before, known = self._ledger
        if data != before:
            grown = data.startswith(before) and before.endswith(b"\n")
            new = data[len(before) :] if grown else data
            self._ledger = data, taken.parse(new.decode("utf-8", "replace"), known if grown else None)
        return self._ledger[1]

    def agents(self, report: Report | None = None) -> list[str]:
        """Return the agents that have a page or an archive.

        Raises:
            FileError: A folder cannot be listed, and there is no ``report`` to tell of it and go on.
        """
        return list(dict.fromkeys(ref.agent for ref, _, inside in self._page_files(report) if inside))

    def spelling(self, agent: str) -> str:
        """Return the agent that is meant: this one, one that differs in form or case alone, or a new one, in NFC."""
        known = [path.name for path in self._agent_folders() if alike(path.name) == alike(agent)]
        return agent if agent in known else next(iter(known), normalize("NFC", agent))

    def folders(self) -> list[Path]:
        """Return the folders that hold pages or archives."""
        agents = self._agent_folders()
        archives = [agent / ARCHIVE_FOLDER for agent in agents]
        return [*agents, *(path for path in archives if files.is_folder(path) and self._is_inside(path))]

    def path_of(self, ref: PageRef) -> Path:
        """Return where a page is kept, or would be; ``InvalidName`` or ``FileError`` where none can be."""
        check_name(ref.agent, "an agent")
        check_name(ref.category, "a category")
        path = self.checked(self._folder.root / ref.path)
        if files.is_folder(path):
            raise _no_page(path)
        return path

    def checked(self, path: Path) -> Path:
        """Return ``path`` if it is in the vault once links are followed; a ``FileError`` if it is not."""
        if not self._is_inside(path):
            raise FileError(f"{path} is a link that leads out of the vault.", hint="Replace it.", path=str(path))
        return path

    def _load(self, ref: PageRef, path: Path, *, fresh: bool, report: Report | None) -> StoredPage | None:
        known = self._pages.get(ref)
        if known is not None and not fresh and files.identify(path) == known.identity:
            return known
        try:
            snapshot = files.read(path)
        except FileError as error:
            if report is None:
                raise
            report(ref, error)
            return None
        if snapshot is None:
            return None
        if known is None:
            return StoredPage(ref, snapshot.identity, snapshot.data)
        same = (known.identity, known.data) == (snapshot.identity, snapshot.data)
        return known if same else known.renewed(snapshot.identity, snapshot.data)

    def _page_files(self, report: Report | None = None) -> Iterator[Found]:
        """Yield every page; what only has the name of one goes to ``report``."""
        for agent in self._agent_folders():
            for entry in _listed(agent, report):
                yield from self._page(f"{agent.name}/{entry.name}", entry, report, inside=True)
                if entry.name == ARCHIVE_FOLDER and entry.is_folder:
                    inside = self._leads_inside(entry)
                    for archived in _listed(entry.path, report):
                        place = f"{agent.name}/{entry.name}/{archived.name}"
                        yield from self._page(place, archived, report, inside=inside)

    def _page(self, place: str, entry: Listed, report: Report | None, *, inside: bool) -> Iterator[Found]:
        ref = layout.ref_of(place)
        if ref is not None and entry.is_file:
            yield ref, entry.path, inside and self._leads_inside(entry)
        elif ref is not None and report is not None:
            report(ref, _no_page(entry.path))

    def _agent_folders(self) -> list[Path]:
        found = (entry for entry in files.scan_folder(self._folder.root) if entry.is_folder)
        return [entry.path for entry in found if layout.is_name(entry.name) and self._leads_inside(entry)]

    def _leads_inside(self, entry: Listed) -> bool:
        return not entry.is_link or self._is_inside(entry.path)

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self._folder.root.resolve())
        except (OSError, RuntimeError):  # links in a circle
            return False


def _no_page(path: Path) -> FileError:
    return FileError(f"{path} is no file, as a page should be.", hint="Move it away.", path=str(path))


def _listed(folder: Path, report: Report | None) -> list[Listed]:
    try:
        return files.scan_folder(folder)
    except FileError as error:
        if report is None:
            raise
        report(None, error)
        return []
