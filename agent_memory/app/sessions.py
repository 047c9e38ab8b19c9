"""Sessions of a host: saving a chat's state, and taking it up again.

What is saved is redacted, and has nothing in it that was forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_memory.app.container import App
from agent_memory.app.excluding import Exclusions, title_in
from agent_memory.app.hearing import VERB, Ears
from agent_memory.errors import AgentMemoryError, UsageError
from agent_memory.fabric.forgotten import forgotten_at, without
from agent_memory.model.ids import check_name
from agent_memory.model.memory import PageRef
from agent_memory.model.session import Checkpoint, Message
from agent_memory.recall.rewrite import Speaker
from agent_memory.redaction import redact
from agent_memory.sessions import checkpoint as checkpoints
from agent_memory.sources.dashboard import DASHBOARD, ROLES, chat_of
from agent_memory.sources.dashboard import name_of as name_of
from agent_memory.system import files, locks
from agent_memory.tailing.scan import scan
from agent_memory.vault.store import View, refuse_secret


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


def chat(agent: str, messages: Any, chat_id: object = None, model_id: object = None) -> Chat:
    """Return what a host says as a chat.

    Raises:
        UsageError: It is no list of messages.
        InvalidName: The agent cannot be a folder.
    """
    try:
        plain = json.loads(json.dumps(messages))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"The messages are not plain JSON: {error}.", hint="Give texts, numbers and lists.") from error
    if not isinstance(plain, list):
        raise UsageError("There is no list of messages.", hint='Give {"messages": [{"role", "text"}, …]}.')
    for number, message in enumerate(plain, 1):
        if not checkpoints.is_message(message):
            raise UsageError(
                f"Message {number} is none.", hint="Each needs a `role`, which is user or agent, and a `text`."
            )
    return Chat(check_name(agent, "an agent"), tuple(plain), name_of(chat_id) or None, name_of(model_id) or None)


def history(text: str) -> list[tuple[Speaker, str]]:
    """Read a host's messages, as JSON, as what was said before a prompt.

    Raises:
        UsageError: They are no list of messages.
    """
    try:
        given = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The history is not JSON: {error}.", hint='Write [{"role": "user", "text": "…"}].') from error
    return said(chat("host", given))


def said(chat: Chat) -> list[tuple[Speaker, str]]:
    """Return a chat as what was said before a prompt."""
    return [("user" if message["role"] == "user" else "assistant", message["text"]) for message in chat.messages]


def checkpoint(app: App, chat: Chat) -> Checkpoint:
    """Save a chat's newest messages as its agent's checkpoint, instead of the one before."""
    said = () if is_excluded(app, chat) else chat.messages
    return _save(app, Checkpoint(app.agent_named(chat.agent), app.clock.now(), said, chat.chat_id, chat.model_id))


def is_excluded(app: App, chat: Chat) -> bool:
    """Tell whether a chat is one that is never taken."""
    title = next((message["text"] for message in chat.messages if ROLES[message["role"]] == "user"), "")
    return Exclusions.of(app).match((f"{chat.agent}.json", chat.chat_id or ""), lambda: title_in(title))


def converse(app: App, chat: Chat) -> Checkpoint:
    """Save a whole chat where a dashboard has its agent's, and its newest messages as a checkpoint.

    What the machine learns from it is learnt when it is quiet, as from any chat; nothing is taken here.
    """
    given = Checkpoint(app.agent_named(chat.agent), app.clock.now(), chat.messages, chat.chat_id, chat.model_id)
    saved = _save(app, given)
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        whole = checkpoints.bare(given, cleaner(View(taken=app.shelf.ledger())), keep=len(chat.messages))
        files.make_folder(app.folder.conversations)
        files.put(_conversation(app, saved.agent), checkpoints.to_json(whole))
    return saved


def conversation(app: App, agent: str) -> Checkpoint | None:
    """Return the chat that a dashboard has saved for an agent; None if there is none that can be read."""
    snapshot = files.read(_conversation(app, agent))
    return checkpoints.parse(snapshot.data, agent) if snapshot else None


def recover(app: App, agent: str) -> Checkpoint | None:
    """Return an agent's checkpoint, None if there is none that is younger than the settings allow."""
    snapshot = files.read(_path(app, agent))
    found = checkpoints.parse(snapshot.data, agent) if snapshot else None
    fresh = checkpoints.is_fresh(found, now=app.clock.now(), days=app.settings.count("compact.checkpoint_days"))
    return checkpoints.bare(found, cleaner(View(taken=app.shelf.ledger()))) if found and fresh else None


