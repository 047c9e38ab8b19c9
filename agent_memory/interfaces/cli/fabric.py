"""The fabric by hand: facts of the profile, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.care import forgetting_text, forgotten
from agent_memory.interfaces.cli.given import words
from agent_memory.interfaces.cli.output import Command, call_of, remark, snippet, warn_of, whole
from agent_memory.interfaces.cli.tending import Agent, Most, Query
from agent_memory.interfaces.cli.words import tr

Key = Annotated[str, typer.Argument(metavar="KEY", help="What it is about, as `editor`.")]
Tags = Annotated[str, typer.Option(metavar="A,B", help="Tags, with commas between.")]
ForUser = Annotated[bool, typer.Option("--user", help="In your own vault, for every workspace.")]
Scope = Annotated[
    Literal["project", "all"], typer.Option(help="This project's, or what holds for all projects as well.")
]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    profile = typer.Typer(help="Facts about you and your work.", rich_markup_mode=None)
    profile.command("set")(set_fact)
    profile.command("list")(list_facts)
    profile.command("history")(history)
    profile.command("remove")(remove_fact)
    notes = typer.Typer(help="Notes that are looked up on demand.", rich_markup_mode=None)
    notes.command("store")(store_note)
    notes.command("recall")(recall_notes)
    notes.command("forget")(forget_note)
    return {"profile": profile, "notes": notes}


def set_fact(
    context: typer.Context,
    key: Key,
    value: Annotated[list[str], typer.Argument(metavar="VALUE", help="What holds now.")],
    keywords: Annotated[
        str, typer.Option(metavar="A,B", help="Tell it only where one of these words comes up; default: always.")
    ] = "",
    since: Annotated[str | None, typer.Option("--from", metavar="DATE", help="Since when it holds; now.")] = None,
    user: ForUser = False,
    agent: Agent = None,
) -> None:
    """Set a fact; the value before it stays in its history."""
    from agent_memory.app import changes, profile
    from agent_memory.model.memory import Fact

    call = call_of(context)
    named = tuple(word for word in keywords.split(",") if word.strip())
    fact = Fact(key, " ".join(value), pinned=not named, keywords=named)
    with call.app() as app:
        kept = profile.set_fact(app, fact, for_user=user, agent=agent, since=changes.day(since))
    warn_of(kept.redactions)
    said = {
        "set": tr("Saved"),
        "unchanged": tr("Known already:"),
        "amended": tr("Changed when it is told:"),
        "blocked": tr("Left out"),
    }
    rows = [profile.fact_fields(kept.known)] if kept.known else []
    text = "\n".join(f"{said[kept.outcome]} {row['key']} = {snippet(row['value'])}  ({row['vault']})" for row in rows)
    call.answer({"outcome": kept.outcome, "fact": rows[0] if rows else None}, text + _where(kept.known))


def list_facts(
    context: typer.Context,
    as_of: Annotated[str | None, typer.Option(metavar="DATE", help="What held then.")] = None,
    known_at: Annotated[str | None, typer.Option(metavar="DATE", help="As far as it was recorded then.")] = None,
    agent: Agent = None,
) -> None:
    """List the facts that hold: * always told, ~ told where a keyword comes up."""
    from agent_memory.app import profile

    call = call_of(context)
    with call.app() as app:
        found = profile.listed(app, as_of=profile.moment(as_of), known_at=profile.moment(known_at), agent=agent)
    if found.whole_from is not None:
        told = (
            "What was recorded before {time} is not known in full: the journal was lost then, or facts came from "
            "another computer."
        )
        remark(tr(told, time=_time(found.whole_from)))
    rows = [profile.fact_fields(known) for known in found.facts]
    lines = [
        f"{'*' if row['pinned'] else '~'} {row['key']} = {snippet(row['value'])}{_marks(row)}  ({row['vault']})"
        for row in rows
    ]
    whole = found.whole_from.isoformat() if found.whole_from else None
    call.answer({"facts": rows, "whole_from": whole}, "\n".join(lines) or tr("No facts."), rows=True)


def _marks(row: dict[str, Any]) -> str:
    marks = f"  [{', '.join(row['keywords'])}]" if row["keywords"] else ""
    return marks if row["confirmed"] else f"{marks}  {tr('unconfirmed, not told')}"


def history(context: typer.Context, key: Key, agent: Agent = None) -> None:
    """Show every value that a key has or had, when it held and when it was recorded."""
    from agent_memory.app import profile

    call = call_of(context)
    with call.app() as app:
        found = profile.history(app, key, agent=agent)
    rows = [profile.fact_fields(known) for known in found]
    lines = [
        f"{_time(known.version.valid_from)} – {_time(known.version.valid_to)}  {snippet(row['value'])}"
        f"  ({tr('recorded {time}', time=_time(known.version.recorded_at))}, {row['by']}, {row['status']}, "
        f"{row['vault']})"
        for known, row in zip(found, rows, strict=True)
    ]
    call.answer({"key": rows[0]["key"], "versions": rows}, "\n".join(lines), rows=True)


def remove_fact(context: typer.Context, key: Key, user: ForUser = False, agent: Agent = None) -> None:
    """End a fact; its last value stays in its history, and `undo` brings it back."""
    from agent_memory.app import profile

    call = call_of(context)
    with call.app() as app:
        known = profile.remove(app, key, for_user=user, agent=agent)
    row = profile.fact_fields(known)
    facts = {"key": row["key"], "value": snippet(row["value"]), "vault": row["vault"]}
    text = tr("Removed {key}, which was {value}  ({vault}).", **facts)
    call.answer({"removed": row}, text + _where(known))


def store_note(
    context: typer.Context,
    text: Annotated[list[str] | None, typer.Argument(metavar="[TEXT]...", help="The words.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="PATH", help="A file with the words.")] = None,
    tags: Tags = "",
    scope: Scope = "project",
    agent: Agent = None,
) -> None:
    """Store a note, unless one says it already; the words may come on standard input."""
    from agent_memory.app import notes

    call = call_of(context)
    content = words(" ".join(text) if text else None, file)
    with call.app() as app:
        stored = notes.store(app, content, _parts(tags), scope=scope, agent=agent)
    warn_of(stored.redactions)
    links = [{"kind": kind, "id": entry} for kind, entry in stored.links]
    told = tr("Known already as {id}." if stored.outcome == "known" else "Stored {id}.", id=stored.id)
    told += "".join(f"\n  {link['kind']} {link['id']}" for link in links)
    call.answer({"outcome": stored.outcome, "id": stored.id, "links": links}, told)


def recall_notes(
    context: typer.Context,
    query: Query = None,
    entry_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", autocompletion=complete.ids, help="One note, in full.")
    ] = None,
    k: Most = None,
    tags: Tags = "",
    scope: Scope = "all",
    agent: Agent = None,
) -> None:
    """Find notes by words, by tags, which all must be there, or one by its id."""
    from agent_memory.app import notes

    call = call_of(context)
    text = " ".join(query or [])
    with call.app() as app:
        if entry_id is not None:
            found: Sequence[Any] = [notes.by_id(app, whole(app, entry_id), agent=agent)]
        else:
            found = notes.recall(app, text, k=k, tags=_parts(tags), scope=scope, agent=agent)
    rows = [notes.note_fields(one) for one in found]
    lines = [f"{row['id']}  {row['date'][:10]}{_hashed(row['tags'])}\n  {snippet(row['content'])}" for row in rows]
    shown = rows[0]["content"] if entry_id is not None else "\n".join(lines)
    call.answer({"query": text, "notes": rows}, shown or tr("No notes."), rows=entry_id is None)


def forget_note(
    context: typer.Context,
    entry_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids)],
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
    agent: Agent = None,
) -> None:
    """Remove a note and its words everywhere and for good."""
    from agent_memory.app import forget, notes

    call = call_of(context)
    with call.app() as app:
        runs = forget.words_of(app, notes.by_id(app, whole(app, entry_id), agent=agent).id, None)
        done = forgotten(app, runs, unasked=force)
    if done:
        value = {"forgotten": [memory.id for memory in done.removed], "kept": list(done.kept)}
        call.answer(value, forgetting_text(done, runs))


def _where(known: Any) -> str:
    """Say how to take back what was done in the user's own vault, which `undo` here would pass by."""
    is_away = known is not None and known.place == "user"
    told = "Your own vault; `agent-memory undo --dir '{folder}'` takes it back."
    return "\n  " + tr(told, folder=known.folder) if is_away else ""


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else tr("now")


def _hashed(tags: Iterable[str]) -> str:
    return "".join(f" #{tag}" for tag in tags)


def _parts(text: str) -> list[str]:
    return [part for part in text.split(",") if part.strip()]
