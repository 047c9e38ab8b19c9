"""Moving in from the npm package: its entries stay where they stand, and what it has read is not read again.

Its pages are ours as they are. How far it had read each conversation becomes a bookmark, and everything that
would be found in that part a line of the ledger, so that not even losing the bookmarks brings it a second time.
It refuses to remove anything but an index of which every word stands in the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from agent_memory.app.closing import cleaner
from agent_memory.app.container import App
from agent_memory.app.conversations import Options, judged, transcript_folders
from agent_memory.app.fold import Pass
from agent_memory.app.intake import CHARS_PER_BATCH, TURNS_PER_BATCH
from agent_memory.app.migrate import flat_notes
from agent_memory.app.tally import Report
from agent_memory.errors import AgentMemoryError, FileError
from agent_memory.extraction import Memo
from agent_memory.model.memory import Batch, TakenLine
from agent_memory.model.text import one_line
from agent_memory.model.transcript import Bookmark, ConversationFile
from agent_memory.redaction import redact
from agent_memory.sources import cursor, dashboard, jsonl
from agent_memory.system import files
from agent_memory.tailing.chat import open_chat
from agent_memory.tailing.reader import Reading, open_reading
from agent_memory.tailing.reading import chunks
from agent_memory.tailing.scan import scan
from agent_memory.vault import npm
from agent_memory.vault.store import View

_BOOKMARKED: Final = "has a bookmark already"


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of a conversation before: the keys of all that is found there, and the bookmark behind it."""

    keys: tuple[str, ...]
    bookmark: Bookmark


def import_npm(app: App, *, dry: bool, transcripts: Path | None = None) -> Report:
    """Take over a memory folder of the npm package, in place; doing it again changes nothing.

    Args:
        app: The product.
        dry: Say what would be done, and write nothing.
        transcripts: Where the editor's conversations are, if not where the workspace's are.

    Raises:
        FileError: The named folder is a file, or a file of the package cannot be read.
        LockTimeout: Somebody else kept the vault's lock.
    """
    report = Report()
    if not files.is_folder(app.folder.root):
        report.skip(str(app.folder.root), "there is no memory folder")
        return report
    view = app.vault.view()
    _tell_entries(view, report)
    known = [*_sessions(app, transcripts, report), *_chats(app, report)]
    if not dry:
        app.vault.prepare()
        _write(app, known)
    _drop_index(app, view, report, dry=dry)
    for path in flat_notes(app):
        report.skip(path.name, "a flat note: `agent-memory migrate` takes it in")
    return report


def _tell_entries(view: View, report: Report) -> None:
    for stored in view.pages.values():
        report.take(stored.ref.path, f"{len(stored.memories)} entries, as they are")
    for memory in view.memories:
        if redact(memory.body).count:
            report.skip(f"{memory.page.path} {memory.id}", "seems to hold a secret, and is left as it is")


def _sessions(app: App, transcripts: Path | None, report: Report) -> Iterator[_Known]:
    """Yield what was read of each transcript that is here."""
    found = {file.conversation: file for file in _transcripts(app, transcripts) if file.path.endswith(".jsonl")}
    for session in npm.sessions(files.read_text(app.folder.machine / npm.SESSIONS_FILE) or ""):
        file = found.get(session.conversation)
        if file is None:
            report.skip(session.conversation, "its transcript is not here")
        elif _is_bookmarked(app, file):
            report.skip(session.conversation, _BOOKMARKED)
        else:
            try:
                yield _as_read_before(app, file, session)
            except AgentMemoryError as error:
                report.skip(session.conversation, error.message)
            else:
                report.take(session.conversation, f"bookmark behind line {session.lines}")


def _transcripts(app: App, named: Path | None) -> tuple[ConversationFile, ...]:
    """List the editor's conversations, those too of which only the package knew that they are this workspace's."""
    sources = (cursor.CURSOR,)
    if named is not None:
        folders = transcript_folders(app, Options(app.agent, timedelta(0), named, sources))
    else:
        folders = [verdict.transcripts for _, verdict in judged(app, sources) if verdict.ours != "no"]
    return scan(folders, sources).files


