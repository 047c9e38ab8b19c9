"""Which routes there are: the one table, of which the server, its checks, its document and docs/http.md are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_memory import __version__
from agent_memory.interfaces.web import lifecycle, reading, writing
from agent_memory.interfaces.web.notation import Schema, fields_of, object_of, shape_of
from agent_memory.interfaces.web.shapes import Route

EVENTS: Final = "/api/events"
DOCUMENT: Final = "/api/openapi.json"
COMMAND: Final = "/api/agents/command"
COMPACT: Final = "/api/memory/compact"

SHAPES: Final[Mapping[str, str]] = {
    "VaultEntry": "{id: string, date: string, content: string, tags: [string], agentId: string, category: string}",
    "Entry": "{id: string, date: string, content: string, tags: [string], agentId: string, category: string,"
    " status: string, archived: flag, by: string, edited: flag, origin: string|null, confidence: number|null,"
    " etag: string, html: string, shortened: flag, openTasks: [string]}",
    "Result": "{entry: VaultEntry, score: number, snippet: string}",
    "Fact": "{key: string, value: string, pinned: flag, keywords: [string], confirmed: flag, validFrom: string,"
    " validTo: string|null, recordedAt: string, status: string, by: string, id: string, vault: workspace/user}",
    "Link": "{kind: string, id: string, direction: to/from, category: string|null, status: string, snippet: string}",
    "Briefing": "{agentId: string, command: string, query: string, kind: session/turn, block: string, prefix: string,"
    " tokens: count, maxTokens: count, sections: [{name: string, tokens: count}],"
    " cuts: [{section: string, items: count, reason: string}], items: [Item]}",
    "Item": "{section: string, id: string|null, category: string|null, tokens: count, fate: shown/shortened/cut,"
    " reason: string, score: number|null, parts: {*: number}, text: string}",
    "Saved": "{agentId: string, savedAt: string, chatId: string|null, messages: count}",
    "Error": "{error: {type: string, message: string, hint: string}, current?: object}",
}
"""The shapes that have a name."""

_CHAT: Final = "agentId: name, messages: [message], chatId?: line, modelId?: line"
_BRIEF: Final = 'agentId: name, command?: {} = "", kind?: session/turn = session, budget?: budget, chatId?: line = ""'
_ENTRY: Final = "agentId: name, category: name, id: id"
_SHORT: Final = "agent: name, category: name, id: id"
_PROJECT: Final = "content: string, html: string, words: count, etag: string"
_COUNTED: Final = "agentId: string, counts: {*: count}, total: count"
_DONE: Final = (
    "checkpointsCleaned: count, conversationsTrimmed: count, vaultEntriesMerged: count, indexRebuilt: flag,"
    " legacyFilesCleaned: count"
)
_PLAN: Final = f"plan: [string], troubles: [string], {_DONE}"
_FOUND: Final = "{results: [Result]}"
_WRITTEN: Final = "{entry: Entry, redactions: count}"
_GONE: Final = "{ok: flag, id: string}"
_LOST: Final = (404, 409, 412)

# fmt: off
ROUTES: Final = (
    # as the npm package's viewer has them
    Route("GET", "/api/agents", reading.agents, "", "{agents: [string]}"),
    Route("GET", "/api/vault", reading.short_vault, "agent: name, category: name", "{entries: [VaultEntry]}", (404,)),
    Route("POST", "/api/vault", writing.short_add, "agent: name, category: name, content: text, tags?: [tag]",
          "{entry: VaultEntry}", (404, 409)),
    Route("PUT", "/api/vault", writing.short_edit, f"{_SHORT}, content: text", "{ok: flag}", _LOST),
    Route("DELETE", "/api/vault", writing.short_delete, _SHORT, "{ok: flag}", _LOST),
    Route("GET", "/api/counts", reading.counts, "agent: name", "{counts: {*: count}}", (404,)),
    Route("GET", "/api/search", reading.short_search, 'q?: line = "", limit?: limit = 20', _FOUND, (404,)),
    Route("GET", "/api/project", reading.short_project, "", "{content: string}"),
    Route("POST", "/api/compact", lifecycle.short_compact, "", f"{{timestamp: string, {_DONE}}}", (409,), upkeep=True),
    Route("GET", "/api/stats", reading.short_stats, "",
          f"{{totalAgents: count, totalEntries: count, agentStats: [{{{_COUNTED}}}]}}"),
    # entries
    Route("GET", "/api/memory/overview", reading.overview, "",
          "{version: string, folder: string, agentId: string, hasCommand: flag, categories: [string], agents:"
          f" [{{{_COUNTED}, proposed: count, openTasks: count}}], projectWords: count, unreadable: [string]}}"),
    Route("GET", "/api/memory/vault", reading.entries, "agentId: name, category: name,"
          ' show?: active/proposed/archived/all = active, tag?: line = "", offset?: count = 0, limit?: limit = 50',
          "{entries: [Entry], total: count, tags: [{name: string, count: count}]}", (404,)),
    Route("GET", "/api/memory/entry", reading.entry, "id: id",
          "{entry: Entry, quote: {role: string, text: string, span: [count]}|null, links: [Link], history: [Fact]}",
          (404,)),
    Route("POST", "/api/memory/vault", writing.add,
          "agentId: name, category: name, content: text, tags?: [tag], by?: user/agent = user", _WRITTEN, (404, 409)),
    Route("PUT", "/api/memory/vault", writing.edit, f"{_ENTRY}, content: text", _WRITTEN, _LOST),
    Route("DELETE", "/api/memory/vault", writing.delete, _ENTRY, _GONE, _LOST),
    Route("POST", "/api/memory/tick", writing.tick, 'agentId: name, id: id, words?: text = ""',
          "{entry: Entry, words: string}", _LOST),
    Route("POST", "/api/memory/accept", writing.accept, _ENTRY, "{entry: Entry}", (404, 409)),
    Route("POST", "/api/memory/reject", writing.reject, _ENTRY, _GONE, (404, 409)),
    Route("GET", "/api/memory/changes", reading.runs, "limit?: limit = 20", "{runs: [object]}"),
    Route("POST", "/api/memory/undo", writing.undo, 'id?: line = ""',
          "{run: string, entries: [string], kept: [string]}", (404, 409)),
    Route("GET", "/api/memory/search", reading.search,
          'q?: line = "", agentId?: name, category?: name, tag?: line = "", limit?: limit = 15', _FOUND, (404,)),
    Route("GET", "/api/memory/project", reading.project_page, "", f"{{{_PROJECT}}}"),
    Route("PUT", "/api/memory/project", writing.put_project, "content: text",
          f"{{{_PROJECT}, redactions: count}}", (409, 412)),
    # facts
    Route("GET", "/api/memory/profile", reading.facts, "agentId: name", "{facts: [Fact]}", (404,)),
    Route("GET", "/api/memory/profile/history", reading.versions, "agentId: name, key: line",
          "{key: string, versions: [Fact]}", (404,)),
    Route("POST", "/api/memory/profile", writing.set_fact,
          "agentId: name, key: line, value: line, keywords?: [tag], forUser?: flag = false",
          "{outcome: string, fact: Fact|null, redactions: count}", (404, 409)),
    Route("DELETE", "/api/memory/profile", writing.remove_fact, "agentId: name, key: line", "{fact: Fact}", (404, 409)),
    # sessions
    Route("GET", "/api/memory/context", reading.context, _BRIEF.format("line"), "Briefing", (404,)),
    Route("POST", "/api/memory/context", reading.context, f"{_BRIEF.format('text')}, history?: [message]", "Briefing",
          (404,), asks=True),
    Route("POST", COMMAND, lifecycle.command,
          'agentId: name, command: text, persona?: text = "", chatId?: line, resume?: flag = false',
          "{agentId: string, chatId: string|null, prompt: string, briefed: flag, tokens: count}", upkeep=True,
          asks=True),
    Route("GET", "/api/memory", lifecycle.conversation, "agentId: name",
          "{agentId: string, savedAt: string|null, chatId: string|null, messages: [object]}"),
    Route("POST", "/api/memory", lifecycle.converse, _CHAT, "Saved"),
    Route("POST", "/api/agents/beacon", lifecycle.converse, _CHAT, "Saved"),
    Route("GET", "/api/memory/checkpoint", lifecycle.recover, "agentId: name",
          "{checkpoint: {agentId: string, savedAt: string, chatId: string|null, messages: [object]}|null}"),
    Route("POST", "/api/memory/checkpoint", lifecycle.checkpoint, _CHAT, "Saved"),
    Route("POST", "/api/agents/close", lifecycle.close, f'{_CHAT}, summary?: text = ""',
          "{agentId: string, turns: count, decisions: count, lessons: count, tasks: count, handoffs: count,"
          " errors: [string]}", (409,)),
    # upkeep
    Route("GET", COMPACT, lifecycle.last, "", "{running: string|null, last: object|null}"),
    Route("GET", f"{COMPACT}/plan", lifecycle.plan, "", f"{{{_PLAN}}}", upkeep=True),
    Route("POST", COMPACT, lifecycle.compact, "ifDue?: flag = false", f"{{ran: flag, {_PLAN}}}", (409,), upkeep=True),
    Route("POST", "/api/memory/migrate", lifecycle.take_flat_notes, "dryRun?: flag = false",
          "{migrated: [{what: string, how: string}], skipped: [{what: string, why: string}]}", (409,), upkeep=True),
    Route("GET", "/api/memory/stats", reading.model_stats, "", "{models: object}"),
)
# fmt: on

ALWAYS: Final = (400, 401, 403, 500, 503)
WITH_BODY: Final = (408, 413, 415)
REASONS: Final[Mapping[int, str]] = {
    400: "Something that was given cannot be.",
    401: "There is no token, or another one.",
    403: "Not from there.",
    404: "There is no such agent, category, entry or fact.",
    408: "The body did not come in time.",
    409: "It kept changing while it was being written.",
    412: "It has changed since it was read; `current` is how it stands.",
    413: "The body is too big.",
    415: "The body is no JSON.",
    500: "A file, a database or a setting on this computer is at fault.",
    503: "Somebody else is writing.",
}


def document() -> dict[str, Any]:
    """Return the table as an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "agent-memory", "version": __version__},
        "paths": paths,
        "components": {"schemas": {name: shape_of(text) for name, text in SHAPES.items()}},
    }


def _operation(route: Route) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": route.doc, "responses": _responses(route)}
    fields = fields_of(route.takes)
    if route.has_body:
        loose = [one if one.required else one.or_null() for one in fields]
        told["requestBody"] = {"required": bool(fields), "content": _json(object_of(loose))}
        match_ = {"name": "If-Match", "in": "header", "required": False, "schema": {"type": "string"}}
        return {**told, "parameters": [match_]} if 412 in route.errors else told
    parameters = [{"name": one.name, "in": "query", "required": one.required, "schema": one.schema} for one in fields]
    return {**told, "parameters": parameters}


def _responses(route: Route) -> dict[str, Any]:
    content = _json(shape_of(route.gives))
    if route.path == COMMAND:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    errors = sorted({*ALWAYS, *route.errors, *(WITH_BODY if route.has_body else ())})
    told = {str(one): {"description": REASONS[one], "content": _json(shape_of("Error"))} for one in errors}
    return {"200": {"description": route.doc, "content": content}, **told}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
