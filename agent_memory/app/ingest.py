"""From transcripts to memories, spelled once.

Read at least once, write idempotently, move the bookmark last: whatever interrupts this, doing it again
gives the vault of one undisturbed run.
"""

from __future__ import annotations

from collections.abc import Callable

from agent_memory.app.container import App
from agent_memory.app.conversations import Options as Options
from agent_memory.app.conversations import sources_named as sources_named
from agent_memory.app.conversations import transcript_folders as transcript_folders
from agent_memory.app.conversations import unclear_projects
from agent_memory.app.intake import Intake
from agent_memory.app.tally import Tally as Tally
from agent_memory.app.tally import Trouble as Trouble
from agent_memory.errors import AgentMemoryError, FileError
from agent_memory.system import files
from agent_memory.tailing.scan import scan


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
    folders = transcript_folders(app, options)
    if options.transcripts is not None and not files.is_folder(folders[0]):
        raise FileError(f"There is no folder {folders[0]}.", hint="Name one that exists.", path=str(folders[0]))
    found = scan(folders, options.sources)
    tally.sessions_found = len(found.files)
    tally.alarms = unclear_projects(app, options)
    tally.errors += [Trouble(trouble.path, None, trouble.message) for trouble in found.troubles]
    intake = Intake(app, options, tally)
    for done, file in enumerate(found.files):
        advance(done, len(found.files))
        intake.take(file)
    intake.flush()
    advance(len(found.files), len(found.files))
    if not options.dry and tally.sessions_processed:
        follow(app, tally)
    return tally


def follow(app: App, tally: Tally) -> None:
    """Bring the mirror up to date; it is derived, so its troubles are told and cost nothing else."""
    try:
        _ = app.mirror
    except AgentMemoryError as error:
        tally.errors.append(Trouble(str(app.folder.mirror), None, error.message))
