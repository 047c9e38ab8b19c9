"""The end of a session: it goes the way of every conversation, so that it is taken once.

Whether ``process``, ``watch`` and ``compact`` meet the chat's file too, before or after, makes no difference.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from agent_memory.app.container import App
from agent_memory.app.conversations import Options
from agent_memory.app.hearing import pause_of
from agent_memory.app.ingest import follow
from agent_memory.app.intake import Intake
from agent_memory.app.sessions import Chat, checkpoint
from agent_memory.app.tally import Tally
from agent_memory.errors import UsageError
from agent_memory.model.transcript import ConversationFile, FileIdentity
from agent_memory.redaction import redact
from agent_memory.sessions.checkpoint import as_json
from agent_memory.sources.dashboard import DASHBOARD
from agent_memory.system import files


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
    chat = replace(chat, agent=app.agent_named(chat.agent))
    checkpoint(app, chat)
    tally = Tally()
    file, given = _as_file(app, chat), _as_snapshot(app, chat)
    summary = "" if pause_of(app).since else summary  # it speaks of what may not be heard
    # What was taken already is read once more if there is something new to say of it.
    options = Options(chat.agent, idle_after=timedelta(0), full=bool(summary.strip()), verb="sleep")
    intake = Intake(app, options, tally, given=given, summary=redact(summary).text.strip())
    intake.take(file)
    intake.flush()
    if tally.sessions_processed:
        follow(app, tally)
    return tally


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
    data = as_json({**value, "chatId": chat.chat_id} if chat.chat_id else value)
    return files.Snapshot(data, FileIdentity(0, 0, len(data), int(now.timestamp() * 1e9)))
