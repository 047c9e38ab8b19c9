"""The vault on disk: read without a lock, changed under one, and never half.

Every change is decided on the pages as they are at that moment and written in one durable order: intent in the
journal, pages (what receives before what gives away), ledger. A vault that does not exist is empty.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent_memory.errors import FileError, InvalidValue, PageConflict
from agent_memory.model.memory import Batch, PageRef
from agent_memory.model.origin import FileIdentity
from agent_memory.redaction import redact
from agent_memory.system import files, locks
from agent_memory.system.clock import Clock
from agent_memory.system.paths import MemoryFolder
from agent_memory.vault import front, journal, taken, templates
from agent_memory.vault import page as pages_of
from agent_memory.vault.apply import Outcome, work_out
from agent_memory.vault.journal import JournalChange, JournalRun
from agent_memory.vault.page import Page
from agent_memory.vault.shelf import Shelf
from agent_memory.vault.view import View

__all__ = ["Plan", "Vault", "View"]

MAX_ATTEMPTS: Final = 5

Plan = Callable[[View], Batch]


class Vault:
    """The pages, the ledger and the journal of one memory folder; whoever only reads takes the ``shelf``."""

    def __init__(
        self,
        folder: MemoryFolder,
        clock: Clock,
        *,
        lock_timeout_s: float,
        language: str = "en",
        shelf: Shelf | None = None,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._lock_timeout_s = lock_timeout_s
        self._language = language
        self.shelf = shelf or Shelf(folder)
        self.has_written = False  # whether pages or the shared page changed through this

    def view(self, *, partial: bool = False) -> View:
        """Return the vault as it is now, ``partial`` without what cannot be read. Nothing is locked or written."""
        return self.shelf.view(fresh=False, partial=partial)

    def update(self, plan: Plan, *, verb: str, undoes: str | None = None, partial: bool = False) -> JournalRun:
        """Decide on the vault as it is now, and write what was decided; an empty batch writes nothing.

        The plan is pure: it is called again when a page changed before it could be replaced. The journal has ``verb``,
        on whose behalf this is, and the run that it ``undoes``. ``partial`` goes on without pages that cannot be read;
        the plan sees which.

        Raises:
            LockTimeout: Somebody else kept the vault's lock.
            PageConflict: A page changed under every attempt.
            UnknownEntry: The batch names an entry that is not there.
            FileError: The disk refused, or a page leads out of the vault.
        """
        if not files.is_folder(self.shelf.checked(self._folder.machine)) and not plan(self.view(partial=partial)):
            return self._new_run(verb)  # so that asking a vault that does not exist does not make one
        with locks.locked(self._folder.lock, timeout_s=self._lock_timeout_s):
            for folder in self.shelf.folders():
                files.sweep(folder)
            run = self._new_run(verb, undoes)
            for _ in range(MAX_ATTEMPTS - 1):
                with contextlib.suppress(PageConflict):
                    return self._attempt(plan, run, partial=partial)
            return self._attempt(plan, run, partial=partial)

    def prepare(self) -> None:
        """Make the folder what a vault starts as, once; a file that is there is never written over."""
        if self.shelf.is_prepared():
            return
        root = self._folder.root
        files.sweep(root)
        # A first start that was cut short has left names with a dot, and these alone.
        new = all(path.name.startswith(".") for path in files.list_folder(root))
        files.make_folder(self._folder.machine, private=True)
        for name, text in templates.seeds(root.absolute().parent, self._language, new=new).items():
            self._seed(root / name, text)
        files.append(self._folder.journal, "")

    def journal_runs(self, about: str = "") -> tuple[JournalRun, ...]:
        """Return what was done to the vault, oldest first; only what names ``about``, if that is given."""
        return journal.read(self._folder.journal, about=about)

    def witness(self, find: Callable[[], Iterable[JournalChange]], *, verb: str) -> None:
        """Journal what people did to pages themselves, as ``find`` sees it in pages and journal."""
        if not any(True for _ in find()):
            return
        with locks.locked(self._folder.lock, timeout_s=self._lock_timeout_s):
            changes = tuple(find())
            if changes:
                self.prepare()
                files.append(self._folder.journal, "", journal.line(self._new_run(verb).only(changes)))

    def rewrite_journal(self, rewrite: Callable[[JournalChange], JournalChange]) -> None:
        """Replace the journal, in one step, by what ``rewrite`` makes of each change; torn lines are dropped."""
        with locks.locked(self._folder.lock, timeout_s=self._lock_timeout_s):
            snapshot = files.read(self._folder.journal)
            runs = journal.parse(snapshot.data.decode("utf-8", "replace")) if snapshot else ()
            lines = (journal.line(run.only(map(rewrite, run.changes))) for run in runs)
            new = "".join(itertools.chain.from_iterable(lines)).encode("ascii")
            if snapshot and new != snapshot.data:
                files.replace(self._folder.journal, new, expected=snapshot.identity)

    def rewrite_project(self, rewrite: Callable[[str], str]) -> bool:
        """Replace the shared page by what ``rewrite`` makes of it, byte for byte; tell whether it changed."""
        path = self.shelf.checked(self._folder.project)
        self.shelf.checked(self._folder.machine)
        with locks.locked(self._folder.lock, timeout_s=self._lock_timeout_s):
            self.prepare()
            files.sweep(path.parent, f".{path.name}.")
            snapshot = files.read(path)
            data = snapshot.data if snapshot else b""
            new = pages_of.encode(rewrite(pages_of.decode(data)))
            if new == data:
                return False
            files.replace(path, new, expected=snapshot.identity if snapshot else None)
        self.has_written = True
        return True

    def _new_run(self, verb: str, undoes: str | None = None) -> JournalRun:
        now = self._clock.now()
        return JournalRun(f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}", now, verb, (), undoes)

    def _attempt(self, plan: Plan, run: JournalRun, *, partial: bool) -> JournalRun:
        view = self.shelf.view(fresh=True, partial=partial)
        outcome = work_out(plan(view), view, now=run.at)
        run = replace(run, changes=outcome.journal, made=outcome.made)
        if outcome:
            self._write(view, outcome, run)
        return run

    def _write(self, view: View, outcome: Outcome, run: JournalRun) -> None:
        identities = self._check_targets(view, outcome)
        self.prepare()
        self.has_written = True
        if run.changes:
            files.append(self._folder.journal, "", journal.line(run))
        written = {ref: view.pages[ref].page for ref in outcome.final if ref in view.pages}
        for pages in (outcome.grown, outcome.final):
            for ref, page in pages.items():
                if written.get(ref) != page and ref not in outcome.unmade:
                    identities[ref] = self._write_page(ref, page, identities[ref])
                    written[ref] = page
        for path, identity in ((self.shelf.path_of(ref), identities[ref]) for ref in outcome.unmade):
            if files.identify(path) == identity:  # else somebody has just written to it
                files.remove(path)
        if outcome.taken:
            lines = dict.fromkeys(map(taken.line, outcome.taken))
            files.append(self.shelf.checked(self._folder.taken), "".join(f"{line}\n" for line in lines))

    def _check_targets(self, view: View, outcome: Outcome) -> dict[PageRef, FileIdentity | None]:
        """Return the identities of the pages to write, before anything is written."""
        identities: dict[PageRef, FileIdentity | None] = {}
        for ref, page in outcome.final.items():
            path, stored = self.shelf.path_of(ref), view.pages.get(ref)
            identities[ref] = stored.identity if stored else None
            if stored is None:
                refuse_secret(ref.agent)
            if front.format_of(page.front) > front.FORMAT:
                raise FileError(
                    f"{ref.path} has a format that a newer agent-memory wrote.", hint="Update this one.", path=str(path)
                )
            if files.identify(path) != identities[ref]:
                raise PageConflict(
                    f"{ref.path} changed while it was being read.",
                    hint="Close what keeps writing to it, and try again.",
                    path=str(path),
                )
        return identities

    def _write_page(self, ref: PageRef, page: Page, expected: FileIdentity | None) -> FileIdentity:
        path = self.shelf.path_of(ref)
        files.make_folder(path.parent)
        return files.replace(path, map(pages_of.encode, page.parts()), expected=expected)

    def _seed(self, path: Path, text: str) -> None:
        if path.is_symlink() or files.identify(path) is not None:
            return
        with contextlib.suppress(PageConflict):  # somebody else has just made it
            files.replace(path, text.encode("utf-8"), expected=None)


def refuse_secret(agent: str) -> None:
    """Raise ``InvalidValue`` for an agent whose name, which would be a file's, looks like a secret."""
    if redact(agent).count:
        raise InvalidValue.of("agent", "looks like a secret.", hint="Name it by what it is.")
