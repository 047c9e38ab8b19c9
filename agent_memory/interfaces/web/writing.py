"""The routes that change what is remembered: entries, tasks, proposals, facts, the project's page; and undo."""

from __future__ import annotations

from typing import Any, Final

from agent_memory.app import changes, names, profile, project, tasks, vault
from agent_memory.app.container import App
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.reading import AGENT, CATEGORY, FACT, PROJECT, project_page
from agent_memory.interfaces.web.shapes import (
    COUNT,
    FLAG,
    ID,
    LINE,
    NAME,
    STRING,
    TAGS,
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
from agent_memory.interfaces.web.telling import ENTRY, VAULT_ENTRY
from agent_memory.model.memory import Fact


def _short_add(app: App, given: Given) -> Reply:
    written = vault.add(app, given["agent"], given["category"], given["content"], given["tags"] or ())
    return Reply({"entry": telling.vault_entry(written.memory)}, vault.revision(written.memory))


def _short_edit(app: App, given: Given) -> Reply:
    return Reply({"ok": True}, vault.revision(_edited(app, given, given["agent"]).memory))


def _short_delete(app: App, given: Given) -> dict[str, Any]:
    _ = vault.delete(app, given["agent"], given["category"], given["id"], expected=given.expected)
    return {"ok": True}


def _add(app: App, given: Given) -> Reply:
    return _written(
        vault.add(app, given["agentId"], given["category"], given["content"], given["tags"] or (), by=given["by"])
    )


def _edit(app: App, given: Given) -> Reply:
    return _written(_edited(app, given, given["agentId"]))


def _delete(app: App, given: Given) -> dict[str, Any]:
    gone = vault.delete(app, given["agentId"], given["category"], given["id"], expected=given.expected)
    return {"ok": True, "id": gone.id}


def _edited(app: App, given: Given, agent: str) -> vault.Written:
    return vault.edit(app, agent, given["category"], given["id"], given["content"], expected=given.expected)


def _written(written: vault.Written) -> Reply:
    memory = written.memory
    return Reply({"entry": telling.entry(memory), "redactions": written.redactions}, vault.revision(memory))


def _tick(app: App, given: Given) -> Reply:
    ticked = tasks.done(app, given["agentId"], given["id"], given["words"], expected=given.expected)
    memory = vault.entry(app, given["agentId"], tasks.CATEGORY, ticked.id)
    return Reply({"entry": telling.entry(memory), "words": ticked.words}, vault.revision(memory))


def _accept(app: App, given: Given) -> Reply:
    memory = vault.accept(app, given["agentId"], given["category"], given["id"])
    return Reply({"entry": telling.entry(memory)}, vault.revision(memory))


def _reject(app: App, given: Given) -> dict[str, Any]:
    return {"ok": True, "id": vault.reject(app, given["agentId"], given["category"], given["id"]).id}


def _undo(app: App, given: Given) -> dict[str, Any]:
    undone = changes.undo(app, given["id"] or None)
    return {"run": undone.run, "entries": list(undone.entries), "kept": list(undone.kept)}


def _set_fact(app: App, given: Given) -> dict[str, Any]:
    keywords = tuple(given["keywords"] or ())
    fact = Fact(given["key"], given["value"], pinned=not keywords, keywords=keywords)
    kept = profile.set_fact(app, fact, for_user=given["forUser"], agent=given["agentId"], by="user")
    fields = telling.camel_keys(profile.fact_fields(kept.known)) if kept.known else None
    return {"outcome": kept.outcome, "fact": fields, "redactions": kept.redactions}


def _remove_fact(app: App, given: Given) -> dict[str, Any]:
    known = profile.remove(app, given["key"], agent=names.check_agent(app, given["agentId"]))
    return {"fact": telling.camel_keys(profile.fact_fields(known))}


def _put_project(app: App, given: Given) -> Reply:
    redactions = project.replace(app, given["content"], expected=given.expected)
    page = project_page(app, given)
    return Reply({**page.value, "redactions": redactions}, page.revision)


_ENTRY_ID: Final = (AGENT, CATEGORY, Field("id", ID))
_SHORT_ID: Final = (Field("agent", NAME), CATEGORY, Field("id", ID))
_CONTENT: Final = Field("content", TEXT)
_TAGS: Final = Field("tags", TAGS, required=False)
_WRITTEN: Final = made_of(entry=ENTRY, redactions=COUNT)
_OK: Final = made_of(ok=FLAG)
_GONE: Final = made_of(ok=FLAG, id=STRING)
_CHANGED: Final = (404, 409, 412)

ROUTES: Final = (
    Route(
        "POST",
        "/api/vault",
        "Write an entry.",
        _short_add,
        made_of(entry=VAULT_ENTRY),
        (Field("agent", NAME), CATEGORY, _CONTENT, _TAGS),
        errors=(404, 409),
        tagged=True,
    ),
    Route(
        "PUT",
        "/api/vault",
        "Replace the words of an entry.",
        _short_edit,
        _OK,
        (*_SHORT_ID, _CONTENT),
        _CHANGED,
        tagged=True,
    ),
    Route("DELETE", "/api/vault", "Take an entry out.", _short_delete, _OK, _SHORT_ID, _CHANGED, tagged=True),
    Route(
        "POST",
        "/api/memory/vault",
        "Write an entry; `by` says whether a person or an agent did.",
        _add,
        _WRITTEN,
        (AGENT, CATEGORY, _CONTENT, _TAGS, Field("by", one_of("user", "agent"), required=False, default="user")),
        errors=(404, 409),
        tagged=True,
    ),
    Route(
        "PUT",
        "/api/memory/vault",
        "Replace the words of an entry; its tags stay.",
        _edit,
        _WRITTEN,
        (*_ENTRY_ID, _CONTENT),
        _CHANGED,
        tagged=True,
    ),
    Route(
        "DELETE",
        "/api/memory/vault",
        "Take an entry out; `undo` with its id brings it back.",
        _delete,
        _GONE,
        _ENTRY_ID,
        _CHANGED,
        tagged=True,
    ),
    Route(
        "POST",
        "/api/memory/tick",
        "Tick a task; `words` says which, if the entry has several.",
        _tick,
        made_of(entry=ENTRY, words=STRING),
        (AGENT, Field("id", ID), Field("words", TEXT, required=False, default="")),
        errors=_CHANGED,
        tagged=True,
    ),
    Route(
        "POST",
        "/api/memory/accept",
        "Let a proposal count.",
        _accept,
        made_of(entry=ENTRY),
        _ENTRY_ID,
        (404, 409),
        tagged=True,
    ),
    Route("POST", "/api/memory/reject", "Drop a proposal.", _reject, _GONE, _ENTRY_ID, (404, 409)),
    Route(
        "POST",
        "/api/memory/undo",
        "Take back a run, what was last done to an entry, or without an id what was done last.",
        _undo,
        made_of(run=STRING, entries=listed(STRING), kept=listed(STRING)),
        (Field("id", LINE, required=False, default=""),),
        errors=(404, 409),
    ),
    Route(
        "POST",
        "/api/memory/profile",
        "Set a fact; its old value stays in its history.",
        _set_fact,
        made_of(outcome=STRING, fact=maybe(FACT), redactions=COUNT),
        (
            AGENT,
            Field("key", LINE),
            Field("value", LINE),
            Field("keywords", TAGS, required=False),
            Field("forUser", FLAG, required=False, default=False),
        ),
        errors=(404, 409),
    ),
    Route(
        "DELETE",
        "/api/memory/profile",
        "End a fact; its last value stays in its history.",
        _remove_fact,
        made_of(fact=FACT),
        (AGENT, Field("key", LINE)),
        (404, 409),
    ),
    Route(
        "PUT",
        "/api/memory/project",
        "Replace the page that every agent shares.",
        _put_project,
        made_of(**PROJECT["properties"], redactions=COUNT),
        (_CONTENT,),
        errors=(409, 412),
        tagged=True,
    ),
)
