"""The routes that change what is remembered: entries, tasks, proposals, facts, the project's page; and undo."""

from __future__ import annotations

from typing import Any

from agent_memory.app import changes, names, profile, project, tasks, vault
from agent_memory.app.container import App
from agent_memory.interfaces.web import telling
from agent_memory.interfaces.web.reading import project_page
from agent_memory.interfaces.web.shapes import Given, Reply
from agent_memory.model.memory import Fact


def short_add(app: App, given: Given) -> Reply:
    """Write an entry."""
    written = vault.add(app, given["agent"], given["category"], given["content"], given["tags"] or ())
    return Reply({"entry": telling.vault_entry(written.memory)}, vault.revision(written.memory))


def short_edit(app: App, given: Given) -> Reply:
    """Replace the words of an entry."""
    return Reply({"ok": True}, vault.revision(_edited(app, given, given["agent"]).memory))


def short_delete(app: App, given: Given) -> dict[str, Any]:
    """Take an entry out."""
    _ = vault.delete(app, given["agent"], given["category"], given["id"], expected=given.expected)
    return {"ok": True}


def add(app: App, given: Given) -> Reply:
    """Write an entry; `by` says whether a person or an agent did."""
    return _written(
        vault.add(app, given["agentId"], given["category"], given["content"], given["tags"] or (), by=given["by"])
    )


def edit(app: App, given: Given) -> Reply:
    """Replace the words of an entry; its tags stay."""
    return _written(_edited(app, given, given["agentId"]))


def delete(app: App, given: Given) -> dict[str, Any]:
    """Take an entry out; `undo` with its id brings it back."""
    gone = vault.delete(app, given["agentId"], given["category"], given["id"], expected=given.expected)
    return {"ok": True, "id": gone.id}


def _edited(app: App, given: Given, agent: str) -> vault.Written:
    return vault.edit(app, agent, given["category"], given["id"], given["content"], expected=given.expected)


def _written(written: vault.Written) -> Reply:
    memory = written.memory
    return Reply({"entry": telling.entry(memory), "redactions": written.redactions}, vault.revision(memory))


def tick(app: App, given: Given) -> Reply:
    """Tick a task; `words` says which, if the entry has several."""
    ticked = tasks.done(app, given["agentId"], given["id"], given["words"], expected=given.expected)
    memory = vault.entry(app, given["agentId"], tasks.CATEGORY, ticked.id)
    return Reply({"entry": telling.entry(memory), "words": ticked.words}, vault.revision(memory))


def accept(app: App, given: Given) -> Reply:
    """Let a proposal count."""
    memory = vault.accept(app, given["agentId"], given["category"], given["id"])
    return Reply({"entry": telling.entry(memory)}, vault.revision(memory))


def reject(app: App, given: Given) -> dict[str, Any]:
    """Drop a proposal."""
    return {"ok": True, "id": vault.reject(app, given["agentId"], given["category"], given["id"]).id}


def undo(app: App, given: Given) -> dict[str, Any]:
    """Take back a run, what was last done to an entry, or what was done last."""
    undone = changes.undo(app, given["id"] or None)
    return {"run": undone.run, "entries": list(undone.entries), "kept": list(undone.kept)}


def set_fact(app: App, given: Given) -> dict[str, Any]:
    """Set a fact; its old value stays in its history."""
    keywords = tuple(given["keywords"] or ())
    fact = Fact(given["key"], given["value"], pinned=not keywords, keywords=keywords)
    kept = profile.set_fact(app, fact, for_user=given["forUser"], agent=given["agentId"], by="user")
    fields = telling.camel_keys(profile.fact_fields(kept.known)) if kept.known else None
    return {"outcome": kept.outcome, "fact": fields, "redactions": kept.redactions}


def remove_fact(app: App, given: Given) -> dict[str, Any]:
    """End a fact; its last value stays in its history."""
    known = profile.remove(app, given["key"], agent=names.check_agent(app, given["agentId"]))
    return {"fact": telling.camel_keys(profile.fact_fields(known))}


def put_project(app: App, given: Given) -> Reply:
    """Replace the shared page."""
    redactions = project.replace(app, given["content"], expected=given.expected)
    page = project_page(app, given)
    return Reply({**page.value, "redactions": redactions}, page.revision)
