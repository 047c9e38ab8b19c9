"""The briefing that packs what an agent needs for its next prompt, in full or only what is new to a session."""

from __future__ import annotations

from collections.abc import Sequence, Set

from agent_memory.app.container import App
from agent_memory.app.names import check_agent
from agent_memory.context.build import build
from agent_memory.context.counting import COUNTERS
from agent_memory.context.sections import Message, Source
from agent_memory.model.briefing import Briefing, Kind
from agent_memory.model.recall import Hit, Query
from agent_memory.recall.engine import recall
from agent_memory.redaction import redact


def brief(  # noqa: PLR0913 (of what, and of which size)
    app: App,
    agent: str,
    command: str,
    kind: Kind = "session",
    *,
    max_tokens: int | None = None,
    recovering: Sequence[Message] | None = None,
    shown: Set[str] = frozenset(),
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
        shown: Digests of what the reader has seen already, as ``Briefing.digests`` gave them.

    Raises:
        UnknownAgent: It has no pages and is not the workspace's own.
        UsageError: The budget is too small for any briefing.
    """
    check_agent(app, agent)
    if recovering is None:
        recovering = _left_off(app, agent) if kind == "session" else ()
    return build(
        agent,
        _source(app, agent, command, recovering),
        kind,
        max_tokens=app.settings.count("context.max_tokens") if max_tokens is None else max_tokens,
        counter=COUNTERS[app.settings.text("context.counter")],
        shown=shown,
    )


def brief_fresh(app: App, agent: str, command: str, kind: Kind, *, session: str, compacted: bool = False) -> Briefing:
    """Brief what ``session`` has not been shown yet, and remember it as shown.

    Args:
        app: The product.
        agent: Whose briefing.
        command: What the agent is asked to do; may be empty.
        kind: For the start of a chat, or for one prompt.
        session: The host's id of the chat.
        compacted: The host has emptied the chat's context, so that everything is new again.
    """
    if compacted:
        app.state.shown.clear(session)
    briefing = brief(app, agent, command, kind, shown=app.state.shown.of(session))
    app.state.shown.add(session, briefing.digests, app.clock.now())
    return briefing


def _left_off(app: App, agent: str) -> list[Message]:
    if not (app.folder.checkpoints / f"{agent}.json").exists():
        return []
    from agent_memory.app import sessions  # dear to load, and most briefings recover nothing

    return [(message["role"], message["text"]) for message in sessions.recovering(app, agent)]


def _source(app: App, agent: str, command: str, recovering: Sequence[Message]) -> Source:
    """Return where a briefing comes from: the mirror, the project's page, and what the settings allow."""
    said = [(role, redact(text).text) for role, text in recovering]
    if not app.folder.root.exists():
        return Source(command, recovering=said)
    mirror = app.mirror

    def found(text: str, category: str | None, limit: int) -> list[Hit]:
        return recall(mirror, Query(text, agent=agent, category=category, limit=limit))

    return Source(
        command,
        search=found,
        latest=lambda category, limit: mirror.memories(agent, category, limit=limit),
        tagged=lambda tag, limit: found(f"tag:{tag}", None, limit),
        project=redact(app.shelf.project_text()).text,
        recovering=said,
        decisions=app.settings.count("context.decisions"),
        lessons=app.settings.count("context.lessons"),
    )
