"""Sessions of a host: saving a chat's state, taking it up again, and laying it to rest.

What is saved is redacted, and has nothing in it that was forgotten. A session that is laid to rest goes the way of
every conversation, so that it is taken once, whether ``process`` and ``watch`` meet its file or not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_memory.app.container import App
from agent_memory.app.conversations import Options
from agent_memory.app.ingest import follow
from agent_memory.app.intake import Intake
from agent_memory.app.tally import Tally
from agent_memory.errors import AgentMemoryError, UsageError
from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.model.ids import check_name
from agent_memory.model.memory import PageRef
from agent_memory.model.session import Checkpoint, Message
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.redaction import redact
from agent_memory.sessions import checkpoint as checkpoints
from agent_memory.sources.dashboard import DASHBOARD, chat_of
from agent_memory.system import files, locks
from agent_memory.tailing.scan import scan
from agent_memory.vault.store import View


@dataclass(frozen=True, slots=True)
class Chat:
    """A host's chat: whose it is, its messages, and the names that the host has for chat and model."""

    agent: str
    messages: tuple[Message, ...]
    chat_id: str | None = None
    model_id: str | None = None


@dataclass(slots=True)
class Synced:
    """The agents whose checkpoints were written, those that had it already, and what could not be read."""

    synced: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)


def chat(agent: str, messages: Any, chat_id: str | None = None, model_id: str | None = None) -> Chat:
    """Return what a host says as a chat.

    Raises:
        UsageError: It is no list of messages.
        InvalidName: The agent cannot be a folder.
    """
    if not isinstance(messages, list | tuple):
        raise UsageError("There is no list of messages.", hint='Give {"messages": [{"role", "text"}, …]}.')
    for number, message in enumerate(messages, 1):
        if not checkpoints.is_message(message):
            raise UsageError(
                f"Message {number} is none.", hint="Each needs a `role`, which is user or agent, and a `text`."
            )
    return Chat(check_name(agent, "an agent"), tuple(messages), chat_id or None, model_id or None)


def checkpoint(app: App, chat: Chat) -> Checkpoint:
    """Save a chat's newest messages as its agent's checkpoint, instead of the one before."""
    saved = Checkpoint(chat.agent, app.clock.now(), chat.messages, chat.chat_id, chat.model_id)
    return _save(app, saved)


def recover(app: App, agent: str) -> Checkpoint | None:
    """Return an agent's checkpoint, None if there is none that is younger than the settings allow."""
    snapshot = files.read(_path(app, agent))
    found = checkpoints.parse(snapshot.data, agent) if snapshot else None
    fresh = checkpoints.is_fresh(found, now=app.clock.now(), days=app.settings.count("compact.checkpoint_days"))
    return checkpoints.bare(found, cleaner(app.vault.ledger())) if found and fresh else None


def as_json(saved: Checkpoint | None) -> str:
    """Return a checkpoint as its file has it, or ``null``."""
    return checkpoints.to_json(saved).decode("utf-8").rstrip() if saved else "null"


def recovering(app: App, agent: str) -> tuple[Message, ...]:
    """Return the last messages of a session that broke off and that no handoff has taken over since."""
    found = recover(app, agent)
    if found is None:
        return ()
    pages = [state for state in app.vault.page_states() if state.page == PageRef(agent, "handoffs")]
    return checkpoints.recovering(found, (handoff for page in pages for handoff in page.load()))


def sleep(app: App, chat: Chat, summary: str = "") -> Tally:
    """Lay a session to rest: save its checkpoint, take what was said, and write its handoff.

    Args:
        app: The product.
        chat: The whole session.
        summary: What the host says of it; stands as the handoff, and is nobody's to change.

    Raises:
        UsageError: There is a summary of nothing.
    """
    if summary.strip() and not chat.messages:
        raise UsageError("A summary needs the messages that it sums up.", hint="Give them with it.")
    checkpoint(app, chat)
    tally = Tally()
    file, given = _as_file(app, chat), _as_snapshot(app, chat)
    options = Options(chat.agent, idle_after=timedelta(0), verb="sleep")
    intake = Intake(app, options, tally, given={file.path: given}, summary=redact(summary).text.strip())
    intake.take(file)
    intake.flush()
    if tally.sessions_processed:
        follow(app, tally)
    return tally


def last_chat(app: App, agent: str) -> str | None:
    """Return the host's name of the chat that an agent was last in: who resumes it has been briefed already."""
    return _chats(app).get(agent)


