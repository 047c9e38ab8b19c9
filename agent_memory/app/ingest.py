"""From transcripts to memories, spelled once.

Read at least once, write idempotently, move the bookmark last: whatever interrupts this, doing it again
gives the vault of one undisturbed run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agent_memory.app import rule
from agent_memory.app.container import App
from agent_memory.app.conversations import Options as Options
from agent_memory.app.conversations import folders_and_unclear
from agent_memory.app.conversations import sources_named as sources_named
from agent_memory.app.conversations import transcript_folders as transcript_folders
from agent_memory.app.intake import Intake
from agent_memory.app.tally import Tally as Tally
from agent_memory.app.tally import Trouble as Trouble
from agent_memory.errors import AgentMemoryError, FileError
from agent_memory.model.transcript import ConversationFile
from agent_memory.sources import SOURCES
from agent_memory.system import files
from agent_memory.tailing.scan import Scan, scan


def process(app: App, options: Options, *, advance: Callable[[int, int], None] = lambda done, total: None) -> Tally:
    """Take the backlog once, oldest conversation first.

    A conversation that cannot be read is reported and costs itself, nothing else.

    Args:
        app: The product.
        options: How to read.
        advance: Told how many conversations are done, of how many.

    Raises:
        FileError: The folder that was named is not there, or the editor's own cannot be listed.
    """
    tally = Tally()
    folders, unclear = folders_and_unclear(app, options)
    if options.transcripts is not None and not files.is_folder(folders[0]):
        raise FileError(f"There is no folder {folders[0]}.", hint="Name one that exists.", path=str(folders[0]))
    found = scan(folders, options.sources)
    tally.sessions_found = len(found.files)
    tally.alarms = unclear
    tally.errors += [Trouble(trouble.path, None, trouble.message) for trouble in found.troubles]
    _take(app, options, tally, found.files, advance)
    return tally


def import_conversations(
    app: App, options: Options, named: Sequence[Path], *, advance: Callable[[int, int], None] = lambda done, total: None
) -> Tally:
    """Take conversations that lie elsewhere, in files or in folders; what was taken from another copy is not again.

    Args:
        app: The product.
        options: How to read.
        named: Files and folders.
        advance: Told how many conversations are done, of how many.
    """
    tally = Tally()
    found: list[ConversationFile] = []
    for path in map(app.places.named, named):
        scanned = scan([path], options.sources) if files.is_folder(path) else Scan(tuple(_as_conversation(path)))
        found += scanned.files
        tally.errors += [Trouble(trouble.path, None, trouble.message) for trouble in scanned.troubles]
        if not (scanned.files or scanned.troubles):
            tally.errors.append(Trouble(str(path), None, _why_not(path)))
    tally.sessions_found = len(found)
    _take(app, replace(options, follow=False), tally, found, advance)
    return tally


def _take(
    app: App,
    options: Options,
    tally: Tally,
    found: Sequence[ConversationFile],
    advance: Callable[[int, int], None],
) -> None:
    intake = Intake(app, options, tally)
    for done, file in enumerate(found):
        advance(done, len(found))
        intake.take(file)
    intake.flush()
    advance(len(found), len(found))
    if not options.dry and (tally.sessions_processed or rule.is_told(app)):
        follow(app, tally)


def _as_conversation(path: Path) -> Iterator[ConversationFile]:
    """Yield the conversation that a file is named like; its folders may tell that a sub-agent wrote it."""
    if not files.identify(path):
        return
    for source, depth in ((source, depth) for depth in (3, 2, 1) for source in SOURCES):
        if len(path.parts) > depth and (ids := source.conversation_of(path.parts[-depth:])):
            yield ConversationFile(ids[0], source.name, str(path), ids[1])
            return


def _why_not(path: Path) -> str:
    if files.is_folder(path):
        return "It holds no conversation that this version knows."
    return "It is called like no conversation." if files.identify(path) else "It is not there."


def follow(app: App, tally: Tally) -> None:
    """Bring mirror and rules up to date; they are derived, so their troubles are told and cost nothing else."""
    try:
        rule.refresh(app)
    except AgentMemoryError as error:
        tally.errors.append(Trouble(str(app.folder.mirror), None, error.message))