def _as_read_before(app: App, file: ConversationFile, session: npm.Session) -> _Known:
    """Read a transcript as it was when the package had read it."""
    reading = open_reading(file, None, idle=True, now=app.clock.now())
    if reading is None:
        raise FileError(f"{file.path} is empty.", path=file.path)
    size = reading.identity.size
    end = min(_end_of_line(Path(file.path), session.lines), size)
    reading.identity = replace(reading.identity, size=end)
    return _known(app, reading, handed_off=session.handed_off, settled=session.handed_off and end == size)


def _end_of_line(path: Path, number: int) -> int:
    """Return where the line ends that is the n-th one which is not blank; where the file does, if it has fewer."""
    with files.opened(path) as (handle, identity):
        lines = jsonl.split(chunks(handle, 0, identity.size))
        after = next(islice((line for line in lines if line.oversize or line.raw.strip()), number, None), None)
    return identity.size if after is None else after.start_bytes


def _chats(app: App, report: Report) -> Iterator[_Known]:
    """Yield what the package's compaction has read of each chat; its handoff was of what it cut away."""
    counts = npm.chats(files.read_text(app.folder.machine / npm.CHATS_FILE) or "")
    for file in scan([app.folder.conversations], (dashboard.DASHBOARD,)).files if counts else ():
        try:
            given = _as_it_was(file, counts)
            reading = open_chat(file, None, idle=lambda _: True, now=app.clock.now(), given=given)
            if reading is not None and _is_bookmarked(app, file):
                report.skip(file.conversation, _BOOKMARKED)
            elif (
                reading is not None and (known := _known(app, reading, handed_off=False, settled=False)).bookmark.marks
            ):
                yield known
                report.take(file.conversation, "bookmark behind the messages that were compacted")
        except AgentMemoryError as error:
            report.skip(file.conversation, error.message)


def _as_it_was(file: ConversationFile, counts: dict[str, list[int]]) -> files.Snapshot | None:
    snapshot, name = files.read(Path(file.path)), file.conversation.removesuffix(".json")
    return snapshot and files.Snapshot(npm.cut_chat(snapshot.data, name, counts), snapshot.identity)


def _known(app: App, reading: Reading, *, handed_off: bool, settled: bool) -> _Known:
    clean = cleaner(View(taken=app.shelf.ledger()))
    one = Pass(reading, None, reading.agent, Memo.empty(), resumed=False, again=lambda: iter(()))
    keys: list[str] = []
    while not one.finished:
        one.read(TURNS_PER_BATCH, CHARS_PER_BATCH)
        keys += [candidate.key for proposal in one.proposals() for candidate in proposal.candidates]
        one.settle(clean)
    if handed_off:
        handoff = one.handoff()
        keys += [handoff.key] if handoff else []
        one.cover_after(None)
    return _Known(tuple(keys), replace(one.settle(clean), settled=settled))


def _write(app: App, known: list[_Known]) -> None:
    """Keep away for good what was read before, and only then set the bookmarks."""
    now, keys = app.clock.now(), dict.fromkeys(key for one in known for key in one.keys)

    def plan(view: View) -> Batch:
        new = (key for key in keys if view.taken.by_key(key) is None)
        return Batch(taken=tuple(TakenLine(key, "", now, "duplicate") for key in new))

    app.vault.update(plan, verb="import npm")
    if known:
        app.state.save(one.bookmark for one in known)


def _drop_index(app: App, view: View, report: Report, *, dry: bool) -> None:
    path = app.folder.machine / npm.INDEX_FILE
    text = files.read_text(path)
    if text is None:
        return
    documents = npm.documents(text)
    missing = [
        entry
        for entry, words in documents or ()
        if not any(one_line(words) in one_line(memory.raw) for memory in view.by_id(entry))
    ]
    if documents is None:
        report.skip(path.name, "kept: it cannot be read, so nothing shows that its words stand in the pages")
    elif missing:
        words = f"kept: {len(missing)} of its entries stand in no page as it has them"
        report.skip(path.name, f"{words}, such as {missing[0]}; delete it if you miss none")
    else:
        report.take(path.name, "removed: every word of it stands in the pages")
        if not dry:
            files.remove(path)


def _is_bookmarked(app: App, file: ConversationFile) -> bool:
    return app.folder.state.exists() and app.state.bookmark(file.conversation) is not None
