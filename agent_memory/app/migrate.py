"""Flat notes become pages: each ``<Agent>.md`` of the memory folder is parted by its headings, and kept as ``.bak``.

A section is added under a key made of its words, so that a run that was cut short, or a note that comes back
with more in it, adds nothing twice. A note is renamed only once all of it is in the vault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent_memory.app.container import App
from agent_memory.app.tally import Report
from agent_memory.errors import InvalidName, UsageError
from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.model.ids import check_name, digest
from agent_memory.model.memory import Add, Batch, Draft, PageRef, TakenLine
from agent_memory.model.transcript import TURN_DIGEST_DIGITS, Origin
from agent_memory.redaction import redact
from agent_memory.system import files, paths
from agent_memory.vault.flat import Section, sections
from agent_memory.vault.layout import PAGE_SUFFIX
from agent_memory.vault.store import View

SOURCE: Final = "flat"
BACKUP: Final = ".bak"


@dataclass(frozen=True, slots=True)
class _Part:
    """What becomes one entry: its page, its draft, and how many secrets were taken out of it."""

    page: PageRef
    draft: Draft
    redactions: int


def flat_notes(app: App) -> list[Path]:
    """Return the Markdown files beside the agents' folders that are neither ours nor the project's."""
    found = [path for path in files.list_folder(app.folder.root) if path.suffix == PAGE_SUFFIX and path.is_file()]
    return [path for path in found if path.name[0] not in "._" and path.name.lower() != "readme.md"]


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
    agent, snapshot = check_name(path.stem, "an agent"), files.read(path)
    text = snapshot.data.decode("utf-8-sig", "replace") if snapshot else ""
    if snapshot is None or not text.strip():
        report.skip(path.name, "nothing in it")
        return
    written = datetime.fromtimestamp(snapshot.identity.mtime_ns / 1e9, UTC)
    found = list(sections(text))
    for section in found:
        if section.title and not section.body:
            report.skip(f"{path.name}: {section.title}", "nothing below it")
    parts = _parts(agent, [section for section in found if section.body], min(written, app.clock.now()))
    added: list[_Part] = []

    def plan(view: View) -> Batch:
        added[:] = _wanted(view, parts)
        adds = tuple(Add(part.page, part.draft) for part in added)
        lines = (TakenLine(part.draft.key or "", "", app.clock.now(), "stored") for part in added)
        return Batch(adds, tuple(lines))

    if dry:
        plan(app.vault.view())
    else:
        app.vault.update(plan, verb="migrate")
    _tell(report, path.name, parts, added)
    if dry:
        return
    if files.identify(path) != snapshot.identity:
        report.skip(path.name, "was written to in the meantime, and keeps its name: migrate again")
    else:
        report.take(path.name, f"kept as {files.put_aside(path, BACKUP).name}")


def _tell(report: Report, name: str, parts: Sequence[_Part], added: Sequence[_Part]) -> None:
    for part in parts:
        what = f"{name}: {part.page.category}"
        if not any(one.draft.key == part.draft.key for one in added):
            report.skip(what, "in the vault already, or forgotten")
        elif part.redactions:
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
        parts.append(_Part(PageRef(agent, section.category), draft, redacted.count))
    return parts[::-1]


def _wanted(view: View, parts: Sequence[_Part]) -> list[_Part]:
    """Return the parts that the vault never had, without what was forgotten."""
    wanted: dict[str, _Part] = {}
    for part in parts:
        body = without(part.draft.body, lambda text: forgotten_at(view, text) is not None)
        key = part.draft.key or ""
        if body and not view.by_key(key) and view.taken.by_key(key) is None:
            wanted.setdefault(key, replace(part, draft=replace(part.draft, body=body)))
    return list(wanted.values())