def sync_checkpoints(app: App, *, force: bool) -> Synced:
    """Bring each agent's checkpoint up to what its conversation file has; a newer checkpoint stays unless forced."""
    done = Synced()
    found = scan([app.folder.conversations], [DASHBOARD])
    done.errors += [(Path(trouble.path).stem, trouble.message) for trouble in found.troubles]
    newest: dict[str, Checkpoint] = {}
    for file in found.files:
        try:
            one = _from_file(app, Path(file.path))
            newest[one.agent] = max(newest.get(one.agent, one), one, key=lambda each: each.saved_at)
        except AgentMemoryError as error:
            done.errors.append((Path(file.path).stem, error.message))
    for agent, one in sorted(newest.items()):
        snapshot = files.read(_path(app, agent))
        before = checkpoints.parse(snapshot.data, agent) if snapshot else None
        if not force and before is not None and before.saved_at >= one.saved_at:
            done.skipped.append(agent)
        else:
            _save(app, one)
            done.synced.append(agent)
    return done


def _from_file(app: App, path: Path) -> Checkpoint:
    """Read a conversation file as the checkpoint that its host would have saved.

    Raises:
        UsageError: Nothing in it can be read.
        InvalidName: It is for an agent that cannot be.
    """
    snapshot = files.read(path)
    chat = chat_of(snapshot.data) if snapshot else None
    value = json.loads(snapshot.data.decode("utf-8-sig", "replace")) if snapshot and chat and chat.whole else None
    if snapshot is None or chat is None or not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        raise UsageError("It holds no conversation, or not all of it.", hint="Wait until its host has written it.")
    said = (message for message in value["messages"] if checkpoints.is_message(message))
    written = datetime.fromtimestamp(snapshot.identity.mtime_ns / 1e9, UTC)
    return Checkpoint(
        check_name(chat.agent or path.stem, "an agent"),
        min(chat.saved_at or written, app.clock.now()),
        tuple(message for message in said if message.get("internal") is not True),
        chat.chat_id or None,
        value.get("modelId") if isinstance(value.get("modelId"), str) else None,
    )


def _save(app: App, wanted: Checkpoint) -> Checkpoint:
    """Write a checkpoint under the vault's lock: what is forgotten meanwhile is found in it, or not written."""
    app.vault.prepare()
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        saved = checkpoints.bare(wanted, cleaner(app.vault.ledger()))
        files.make_folder(app.folder.checkpoints, private=True)
        files.put(_path(app, saved.agent), checkpoints.to_json(saved))
        if saved.chat_id is not None:
            files.put(app.folder.chat_sessions, checkpoints.as_json({**_chats(app), saved.agent: saved.chat_id}))
    return saved


def _path(app: App, agent: str) -> Path:
    return app.folder.checkpoints / f"{check_name(agent, 'an agent')}.json"


def _chats(app: App) -> dict[str, str]:
    try:
        value = json.loads(files.read_text(app.folder.chat_sessions) or "{}")
    except (ValueError, RecursionError):
        return {}
    return {agent: name for agent, name in value.items() if isinstance(name, str)} if isinstance(value, dict) else {}


def cleaner(view: View) -> Callable[[str], str]:
    """Return what takes out of a text the secrets, and what was forgotten."""
    return lambda text: without(redact(text).text, lambda part: forgotten_at(view, part) is not None)


def _as_file(app: App, chat: Chat) -> ConversationFile:
    """Return the file that a chat is in, or would be: its agent's, unless that is known to have another chat."""
    names = [f"{chat.agent}.json", *([f"{chat.chat_id}.json"] if chat.chat_id else [])]
    marked = {name: app.state.bookmark(name) for name in names}
    of_this = (name for name, found in marked.items() if found and found.chat == (chat.chat_id or found.chat))
    name = next(of_this, None) or next((name for name, found in marked.items() if found is None), names[0])
    return ConversationFile(name, DASHBOARD.name, str(app.folder.conversations / name))


def _as_snapshot(app: App, chat: Chat) -> files.Snapshot:
    """Return the bytes that a host would have written to the chat's file just now."""
    now = app.clock.now()
    value = {"agentId": chat.agent, "savedAt": now.isoformat(), "messages": list(chat.messages)}
    data = checkpoints.as_json({**value, "chatId": chat.chat_id} if chat.chat_id else value)
    return files.Snapshot(data, FileIdentity(0, 0, len(data), int(now.timestamp() * 1e9)))
