"""Pausing capture and going on with it. What was said before the pause is taken all the same, now or later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from agent_memory.app.container import App
from agent_memory.app.conversations import transcript_folders
from agent_memory.app.hearing import VERB, Ears, Pause, ending_of, pause_of, said_in
from agent_memory.app.ingest import Options, process
from agent_memory.app.tally import Tally
from agent_memory.model.ids import EPOCH
from agent_memory.model.session import Message
from agent_memory.sessions import checkpoint as checkpoints
from agent_memory.sources import source_named
from agent_memory.system import files
from agent_memory.tailing.scan import scan


def pause(app: App) -> datetime:
    """Take nothing of what is said from now on, until ``resume``; return since when that is so.

    Raises:
        FileError: That cannot be written down, so it is not so.
    """
    before = pause_of(app)
    if before.since is not None:
        return before.since
    app.vault.prepare()
    options, said = _options(app), frozenset[str]()
    ends: dict[str, tuple[int, str]] = {}
    for file in scan(transcript_folders(app, options)).files:
        path = Path(file.path)
        identity, rewritten = files.identify(path), source_named(file.source).chat_of is not None
        if identity and not rewritten:
            ends[file.conversation] = identity.size, ending_of(path, identity.size)
        said |= said_in(_messages(path)) if rewritten else frozenset()
    for path in files.list_folder(app.folder.checkpoints):
        said |= said_in(_messages(path))
    since = app.clock.now()
    files.put(app.folder.pause, Pause(since, ends, said, before.past).to_json())
    return since


def resume(app: App, *, advance: Callable[[int, int], None] = lambda done, total: None) -> Tally | None:
    """Pass over what was said until now, for good, and go on; None if nothing was paused.

    What had been said before the pause and was not taken yet is taken.

    Args:
        app: The product.
        advance: Told how many conversations are done, of how many.

    Raises:
        AgentMemoryError: It could not be noted what is to be passed over; the pause goes on.
    """
    since = pause_of(app).since
    if since is None:
        return None
    tally = process(app, _options(app), advance=advance)
    ears = Ears(app)
    for path in files.list_folder(app.folder.conversations):
        ears.heard(_messages(path))
    app.vault.update(lambda view: ears.notes, verb=VERB)
    over = ((since, app.clock.now()),) if since > EPOCH else ()
    files.put(app.folder.pause, Pause(past=(*pause_of(app).past, *over)).to_json())
    return tally


def _options(app: App) -> Options:
    return Options(agent=app.agent, idle_after=timedelta(0), verb=VERB)


def _messages(path: Path) -> tuple[Message, ...]:
    """Return the messages in a host's file; none where it cannot be read as one."""
    snapshot = files.read(path) if path.is_file() else None
    return checkpoints.messages_in(snapshot.data) if snapshot else ()
