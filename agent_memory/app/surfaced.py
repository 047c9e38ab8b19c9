"""What a conversation was told: the ids of memories, kept by session, so that a reflection on it may speak of them.

And the list that a model gets of them, kept as well until its reply is applied, for nothing else may be named in that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent_memory.app.container import App
from agent_memory.errors import DatabaseError, FileError
from agent_memory.model.memory import Memory
from agent_memory.model.recall import Query
from agent_memory.model.text import one_line, shorten
from agent_memory.recall.engine import recall
from agent_memory.redaction import redact
from agent_memory.system import logs

if TYPE_CHECKING:
    from agent_memory.reflection import Exchange
    from agent_memory.vault.view import View

EVERY_CHAT: Final = "agent-memory:briefing"
"""The name under which is kept what the managed rule tells every session."""
TOLD, NEAR = "#", "~"
MAX_TOLD: Final = 12
MAX_NEAR: Final = 8
PREVIEW_CHARS: Final = 160
QUERY_CHARS: Final = 1_000

_UNLISTED: Final = frozenset({"handoffs", "tasks"})
"""What changes with every session is neither linked nor voted for."""
_log = logs.get("surfaced")


@dataclass(frozen=True, slots=True)
class Listed:
    """What a reflection may speak of: what its conversation was told, then what else is near; ids of what it wrote."""

    told: tuple[Memory, ...] = ()
    near: tuple[Memory, ...] = ()


def note(app: App, session: str, entries: Iterable[str], *, instead: bool = False) -> None:
    """Remember what ``session`` was told, beside what it was told before or ``instead``; nothing where it has no name.

    A state that cannot be written costs later reflections these ids, and whoever asked nothing.
    """
    ids = [f"{TOLD}{entry}" for entry in entries if entry.isdigit()]
    if not session or not app.folder.root.exists() or not (ids or instead):
        return
    name = redact(session).text  # a host may have put anything there
    try:
        if instead and app.state.shown.of(name) == set(ids):
            return
        if instead:
            app.state.shown.clear(name)
        app.state.shown.add(name, ids, app.clock.now())
    except (DatabaseError, FileError) as error:
        _log.info("what a session was told could not be kept: %s", error.message)


def told(app: App, conversation: str) -> list[str]:
    """Return the ids that a conversation was told, the latest first, then those that every one is told."""
    if not app.folder.state.exists():
        return []
    names = (redact(conversation).text, EVERY_CHAT)
    kept = (word for name in names for word in reversed(app.state.shown.all_of(name)))
    return list(dict.fromkeys(word[1:] for word in kept if word.startswith(TOLD)))


def listed(app: App, agent: str, exchange: Exchange) -> Listed:
    """Return what a model is shown with an exchange: what was told there, what it came to, and what is nearest."""
    if not app.folder.root.exists():
        return Listed()
    view = app.vault.view()
    heard = [one for name in told(app, exchange.conversation) if (one := _fit(view, agent, name))][:MAX_TOLD]
    query = Query(f"{exchange.user_text}\n{exchange.answer_text}"[:QUERY_CHARS], agent=agent, limit=MAX_NEAR)
    found = [*written_in(view, exchange), *(hit.id for hit in recall(app.index, query))]
    names = dict.fromkeys(name for name in found if name not in {memory.id for memory in heard})
    near = [one for name in names if (one := _fit(view, agent, name))]
    return Listed(tuple(heard), tuple(near[:MAX_NEAR]))


def written_in(view: View, exchange: Exchange) -> list[str]:
    """Return the ids of what was taken out of an exchange's own words."""
    turns = {turn.digest for turn in (*exchange.said, exchange.answer)}
    origins = ((memory.id, memory.origin) for memory in view.memories)
    return [
        name
        for name, origin in origins
        if origin and origin.conversation == exchange.conversation and origin.digest in turns
    ]


def keep_list(app: App, exchange: Exchange, one: Listed) -> None:
    """Remember what a model is about to be shown with an exchange."""
    drop_list(app, exchange)
    if words := [f"{TOLD}{memory.id}" for memory in one.told] + [f"{NEAR}{memory.id}" for memory in one.near]:
        app.state.shown.add(exchange.digest, words, app.clock.now())


def kept_list(app: App, exchange: Exchange) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids that the model was shown: those that the conversation was told, and the rest; none if lost."""
    words = app.state.shown.of(exchange.digest)
    heard = frozenset(word[1:] for word in words if word.startswith(TOLD))
    return heard, frozenset(word[1:] for word in words if word.startswith(NEAR))


def drop_list(app: App, exchange: Exchange) -> None:
    """Let go of that list: its reply has been applied, or will never come."""
    app.state.shown.clear(exchange.digest)


def row(memory: Memory) -> str:
    """Return how a model is shown a memory."""
    tags = f"[{', '.join(memory.tags[:6])}] " if memory.tags else ""
    return f"#{memory.id} {memory.page.category} {tags}{shorten(one_line(memory.body), PREVIEW_CHARS)}"


def _fit(view: View, agent: str, name: str) -> Memory | None:
    for memory in view.by_id(name)[:1]:
        if memory.active and memory.page.agent == agent and memory.page.category not in _UNLISTED and name.isdigit():
            return memory
    return None
