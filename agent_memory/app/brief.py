"""The briefing that packs what an agent needs for its next prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from agent_memory.app import surfaced
from agent_memory.app.container import App
from agent_memory.app.names import check_agent
from agent_memory.app.recall import asked_for, fading
from agent_memory.context.build import build
from agent_memory.context.counting import COUNTERS
from agent_memory.context.sections import Message, Source, latest_first
from agent_memory.errors import FileError
from agent_memory.model.briefing import Briefing, Item, Kind
from agent_memory.model.recall import Hit, Query
from agent_memory.recall.engine import recall
from agent_memory.redaction import redact
from agent_memory.system import files
from agent_memory.system.paths import USER_AGENT

if TYPE_CHECKING:
    from agent_memory.recall.rewrite import History

T = TypeVar("T")

NOTES: Final = "notes"
TASKS: Final = "tasks"
SWITCHED: Final = frozenset({NOTES, "lessons", "procedures"})
"""The categories that a setting takes out of every briefing."""
SHARED_NOTES: Final = 2
"""So many notes for all projects at most stand among what one search finds here, behind the best of it."""
CAPS: Final = MappingProxyType(
    {
        "profile": "profile",
        "memory-index": "index",
        "recalled": "recall_injection",
        "lessons": "lessons",
        "procedures": "procedures",
    }
)
"""Which settings hold the sizes of a turn's sections."""


def brief(  # noqa: PLR0913 (of what, and of which size)
    app: App,
    agent: str,
    command: str,
    kind: Kind = "session",
    *,
    max_tokens: int | None = None,
    recovering: Sequence[Message] | None = None,
    session: str = "",
    history: History = (),
    may_be_new: bool = False,
) -> Briefing:
    """Pack what ``agent`` needs for ``command`` into its budget.

    Args:
        app: The product.
        agent: Whose briefing.
        command: What the agent is asked to do; may be empty.
        kind: For the start of a chat, or for one prompt.
        max_tokens: The budget; that of the settings, if None.
        recovering: The last messages of a session that is being taken up again; by default those of its agent's
            checkpoint, if no handoff has taken them over.
        session: The conversation that the command is from; what it is told is remembered for it, and a model's
            rewriting of the command.
        history: What was said before, oldest first: what a command refers to is looked for too.
        may_be_new: Whether the agent may have no pages yet.

    Raises:
        UnknownAgent: It has no pages, and is not ours.
        UsageError: The budget is too small for any briefing.
    """
    agent = app.agent_named(agent) if may_be_new else check_agent(app, agent)
    recovering = (_left_off(app, agent) if kind == "session" else ()) if recovering is None else recovering
    briefing = build(
        agent,
        _source(app, agent, command, recovering, asked_for(app, session, command, history)),
        kind,
        max_tokens=app.settings.count("context.max_tokens") if max_tokens is None else max_tokens,
        counter=COUNTERS[app.settings.text("context.counter")],
        caps={section: _cap(app, group) for section, group in CAPS.items()},
    )
    surfaced.note(app, session, (hit.id for hit in briefing.told))
    return briefing


def _cap(app: App, group: str) -> int:
    return app.settings.count(f"{group}.max_tokens") if app.settings.flag(f"{group}.enabled") else 0


def _spared(app: App, read: Callable[[], T], nothing: T) -> T:
    """Return what ``read`` does; a file that cannot be read is named in a warning and costs its own words only."""
    try:
        return read()
    except FileError as error:
        app.warn(f"{error.message} It is left out.")
        return nothing


def briefing_fields(briefing: Briefing) -> dict[str, Any]:
    """Return a briefing as other programs are told of it, without its items."""
    return {
        "agent": briefing.agent,
        "command": briefing.command,
        "query": briefing.query,
        "kind": briefing.kind,
        "text": briefing.text,
        "tokens": briefing.tokens,
        "max_tokens": briefing.max_tokens,
        "sections": briefing.sections,
        "cuts": [cut._asdict() for cut in briefing.cuts],
    }


