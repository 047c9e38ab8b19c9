"""Commands for programs that host chats: what comes in and goes out is JSON, in the format of their files."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.given import piped
from agent_memory.interfaces.cli.output import Command, call_of, remark
from agent_memory.interfaces.cli.words import tr

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.sessions import Chat

Agent = Annotated[
    str | None, typer.Option("--agent", "-a", metavar="NAME", autocompletion=complete.agents, help="Whose session.")
]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    session = typer.Typer(help="Sessions of a host: JSON on standard input, JSON out.", rich_markup_mode=None)
    session.callback()(lambda: None)
    for command in (checkpoint, recover, sleep):
        session.command(command.__name__)(command)
    return {"session": session, "sync-checkpoints": sync_checkpoints}


def checkpoint(context: typer.Context, agent: Agent = None) -> None:
    """Save the newest messages of ``{"messages", "chatId"?, "modelId"?}``, so that they can be recovered."""
    from agent_memory.app import sessions

    call = call_of(context)
    with call.app() as app:
        given = _given()
        saved = sessions.checkpoint(app, _chat(app, given, agent))
    value = {"agent": saved.agent, "saved_at": saved.saved_at.isoformat(), "messages": len(saved.messages)}
    call.answer(value, json.dumps(value, ensure_ascii=False))


def recover(context: typer.Context, agent: Agent = None) -> None:
    """Print the last checkpoint as it was saved, or ``null`` where there is none or it has expired."""
    from agent_memory.app import sessions

    call = call_of(context)
    with call.app() as app:
        text = sessions.as_json(sessions.recover(app, agent or app.agent))
    call.answer(json.loads(text), text)


def sleep(context: typer.Context, agent: Agent = None) -> None:
    """End a session, given as for ``checkpoint`` and whole: take what was said, write its handoff, save it.

    A ``summary`` given with it stands as the handoff.
    """
    from agent_memory.app import sleep as ending

    call = call_of(context)
    with call.app() as app:
        given = _given()
        chat, summary = _chat(app, given, agent), given.get("summary")
        tally = ending.sleep(app, chat, summary if isinstance(summary, str) else "")
    value = {
        "agent": chat.agent,
        **{name: getattr(tally, name) for name in ("turns", "decisions", "lessons", "tasks", "handoffs")},
        "errors": [trouble.message for trouble in tally.errors],
    }
    call.answer(value, json.dumps(value, ensure_ascii=False))
    if tally.failed:
        raise typer.Exit(1)


def sync_checkpoints(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Overwrite checkpoints that are newer, too.")] = False,
) -> None:
    """Save the chats in conversations/ as checkpoints, where these are older."""
    from agent_memory.app import sessions

    call = call_of(context)
    with call.app() as app:
        done = sessions.sync_checkpoints(app, force=force)
    lines = [
        f"{what}: {', '.join(agents)}"
        for what, agents in ((tr("Saved"), done.synced), (tr("Up to date"), done.skipped))
        if agents
    ]
    errors = [{"agent": agent, "error": error} for agent, error in done.errors]
    for agent, error in [] if call.as_json else done.errors:
        remark(f"{agent}: {error}")
    value = {"synced": done.synced, "skipped": done.skipped, "errors": errors}
    call.answer(value, "\n".join(lines) or tr("There are no conversations."))
    if errors:
        raise typer.Exit(1)


def _given() -> dict[str, Any]:
    """Return the object that a host gives on standard input; a bare list stands for its messages."""
    from agent_memory.errors import UsageError

    hint = 'Give {"messages": [{"role": "user", "text": "…"}, …]}.'
    if sys.stdin.isatty():
        raise UsageError("There is no session on standard input.", hint=hint)
    try:
        value = json.loads(piped().removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Standard input is not JSON: {error}.", hint=hint) from error
    if isinstance(value, list):
        return {"messages": value}
    if not isinstance(value, dict):
        raise UsageError("Standard input has no session.", hint=hint)
    return value


def _chat(app: App, given: dict[str, Any], agent: str | None) -> Chat:
    from agent_memory.app import sessions

    whose = agent or sessions.name_of(given.get("agentId")) or app.agent
    return sessions.chat(whose, given.get("messages"), given.get("chatId"), given.get("modelId"))
