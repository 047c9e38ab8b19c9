"""Flat notes become pages: each ``<Agent>.md`` of the memory folder is parted by its headings, and kept as ``.bak``.

A section is added under a key made of its words, so that a run that was cut short, or a note that comes back
with more in it, adds nothing twice. A note is renamed only once all of it is in the vault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.tally import Report
from agent_memory.errors import InvalidName, UsageError
from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.model.ids import digest
from agent_memory.model.memory import Add, Batch, Draft, PageRef, TakenLine
from agent_memory.model.text import normalise
from agent_memory.model.transcript import TURN_DIGEST_DIGITS, Origin
from agent_memory.redaction import redact
from agent_memory.system import files, paths
from agent_memory.vault.flat import Section, is_held, sections
from agent_memory.vault.layout import PAGE_SUFFIX
from agent_memory.vault.store import View

SOURCE: Final = "flat"
BACKUP: Final = ".bak"


@dataclass(frozen=True, slots=True)
class _Part:
    """What becomes one entry: under which key, in which page, its draft, how many secrets were taken out of it."""

    key: str
    page: PageRef
    draft: Draft
    redactions: int


def flat_notes(app: App) -> list[Path]:
    """Return the Markdown files beside the agents' folders that are neither ours nor the project's."""
    found = [path for path in files.list_folder(app.folder.root) if path.suffix == PAGE_SUFFIX and not path.is_dir()]
    return [path for path in found if path.name[0] not in "._" and path.name.lower() != "readme.md"]


def held_notes(app: App) -> Iterator[Path]:
    """Yield the flat notes, and those that were kept aside, whose every section is in the vault as it stands.

    Each is yielded as soon as that is proven, before anybody has had time to write to it.
    """
    root, view = app.folder.root, app.vault.view(partial=True)
    aside = [path for path in files.list_folder(root) if path.suffix == BACKUP and PAGE_SUFFIX in path.suffixes]
    migrated = [path for path in flat_notes(app) if path.stem in view.agents]
    bodies = [memory.body for memory in view.memories]
    for path in (*aside, *migrated) if paths.repository_root(root) != root else ():
        snapshot = files.read(path) if path.is_file() and not path.is_symlink() else None
        if snapshot and is_held(_text_of(snapshot) or "", bodies):
            yield path


def migrate(app: App, *, dry: bool) -> Report:
    """Take every flat note into its agent's pages; a note that cannot be taken costs itself, nothing else.

    Raises:
        UsageError: The memory folder is a repository, whose Markdown files are no notes.
        LockTimeout: Somebody else kept the vault's lock.
    """
    root, report = app.folder.root, Report()
    if paths.repository_root(root) == root:
        raise UsageError(f"{root} is a repository, not a memory folder.", hint="Name the folder with --dir.")
    for path in flat_notes(app):
        try:
            _migrate(app, path, report, dry=dry)
        except InvalidName as error:
            report.skip(path.name, error.message)
    return report


def _migrate(app: App, path: Path, report: Report, *, dry: bool) -> None:
    agent, snapshot = app.agent_named(path.stem), None if path.is_symlink() else files.read(path)
    text = _text_of(snapshot) if snapshot else None
    if snapshot is None or text is None or not text.strip():
        unread = "a link, or not there any more" if snapshot is None else "not in UTF-8: save it so, and migrate again"
        report.skip(path.name, unread if text is None else "nothing in it")
        return
    found = list(sections(text))
    for section in found:
        if section.title and not section.body:
            report.skip(f"{path.name}: {section.title}", "nothing below it")
    written = datetime.fromtimestamp(snapshot.identity.mtime_ns / 1e9, UTC)
    parts = _parts(agent, [section for section in found if section.body], min(written, app.clock.now()))
    _tell(report, path.name, parts, _add(app, parts, dry=dry))
    if dry:
        return
    if files.identify(path) != snapshot.identity:
        report.skip(path.name, "was written to in the meantime, and keeps its name: migrate again")
    else:
        report.take(path.name, f"kept as {files.put_aside(path, BACKUP).name}")


def _text_of(snapshot: files.Snapshot) -> str | None:
    """Return what a note says; None if it is not in UTF-8, of which nothing is guessed."""
    try:
        return snapshot.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _add(app: App, parts: Sequence[_Part], *, dry: bool) -> set[str]:
    """Add what the vault never had, and return its keys."""
    added: dict[str, _Part] = {}

    def plan(view: View) -> Batch:
        added.clear()
        added.update(_wanted(view, parts))
        # What stands in a page, but not in the ledger because a run was cut short, gets its line now.
        keys = [part.key for part in parts if part.key in added or view.by_key(part.key)]
        now = app.clock.now()
        lines = [TakenLine(key, "", now, "stored") for key in dict.fromkeys(keys) if view.taken.by_key(key) is None]
        return Batch(tuple(Add(part.page, part.draft) for part in added.values()), tuple(lines))

    if dry:
        plan(app.vault.view())
    else:
        app.vault.update(plan, verb="migrate")
    return set(added)


def _tell(report: Report, name: str, parts: Sequence[_Part], added: set[str]) -> None:
    for part in parts:
        what = f"{name}: {part.page.category}"
        if part.key not in added:
            report.skip(what, "in the vault already, or forgotten")
            continue
        added.remove(part.key)
        if part.redactions:
            report.take(what, f"an entry in {part.page.path}; {part.redactions} secrets are in the kept note alone")
        else:
            report.take(what, f"an entry in {part.page.path}")


def _parts(agent: str, found: Sequence[Section], at: datetime) -> list[_Part]:
    """Return the entries of a note; those further up count as said later, as they stand in a page."""
    parts = []
    for place, section in enumerate(reversed(found)):
        redacted = redact(section.body)
        key = digest(agent, SOURCE, section.category, redacted.text)
        said = digest(redacted.text, digits=TURN_DIGEST_DIGITS)
        origin = Origin(SOURCE, f"{agent}{PAGE_SUFFIX}", place, (0, len(redacted.text)), said)
        draft = Draft(redacted.text, at, "import", key=key, origin=origin)
        parts.append(_Part(key, PageRef(agent, section.category), draft, redacted.count))
    return parts[::-1]


def _wanted(view: View, parts: Sequence[_Part]) -> dict[str, _Part]:
    """Return the parts that the vault never had, without what was forgotten."""
    wanted: dict[str, _Part] = {}
    for part in parts:
        whole = part.draft.body
        body = without(whole, lambda text: forgotten_at(view, text) is not None)
        known = view.by_key(part.key) or view.taken.by_key(part.key) is not None
        if not known and (body == whole or normalise(body)):
            wanted.setdefault(part.key, replace(part, draft=replace(part.draft, body=body)))
    return wanted
