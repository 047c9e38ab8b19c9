"""The routes of a session, for a dashboard: its first prompt, saving it, ending it; and upkeep."""

from __future__ import annotations

import shlex
from typing import Any, Final

from agent_memory.app import maintain, migrate, opening, sessions, sleep
from agent_memory.app.container import App
from agent_memory.errors import SettingsError
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.reading import AGENT
from agent_memory.interfaces.web.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    LINE,
    MESSAGES,
    STRING,
    TEXT,
    Command,
    Field,
    Given,
    Reply,
    Route,
    listed,
    made_of,
    maybe,
)
from agent_memory.model.session import Checkpoint

COMPACT: Final = "/api/memory/compact"
COMMAND: Final = "/api/agents/command"


def _command(app: App, given: Given) -> Reply:
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


def _conversation(app: App, given: Given) -> dict[str, Any]:
    found = sessions.conversation(app, given["agentId"])
    return {
        "agentId": given["agentId"],
        "savedAt": found.saved_at.isoformat() if found else None,
        "chatId": found.chat_id if found else None,
        "messages": [dict(message) for message in found.messages] if found else [],
    }


def _converse(app: App, given: Given) -> dict[str, Any]:
    return _saved(sessions.converse(app, _chat(given)))


def _recover(app: App, given: Given) -> dict[str, Any]:
    found = sessions.recover(app, given["agentId"])
    return {"checkpoint": {**_saved(found), "messages": [dict(one) for one in found.messages]} if found else None}


def _checkpoint(app: App, given: Given) -> dict[str, Any]:
    return _saved(sessions.checkpoint(app, _chat(given)))


def _saved(saved: Checkpoint) -> dict[str, Any]:
    return {
        "agentId": saved.agent,
        "savedAt": saved.saved_at.isoformat(),
        "chatId": saved.chat_id,
        "messages": len(saved.messages),
    }


def _close(app: App, given: Given) -> dict[str, Any]:
    chat = _chat(given)
    sessions.converse(app, chat)
    tally = sleep.sleep(app, chat, given["summary"])
    counts = {name: getattr(tally, name) for name in ("turns", "decisions", "lessons", "tasks", "handoffs")}
    return {"agentId": chat.agent, **counts, "errors": [trouble.message for trouble in tally.errors]}


def _chat(given: Given) -> sessions.Chat:
    return sessions.chat(given["agentId"], given["messages"], given["chatId"], given["modelId"])


def _last(app: App, given: Given) -> dict[str, Any]:
    return {"running": given.busy, "last": maintain.last_compaction(app)}


def _plan(app: App, given: Given) -> dict[str, Any]:
    return _told(maintain.compact(app, dry_run=True))


def _compact(app: App, given: Given) -> dict[str, Any]:
    if given["ifDue"] and not maintain.is_compaction_due(app):
        return {"ran": False, "plan": [], "troubles": [], **_counts(maintain.Compaction())}
    return {"ran": True, **_told(maintain.compact(app, dry_run=False))}


def _short_compact(app: App, given: Given) -> dict[str, Any]:
    done = maintain.compact(app, dry_run=False)
    return {"timestamp": app.clock.now().isoformat(), **_counts(done)}


def _told(done: maintain.Compaction) -> dict[str, Any]:
    return {"plan": list(done.plan), "troubles": [one.message for one in done.troubles], **_counts(done)}


def _counts(done: maintain.Compaction) -> dict[str, Any]:
    return {telling.camel(name): getattr(done, name) for name in _COUNTED}


def _migrate(app: App, given: Given) -> dict[str, Any]:
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
_RESULT: Final = {telling.camel(name): FLAG if name == "index_rebuilt" else COUNT for name in _COUNTED}
_PLAN: Final = {"plan": listed(STRING), "troubles": listed(STRING), **_RESULT}
_NAMES: Final = (Field("chatId", LINE, required=False), Field("modelId", LINE, required=False))
_CHAT: Final = (AGENT, Field("messages", MESSAGES), *_NAMES)
_SAVED: Final = {"agentId": STRING, "savedAt": STRING, "chatId": maybe(STRING), "messages": COUNT}

ROUTES: Final = (
    Route(
        "POST",
        COMMAND,
        "The prompt for a session: persona, briefing, command; none is briefed twice. Where `agents.command` is set"
        " it is run with that, and the answer is a stream of events: start, output, end.",
        _command,
        made_of(agentId=STRING, chatId=maybe(STRING), prompt=STRING, briefed=FLAG, tokens=COUNT),
        (
            AGENT,
            Field("command", {**TEXT, "minLength": 1}),
            Field("persona", TEXT, required=False, default=""),
            *_NAMES,
            Field("resume", FLAG, required=False, default=False),
        ),
        upkeep=True,
    ),
    Route(
        "GET",
        "/api/memory",
        "The conversation that was saved for an agent.",
        _conversation,
        made_of(agentId=STRING, savedAt=maybe(STRING), chatId=maybe(STRING), messages=listed(ANYTHING)),
        (AGENT,),
    ),
    Route(
        "POST",
        "/api/memory",
        "Save an agent's conversation, and its newest messages as a checkpoint.",
        _converse,
        made_of(**_SAVED),
        _CHAT,
    ),
    Route(
        "GET",
        "/api/memory/checkpoint",
        "What can be taken up again; null where there is nothing, or it has expired.",
        _recover,
        made_of(checkpoint=maybe(made_of(**{**_SAVED, "messages": listed(ANYTHING)}))),
        (AGENT,),
    ),
    Route("POST", "/api/memory/checkpoint", "Save a chat's newest messages.", _checkpoint, made_of(**_SAVED), _CHAT),
    Route(
        "POST",
        "/api/agents/beacon",
        "As POST /api/memory, for a page that is being closed.",
        _converse,
        made_of(**_SAVED),
        _CHAT,
    ),
    Route(
        "POST",
        "/api/agents/close",
        "End a session: save it, take what was said in it, write its handoff; a `summary` stands as the handoff.",
        _close,
        made_of(
            agentId=STRING,
            turns=COUNT,
            decisions=COUNT,
            lessons=COUNT,
            tasks=COUNT,
            handoffs=COUNT,
            errors=listed(STRING),
        ),
        (*_CHAT, Field("summary", TEXT, required=False, default="")),
        errors=(409,),
    ),
    Route(
        "GET",
        COMPACT,
        "Since when a compaction is running, and what the last one did.",
        _last,
        made_of(running=maybe(STRING), last=maybe(ANYTHING)),
    ),
    Route("GET", f"{COMPACT}/plan", "What a compaction would do now.", _plan, made_of(**_PLAN), upkeep=True),
    Route(
        "POST",
        COMPACT,
        "Compact; with `ifDue` only if the last one was more than ten minutes ago.",
        _compact,
        made_of(ran=FLAG, **_PLAN),
        (Field("ifDue", FLAG, required=False, default=False),),
        errors=(409,),
        upkeep=True,
    ),
    Route(
        "POST",
        "/api/compact",
        "Compact.",
        _short_compact,
        made_of(timestamp=STRING, **_RESULT),
        errors=(409,),
        upkeep=True,
    ),
    Route(
        "POST",
        "/api/memory/migrate",
        "Turn flat notes into pages; they are kept as .bak.",
        _migrate,
        made_of(migrated=listed(made_of(what=STRING, how=STRING)), skipped=listed(made_of(what=STRING, why=STRING))),
        (Field("dryRun", FLAG, required=False, default=False),),
        errors=(409,),
        upkeep=True,
    ),
)