def item_fields(item: Item) -> dict[str, Any]:
    """Return one row of a briefing, or what was cut of it, as other programs are told of it."""
    hit = item.hit
    return {
        "section": item.section,
        "id": hit.id if hit else None,
        "category": hit.page.category if hit else None,
        "tokens": item.tokens,
        "fate": item.fate,
        "reason": item.reason,
        "score": round(hit.score, 4) if hit else None,
        "parts": dict(hit.parts) if hit else {},
        "text": "\n".join(item.lines),
    }


def _left_off(app: App, agent: str) -> Sequence[Message]:
    def read() -> Sequence[Message]:
        if files.identify(app.folder.checkpoints / f"{agent}.json") is None:
            return ()
        from agent_memory.app import sessions  # dear to load, and most briefings recover nothing

        return [(message["role"], message["text"]) for message in sessions.recovering(app, agent)]

    return _spared(app, read, ())


def _source(app: App, agent: str, command: str, recovering: Sequence[Message], query: str) -> Source:
    """Return where a briefing comes from: the mirrors, the project's page, and what the settings allow."""
    said = [(role, redact(text).text) for role, text in recovering]
    own = app.index if app.folder.root.exists() else None
    has_shared = app.user.folder.root.exists() and app.user.folder.root != app.folder.root
    shared = app.user.index if has_shared else None

    def found(text: str, category: str | None, limit: int, tags: tuple[str, ...] = ()) -> list[Hit]:
        query = Query(text, agent=agent, category=category, limit=limit, tags=tags, fading=fading(app))
        hits = recall(own, query) if own else []
        if shared and category in (None, NOTES):
            hits[1:1] = recall(shared, replace(query, agent=USER_AGENT, category=NOTES, limit=SHARED_NOTES))
        return _told(app, hits)[:limit]

    def latest(category: str, limit: int | None) -> list[Hit]:
        hits = own.memories(agent, category, limit=limit, open_only=category == TASKS) if own else []
        if shared and category == NOTES:
            hits = latest_first([*hits, *shared.memories(USER_AGENT, NOTES, limit=limit)])
        return _told(app, hits)[:limit]

    return Source(
        command,
        query,
        search=found,
        latest=latest,
        tagged=lambda tag, limit: found("", None, limit, (tag,)),
        profile=lambda text: _spared(app, lambda: _facts(app, agent, text), []),
        linked=lambda hits: _linked(app, agent, hits) if own else hits,
        project=redact(_spared(app, app.shelf.project_text, "")).text if own else "",
        recovering=said,
        decisions=app.settings.count("context.decisions"),
        lessons=app.settings.count("context.lessons"),
        recalled_rows=app.settings.count("recall_injection.k"),
        recalled_chars=app.settings.count("recall_injection.preview_chars"),
        index_rows=app.settings.count("index.limit"),
        index_chars=app.settings.count("index.preview_chars"),
        found_rows={name: app.settings.count(f"{name}.recall_k") for name in ("lessons", "procedures")},
    )


def _told(app: App, hits: Iterable[Hit]) -> list[Hit]:
    """Leave out what comes from a channel that is switched off."""
    off = {name for name in SWITCHED if not app.settings.flag(f"{name}.enabled")}
    return [hit for hit in hits if hit.page.category not in off]


def _linked(app: App, agent: str, hits: Sequence[Hit]) -> list[Hit]:
    settings = app.settings
    if not settings.flag("links.enabled"):
        return list(hits)
    from agent_memory.recall.expand import expand

    depth, most = settings.count("links.expansion_depth"), settings.count("links.max_expanded")
    found = expand(app.index, hits, agent, depth=depth, most=most)
    return _told(app, [hit for hit in found if hit.page.category != "profile"])


def _facts(app: App, agent: str, text: str) -> list[Hit]:
    from agent_memory.app import profile  # a session's briefing has no facts, and no need of it

    return profile.told(app, agent, text)
