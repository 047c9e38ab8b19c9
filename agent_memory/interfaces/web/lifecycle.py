"""The routes of a session, for a dashboard: its first prompt, saving it, ending it; and upkeep."""

from __future__ import annotations

import shlex
from typing import Any, Final

from agent_memory.app import maintain, migrate, opening, sessions, sleep
from agent_memory.app.container import App
from agent_memory.errors import SettingsError
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.shapes import Command, Given, Reply
from agent_memory.model.session import Checkpoint


def command(app: App, given: Given) -> Reply:
    """Return the prompt for a session: persona, briefing unless it is resumed, command.

    Where `agents.command` is set it is run on that, and the answer is a stream of events: start, output, end.
    """
    words = _words(app.settings.text("agents.command"))
    opened = opening.opening(
        app,
        given["agentId"],
        given["command"],
        persona=given["persona"],
        chat_id=given["chatId"],
        resumed=given["resume"],
    )
    told = {
        "agentId": given["agentId"],
        "chatId": given["chatId"],
        "prompt": opened.prompt,
        "briefed": opened.briefing is not None,
        "tokens": opened.briefing.tokens if opened.briefing else 0,
    }
    running = Command(words, app.workspace, app.settings.number("agents.timeout_s")) if words else None
    return Reply(told, command=running)


def _words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise SettingsError(f"agents.command cannot be read: {error}.", hint="Close its quotes.") from error


def conversation(app: App, given: Given) -> dict[str, Any]:
    """Return the conversation that was saved for an agent."""
    found = sessions.conversation(app, given["agentId"])
    return {
        "agentId": given["agentId"],
        "savedAt": found.saved_at.isoformat() if found else None,
        "chatId": found.chat_id if found else None,
        "messages": [dict(message) for message in found.messages] if found else [],
    }


def converse(app: App, given: Given) -> dict[str, Any]:
    """Save an agent's conversation, and its newest messages as a checkpoint."""
    return _saved(sessions.converse(app, _chat(given)))


def recover(app: App, given: Given) -> dict[str, Any]:
    """Return what can be taken up again; null where there is nothing, or it has expired."""
    found = sessions.recover(app, given["agentId"])
    return {"checkpoint": {**_saved(found), "messages": [dict(one) for one in found.messages]} if found else None}


def checkpoint(app: App, given: Given) -> dict[str, Any]:
    """Save a chat's newest messages."""
    return _saved(sessions.checkpoint(app, _chat(given)))


def _saved(saved: Checkpoint) -> dict[str, Any]:
    return {
        "agentId": saved.agent,
        "savedAt": saved.saved_at.isoformat(),
        "chatId": saved.chat_id,
        "messages": len(saved.messages),
    }


def close(app: App, given: Given) -> dict[str, Any]:
    """End a session: save it, take what was said in it, write its handoff; a `summary` stands as that."""
    chat = _chat(given)
    sessions.converse(app, chat)
    tally = sleep.sleep(app, chat, given["summary"])
    counts = {name: getattr(tally, name) for name in ("turns", "decisions", "lessons", "tasks", "handoffs")}
    return {"agentId": chat.agent, **counts, "errors": [trouble.message for trouble in tally.errors]}


def _chat(given: Given) -> sessions.Chat:
    return sessions.chat(given["agentId"], given["messages"], given["chatId"], given["modelId"])


def last(app: App, given: Given) -> dict[str, Any]:
    """Say since when a compaction is running, and what the last one did."""
    return {"running": given.busy, "last": maintain.last_compaction(app)}


def plan(app: App, given: Given) -> dict[str, Any]:
    """Say what a compaction would do now."""
    return _told(maintain.compact(app, dry_run=True))


def compact(app: App, given: Given) -> dict[str, Any]:
    """Compact; with `ifDue` only if the last one was more than ten minutes ago."""
    if given["ifDue"] and not maintain.is_compaction_due(app):
        return {"ran": False, "plan": [], "troubles": [], **_counts(maintain.Compaction())}
    return {"ran": True, **_told(maintain.compact(app, dry_run=False, at=given.at))}


def short_compact(app: App, given: Given) -> dict[str, Any]:
    """Compact."""
    done = maintain.compact(app, dry_run=False, at=given.at)
    return {"timestamp": app.clock.now().isoformat(), **_counts(done)}


def _told(done: maintain.Compaction) -> dict[str, Any]:
    return {"plan": list(done.plan), "troubles": [one.message for one in done.troubles], **_counts(done)}


def _counts(done: maintain.Compaction) -> dict[str, Any]:
    return {telling.camel(name): getattr(done, name) for name in _COUNTED}


def take_flat_notes(app: App, given: Given) -> dict[str, Any]:
    """Turn flat notes into pages; they are kept as .bak."""
    done = migrate.migrate(app, dry=given["dryRun"])
    return {
        "migrated": [{"what": row.what, "how": row.why} for row in done.taken],
        "skipped": [{"what": row.what, "why": row.why} for row in done.skipped],
    }


_COUNTED: Final = (
    "checkpoints_cleaned",
    "conversations_trimmed",
    "vault_entries_merged",
    "index_rebuilt",
    "legacy_files_cleaned",
)