def as_json(saved: Checkpoint | None) -> str:
    """Return a checkpoint as its file has it, or ``null``."""
    return checkpoints.to_json(saved).decode("utf-8").rstrip() if saved else "null"


def recovering(app: App, agent: str) -> tuple[Message, ...]:
    """Return the last messages of a session that broke off and that no handoff has taken over since."""
    found = recover(app, agent)
    if found is None:
        return ()
    pages = [state for state in app.pages() if state.page == PageRef(agent, "handoffs")]
    return checkpoints.recovering(found, (handoff for page in pages for handoff in page.load()))


def last_chat(app: App, agent: str) -> str | None:
    """Return the host's name of the chat that an agent was last in: who resumes it has been briefed already."""
    return _chats(app).get(app.agent_named(agent))


def sync_checkpoints(app: App, *, force: bool) -> Synced:
    """Bring each agent's checkpoint up to what its conversation file has; a newer checkpoint stays unless forced."""
    done = Synced()
    found = scan([app.folder.conversations], [DASHBOARD])
    done.errors += [(Path(trouble.path).stem, trouble.message) for trouble in found.troubles]
    newest: dict[str, Checkpoint] = {}
    for file in found.files:
        try:
            one = _from_file(app, Path(file.path))
            if is_excluded(app, Chat(Path(file.path).stem, one.messages, one.chat_id)):
                continue
            newest[one.agent] = max(newest.get(one.agent, one), one, key=lambda each: each.saved_at)
        except AgentMemoryError as error:
            done.errors.append((Path(file.path).stem, error.message))
    for agent, one in sorted(newest.items()):
        snapshot = files.read(_path(app, agent))
        before = checkpoints.parse(snapshot.data, agent) if snapshot else None
        if not force and before and checkpoints.milliseconds(before) >= checkpoints.milliseconds(one):
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
    now, written = app.clock.now(), datetime.fromtimestamp(snapshot.identity.mtime_ns / 1e9, UTC)
    known = chat.saved_at if chat.saved_at and chat.saved_at <= now else written
    return Checkpoint(
        app.agent_named(chat.agent or path.stem),
        min(known, now),
        tuple(message for message in said if message.get("internal") is not True),
        chat.chat_id or None,
        name_of(value.get("modelId")) or None,
    )


def _save(app: App, wanted: Checkpoint) -> Checkpoint:
    """Write a checkpoint under the vault's lock: what is forgotten meanwhile is found in it, or not written."""
    refuse_secret(wanted.agent)
    app.vault.prepare()
    ears = Ears(app)
    if not ears.are_open:
        wanted = replace(wanted, messages=ears.heard(wanted.messages))
        app.vault.update(lambda view: ears.notes, verb=VERB)
    with locks.locked(app.folder.lock, timeout_s=app.settings.number("vault.lock_timeout_s")):
        saved = checkpoints.bare(wanted, cleaner(View(taken=app.shelf.ledger())))
        files.make_folder(app.folder.checkpoints, private=True)
        files.put(_path(app, saved.agent), checkpoints.to_json(saved))
        if saved.chat_id is not None:
            files.put(app.folder.chat_sessions, checkpoints.as_json({**_chats(app), saved.agent: saved.chat_id}))
    return saved


def _path(app: App, agent: str) -> Path:
    return app.folder.checkpoints / f"{app.agent_named(agent)}.json"


def _conversation(app: App, agent: str) -> Path:
    return app.shelf.checked(app.folder.conversations / f"{app.agent_named(agent)}.json")


def _chats(app: App) -> dict[str, str]:
    try:
        value = json.loads(files.read_text(app.folder.chat_sessions) or "{}")
    except (ValueError, RecursionError):
        return {}
    return {agent: name for agent, name in value.items() if isinstance(name, str)} if isinstance(value, dict) else {}


def cleaner(view: View) -> Callable[[str], str]:
    """Return what takes out of a text the secrets, and what was forgotten."""
    return lambda text: without(redact(text).text, lambda part: forgotten_at(view, part) is not None)
