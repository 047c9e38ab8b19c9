"""The routes that read: agents, entries, search, the project's page, briefings, facts, statistics."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import asdict
from typing import Any, Final

from agent_memory import __version__
from agent_memory.app import brief, changes, names, profile, project, quote, recall, sessions, stats, tending, vault
from agent_memory.app.container import App
from agent_memory.errors import UnknownAgent, UsageError
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.rendering import html_of
from agent_memory.interfaces.web.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    ID,
    LINE,
    MESSAGES,
    NAME,
    STRING,
    TEXT,
    Field,
    Given,
    Reply,
    Route,
    listed,
    made_of,
    maybe,
    one_of,
)
from agent_memory.interfaces.web.telling import COUNTS, ENTRY, RESULT, VAULT_ENTRY
from agent_memory.model.memory import Memory
from agent_memory.model.recall import Query
from agent_memory.model.syntax import parse
from agent_memory.model.text import open_boxes

AGENT: Final = Field("agentId", NAME)
CATEGORY: Final = Field("category", NAME)
KIND: Final = one_of("session", "turn")
LIMIT: Final = {"type": "integer", "minimum": 1, "maximum": 100}
FACT: Final = made_of(
    key=STRING,
    value=STRING,
    pinned=FLAG,
    keywords=listed(STRING),
    confirmed=FLAG,
    validFrom=STRING,
    validTo=maybe(STRING),
    recordedAt=STRING,
    status=STRING,
    by=STRING,
    id=STRING,
    vault=STRING,
)
BRIEFING: Final = made_of(
    agentId=STRING,
    command=STRING,
    query=STRING,
    kind=KIND,
    block=STRING,
    prefix=STRING,
    tokens=COUNT,
    maxTokens=COUNT,
    sections=listed(made_of(name=STRING, tokens=COUNT)),
    cuts=listed(made_of(section=STRING, items=COUNT, reason=STRING)),
    items=listed(
        made_of(
            section=STRING,
            id=maybe(STRING),
            category=maybe(STRING),
            tokens=COUNT,
            fate=one_of("shown", "shortened", "cut"),
            reason=STRING,
            text=STRING,
        )
    ),
)
PROJECT: Final = made_of(content=STRING, html=STRING, words=COUNT, etag=STRING)


def _agents(app: App, given: Given) -> dict[str, Any]:
    return {"agents": vault.agents(app)}


def _short_vault(app: App, given: Given) -> dict[str, Any]:
    try:
        found = vault.entries(app, given["agent"], given["category"])
    except UnknownAgent:
        found = []
    return {"entries": [telling.vault_entry(memory) for memory in found]}


def _counts(app: App, given: Given) -> dict[str, Any]:
    agent = names.check_agent(app, given["agent"])
    return {"counts": _counted(app).get(agent, {})}


def _short_stats(app: App, given: Given) -> dict[str, Any]:
    rows = [_agent_stats(agent, counts) for agent, counts in _counted(app).items()]
    rows.sort(key=lambda row: (-row["total"], row["agentId"]))
    return {"totalAgents": len(rows), "totalEntries": sum(row["total"] for row in rows), "agentStats": rows}


def _agent_stats(agent: str, counts: dict[str, int]) -> dict[str, Any]:
    return {"agentId": agent, "counts": counts, "total": sum(counts.values())}


def _counted(app: App) -> dict[str, dict[str, int]]:
    """Return how many entries count, by agent and category; every category is named."""
    view = app.shelf.view(fresh=False, partial=True)
    known = names.categories(view)
    active = Counter((one.page.agent, one.page.category) for one in view.memories if _is_here(one))
    return {agent: {name: active[agent, name] for name in known} for agent in sorted(view.agents)}


def _is_here(memory: Memory) -> bool:
    return memory.active and not memory.page.archived


def _overview(app: App, given: Given) -> dict[str, Any]:
    view = app.shelf.view(fresh=False, partial=True)
    proposed = Counter(one.page.agent for one in view.memories if one.status == vault.PROPOSED)
    tasks = [one for one in view.memories if one.page.category == "tasks" and _is_here(one)]
    boxes = Counter[str]()
    for one in tasks:
        boxes[one.page.agent] += len(open_boxes(one.body))
    rows = [_agent_stats(agent, counts) for agent, counts in _counted(app).items()]
    return {
        "version": __version__,
        "folder": str(app.folder.root),
        "agentId": app.agent,
        "hasCommand": bool(app.settings.text("agents.command")),
        "categories": list(names.categories(view)),
        "agents": [{**row, "proposed": proposed[row["agentId"]], "openTasks": boxes[row["agentId"]]} for row in rows],
        "projectWords": len(app.shelf.project_text().split()),
        "unreadable": [str(error.message) for error in view.unreadable.values()],
    }


def _entries(app: App, given: Given) -> dict[str, Any]:
    found = vault.entries(app, given["agentId"], given["category"], given["show"])
    tag = given["tag"].lstrip("#").casefold()
    if tag:
        found = [one for one in found if tag in map(str.casefold, one.tags)]
    part = found[given["offset"] :][: given["limit"]]
    tags = Counter(tag for one in found for tag in one.tags)
    return {
        "entries": [telling.entry(memory, whole=False) for memory in part],
        "total": len(found),
        "tags": [{"name": name, "count": count} for name, count in tags.most_common(40)],
    }


def _entry(app: App, given: Given) -> Reply:
    home, memory = tending.held(app, given["id"])
    quoted = quote.quote(home, memory)
    history: list[profile.Known] = []
    if memory.page.category == "profile":
        with contextlib.suppress(UsageError):  # an entry of the page that is no fact has no history
            history = profile.history(app, memory.body.partition(":")[0], agent=memory.page.agent)
    links = [telling.camel_keys(tending.link_fields(link)) for link in tending.links(app, memory.id)]
    value = {
        "entry": telling.entry(memory),
        "quote": {"role": quoted.role, "text": quoted.text, "span": list(quoted.span)} if quoted else None,
        "links": links,
        "history": [telling.camel_keys(profile.fact_fields(known)) for known in history],
    }
    return Reply(value, vault.revision(memory))


def _short_search(app: App, given: Given) -> dict[str, Any]:
    return _found(app, given["q"], Query("", limit=given["limit"]))


def _search(app: App, given: Given) -> dict[str, Any]:
    tags = (given["tag"].lstrip("#"),) if given["tag"] else ()
    query = Query("", agent=given["agentId"], category=given["category"], limit=given["limit"], tags=tags)
    return _found(app, given["q"], query)


def _found(app: App, text: str, query: Query) -> dict[str, Any]:
    hits = recall.search(app, parse(text, query)) if text.strip() or query.tags else []
    return {"results": [telling.result(hit) for hit in hits]}


def _short_project(app: App, given: Given) -> Reply:
    text = app.shelf.project_text()
    return Reply({"content": text}, project.revision(text))


def project_page(app: App, given: Given) -> Reply:
    """Return the page that every agent shares."""
    text = app.shelf.project_text()
    revision = project.revision(text)
    return Reply({"content": text, "html": html_of(text), "words": len(text.split()), "etag": revision}, revision)


def context(app: App, given: Given) -> dict[str, Any]:
    """Return a briefing, and what became of everything that was considered for it."""
    history = sessions.said(sessions.chat("host", given.fields.get("history") or []))
    told = brief.brief(
        app,
        given["agentId"],
        given["command"],
        given["kind"],
        max_tokens=given["budget"],
        session=given["chatId"],
        history=history,
    )
    return {
        "agentId": told.agent,
        "command": told.command,
        "query": told.query,
        "kind": told.kind,
        "block": told.text,
        "prefix": told.prefix,
        "tokens": told.tokens,
        "maxTokens": told.max_tokens,
        "sections": [{"name": name, "tokens": tokens} for name, tokens in told.sections.items()],
        "cuts": [cut._asdict() for cut in told.cuts],
        "items": [
            {
                "section": item.section,
                "id": item.hit.id if item.hit else None,
                "category": item.hit.page.category if item.hit else None,
                "tokens": item.tokens,
                "fate": item.fate,
                "reason": item.reason,
                "text": "\n".join(item.lines),
            }
            for item in told.items
        ],
    }


def _profile(app: App, given: Given) -> dict[str, Any]:
    found = profile.listed(app, agent=names.check_agent(app, given["agentId"]))
    return {"facts": [telling.camel_keys(profile.fact_fields(known)) for known in found.facts]}


def _history(app: App, given: Given) -> dict[str, Any]:
    found = profile.history(app, given["key"], agent=names.check_agent(app, given["agentId"]))
    return {"key": found[0].key, "versions": [telling.camel_keys(profile.fact_fields(known)) for known in found]}


def _stats(app: App, given: Given) -> dict[str, Any]:
    return {"models": telling.camel_keys(asdict(stats.stats(app)))}


def _changes(app: App, given: Given) -> dict[str, Any]:
    found = changes.changes(app, since=None, limit=given["limit"])
    runs = [{**asdict(run), "at": run.at.isoformat()} for run in found]
    return {"runs": [telling.camel_keys(run) for run in runs]}


_BUDGET: Final = {"type": "integer", "minimum": 50, "maximum": 100_000}
_CONTEXT: Final = (
    AGENT,
    Field("command", TEXT, required=False, default=""),
    Field("kind", KIND, required=False, default="session"),
    Field("budget", _BUDGET, required=False),
    Field("chatId", LINE, required=False, default=""),
)
_STATS: Final = made_of(
    totalAgents=COUNT, totalEntries=COUNT, agentStats=listed(made_of(agentId=STRING, counts=COUNTS, total=COUNT))
)
_OVERVIEW: Final = made_of(
    version=STRING,
    folder=STRING,
    agentId=STRING,
    hasCommand=FLAG,
    categories=listed(STRING),
    agents=listed(made_of(agentId=STRING, counts=COUNTS, total=COUNT, proposed=COUNT, openTasks=COUNT)),
    projectWords=COUNT,
    unreadable=listed(STRING),
)
_SHOW: Final = one_of("active", "proposed", "archived", "all")

ROUTES: Final = (
    Route("GET", "/api/agents", "The agents that have pages.", _agents, made_of(agents=listed(STRING))),
    Route(
        "GET",
        "/api/vault",
        "The entries of a page that count; none for an agent without pages.",
        _short_vault,
        made_of(entries=listed(VAULT_ENTRY)),
        (Field("agent", NAME), CATEGORY),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/counts",
        "How many entries an agent has by category.",
        _counts,
        made_of(counts=COUNTS),
        (Field("agent", NAME),),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/search",
        'Search in all pages; `q` may have "exact words", -word, tag:, agent:, category:, before:, after:.',
        _short_search,
        made_of(results=listed(RESULT)),
        (Field("q", LINE, required=False, default=""), Field("limit", LIMIT, required=False, default=20)),
        errors=(404,),
    ),
    Route(
        "GET", "/api/project", "The page that every agent shares.", _short_project, made_of(content=STRING), tagged=True
    ),
    Route("GET", "/api/stats", "How many entries there are, by agent and category.", _short_stats, _STATS),
    Route("GET", "/api/memory/overview", "What a page shows first.", _overview, _OVERVIEW),
    Route(
        "GET",
        "/api/memory/vault",
        "A part of a page, as HTML too, and the tags of the whole page.",
        _entries,
        made_of(entries=listed(ENTRY), total=COUNT, tags=listed(made_of(name=STRING, count=COUNT))),
        (
            AGENT,
            CATEGORY,
            Field("show", _SHOW, required=False, default="active"),
            Field("tag", LINE, required=False, default=""),
            Field("offset", {**COUNT, "maximum": 10_000_000}, required=False, default=0),
            Field("limit", LIMIT, required=False, default=50),
        ),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/memory/entry",
        "An entry, whole: the turn it came from if that can still be read, its links, a fact's history.",
        _entry,
        made_of(
            entry=ENTRY,
            quote=maybe(made_of(role=STRING, text=STRING, span=listed(COUNT))),
            links=listed(
                made_of(kind=STRING, id=STRING, direction=STRING, category=maybe(STRING), status=STRING, snippet=STRING)
            ),
            history=listed(FACT),
        ),
        (Field("id", ID),),
        errors=(404,),
        tagged=True,
    ),
    Route(
        "GET",
        "/api/memory/search",
        "Search, also within an agent, a category or a tag.",
        _search,
        made_of(results=listed(RESULT)),
        (
            Field("q", LINE, required=False, default=""),
            Field("agentId", NAME, required=False),
            Field("category", NAME, required=False),
            Field("tag", LINE, required=False, default=""),
            Field("limit", LIMIT, required=False, default=15),
        ),
        errors=(404,),
    ),
    Route("GET", "/api/memory/project", "The shared page, as HTML too.", project_page, PROJECT, tagged=True),
    Route("GET", "/api/memory/context", "The briefing of an agent.", context, BRIEFING, _CONTEXT, errors=(404,)),
    Route(
        "POST",
        "/api/memory/context",
        "The briefing of an agent, for a message that follows on others.",
        context,
        BRIEFING,
        (*_CONTEXT, Field("history", MESSAGES, required=False)),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/memory/profile",
        "The facts that hold, the user's own among them.",
        _profile,
        made_of(facts=listed(FACT)),
        (AGENT,),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/memory/profile/history",
        "Every value of a fact, the oldest first.",
        _history,
        made_of(key=STRING, versions=listed(FACT)),
        (AGENT, Field("key", LINE)),
        errors=(404,),
    ),
    Route(
        "GET",
        "/api/memory/stats",
        "What models were asked, and how memories hang together.",
        _stats,
        made_of(models=ANYTHING),
    ),
    Route(
        "GET",
        "/api/memory/changes",
        "What was done to the vault, newest first.",
        _changes,
        made_of(runs=listed(ANYTHING)),
        (Field("limit", LIMIT, required=False, default=20),),
    ),
)
