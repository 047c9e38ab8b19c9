"""Memories as JSON: camelCase, as the npm package has them, and what the page needs beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agent_memory.app import vault
from agent_memory.interfaces.web.rendering import html_of
from agent_memory.model.memory import Memory
from agent_memory.model.recall import Hit
from agent_memory.model.text import open_boxes, shorten

MAX_SHOWN_CHARS: Final = 1_500
"""What is longer is shown in part in a list, and whole by its id."""


def camel(name: str) -> str:
    """Return a name of ours as the API has it."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def camel_keys(value: Any) -> Any:
    """Return a JSON value with the names in it as the API has them."""
    if isinstance(value, Mapping):
        return {camel(str(name)): camel_keys(one) for name, one in value.items()}
    return [camel_keys(one) for one in value] if isinstance(value, (list, tuple)) else value


def vault_entry(memory: Memory | Hit) -> dict[str, Any]:
    """Return a memory as the npm package has its entries."""
    return {
        "id": memory.id,
        "date": memory.at.strftime("%Y-%m-%dT%H:%M"),
        "content": memory.body,
        "tags": list(memory.tags),
        "agentId": memory.page.agent,
        "category": memory.page.category,
    }


def entry(memory: Memory, *, whole: bool = True) -> dict[str, Any]:
    """Return a memory with its HTML and revision; of a long one that is not to be ``whole`` the beginning."""
    known = vault.entry_fields(memory)
    text = memory.body if whole else shorten(memory.body, MAX_SHOWN_CHARS)
    return {
        **vault_entry(memory),
        **{name: known[name] for name in ("status", "archived", "by", "edited", "origin", "confidence")},
        "content": text,
        "etag": vault.revision(memory),
        "html": html_of(text),
        "shortened": text != memory.body,
        "openTasks": list(open_boxes(memory.body)) if memory.page.category == "tasks" else [],
    }


def result(hit: Hit) -> dict[str, Any]:
    """Return what a search found."""
    shown = {**vault_entry(hit), "content": shorten(hit.body, MAX_SHOWN_CHARS)}
    return {"entry": shown, "score": round(hit.score, 4), "snippet": hit.snippet}
