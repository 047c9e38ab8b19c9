"""The routes that read: agents, entries, search, the project's page, briefings, facts, statistics."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import asdict
from typing import Any

from agent_memory import __version__
from agent_memory.app import brief, changes, names, profile, project, quote, recall, sessions, stats, tending, vault
from agent_memory.app.container import App
from agent_memory.app.counts import contents
from agent_memory.errors import UnknownAgent, UsageError
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.rendering import html_of
from agent_memory.interfaces.web.shapes import Given, Reply
from agent_memory.model.recall import Query
from agent_memory.model.syntax import parse


def agents(app: App, given: Given) -> dict[str, Any]:
    """List the agents that have pages."""
    return {"agents": vault.agents(app)}


def short_vault(app: App, given: Given) -> dict[str, Any]:
    """List the entries of a page that count; none for an agent without pages."""
    try:
        found = vault.entries(app, given["agent"], given["category"])
    except UnknownAgent:
        found = []
    return {"entries": [telling.vault_entry(memory) for memory in found]}


def counts(app: App, given: Given) -> dict[str, Any]:
    """Count the entries of an agent by category."""
    agent = names.check_agent(app, given["agent"])
    found = (one.entries for one in contents(app).agents if one.agent == agent)
    return {"counts": next(found, {})}


def short_stats(app: App, given: Given) -> dict[str, Any]:
    """Count all entries by agent and category."""
    found = sorted(contents(app).agents, key=lambda one: (-one.total, one.agent))
    rows = [{"agentId": one.agent, "counts": one.entries, "total": one.total} for one in found]
    return {"totalAgents": len(rows), "totalEntries": sum(one.total for one in found), "agentStats": rows}


def overview(app: App, given: Given) -> dict[str, Any]:
    """Return what a page shows first."""
    found = contents(app)
    return {
        "version": __version__,
        "folder": str(app.folder.root),
        "agentId": app.agent,
        "hasCommand": bool(app.settings.text("agents.command")),
        "categories": list(found.categories),
        "agents": [
            {
                "agentId": one.agent,
                "counts": one.entries,
                "total": one.total,
                "proposed": one.proposed,
                "openTasks": one.open_tasks,
            }
            for one in found.agents
        ],
        "projectWords": found.project_words,
        "unreadable": list(found.unreadable),
    }


def entries(app: App, given: Given) -> dict[str, Any]:
    """List a part of a page, newest first, and the tags of the whole page."""
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


def entry(app: App, given: Given) -> Reply:
    """Return an entry: the turn it came from if that can still be read, links, history."""
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


def short_search(app: App, given: Given) -> dict[str, Any]:
    """Search all pages; `q` may have "exact words", -word, tag:, agent:, category:, before:, after:."""
    return _found(app, given["q"], Query("", limit=given["limit"]))


def search(app: App, given: Given) -> dict[str, Any]:
    """Search, also within an agent, a category or a tag."""
    tags = (given["tag"].lstrip("#"),) if given["tag"] else ()
    query = Query("", agent=given["agentId"], category=given["category"], limit=given["limit"], tags=tags)
    return _found(app, given["q"], query)


def _found(app: App, text: str, query: Query) -> dict[str, Any]:
    hits = recall.search(app, parse(text, query)) if text.strip() or query.tags else []
    return {"results": [telling.result(hit) for hit in hits]}


def short_project(app: App, given: Given) -> Reply:
    """Return the page that every agent shares."""
    text = app.shelf.project_text()
    return Reply({"content": text}, project.revision(text))


def project_page(app: App, given: Given) -> Reply:
    """Return the shared page, as HTML too."""
    text = app.shelf.project_text()
    revision = project.revision(text)
    return Reply({"content": text, "html": html_of(text), "words": len(text.split()), "etag": revision}, revision)


def context(app: App, given: Given) -> dict[str, Any]:
    """Brief an agent; `history` is what was said before the command."""
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
    known = brief.briefing_fields(told)
    shown = {
        "agent_id": known.pop("agent"),
        "block": known.pop("text"),
        "prefix": told.prefix,
        "sections": [{"name": name, "tokens": tokens} for name, tokens in known.pop("sections").items()],
        "items": [brief.item_fields(item) for item in told.items],
    }
    answer: dict[str, Any] = telling.camel_keys({**known, **shown})
    return answer


def facts(app: App, given: Given) -> dict[str, Any]:
    """List the facts that hold, the user's own among them."""
    found = profile.listed(app, agent=names.check_agent(app, given["agentId"]))
    return {"facts": [telling.camel_keys(profile.fact_fields(known)) for known in found.facts]}


def versions(app: App, given: Given) -> dict[str, Any]:
    """List every value of a fact, the oldest first."""
    found = profile.history(app, given["key"], agent=names.check_agent(app, given["agentId"]))
    return {"key": found[0].key, "versions": [telling.camel_keys(profile.fact_fields(known)) for known in found]}


def model_stats(app: App, given: Given) -> dict[str, Any]:
    """Say what models were asked, and how memories hang together."""
    return {"models": telling.camel_keys(asdict(stats.stats(app)))}


def runs(app: App, given: Given) -> dict[str, Any]:
    """List what was done to the vault, newest first."""
    found = changes.changes(app, since=None, limit=given["limit"])
    runs = [{**asdict(run), "at": run.at.isoformat()} for run in found]
    return {"runs": [telling.camel_keys(run) for run in runs]}
