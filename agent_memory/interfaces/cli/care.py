"""Commands of trust and care: ``changes``, ``undo``, ``compact``, ``status``, ``config show``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from agent_memory.interfaces.cli.output import Command, call_of


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    config = typer.Typer(help="Settings.", rich_markup_mode=None)
    config.callback()(lambda: None)
    config.command("show")(config_show)
    return {"changes": changes, "undo": undo, "compact": compact, "status": status, "config": config}


def changes(
    context: typer.Context,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only from this day on, as 2026-03-16.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, help="How many runs at most.")] = 20,
) -> None:
    """List what was done to the vault, newest first."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        runs = vault.changes(app, since=vault.day(since), limit=limit)
    lines = []
    for run in runs:
        undone = "  (undone)" if run.undone else ""
        lines.append(f"{run.run}  {run.at:%Y-%m-%d %H:%M}  {run.verb}{undone}")
        lines += [f"    {change.op:8} {change.page} {change.id}  {change.snippet}" for change in run.changes]
    call.answer({"runs": [_run_json(run) for run in runs]}, "\n".join(lines) or "No changes.")


def _run_json(run: Any) -> dict[str, Any]:
    return {**asdict(run), "at": run.at.isoformat()}


def undo(
    context: typer.Context,
    target: Annotated[
        str | None, typer.Argument(metavar="[ID|RUN]", help="An entry, or a run; default: the last.")
    ] = None,
) -> None:
    """Take changes back; what was changed again since stays, and is named."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        undone = vault.undo(app, target)
    text = f"Took back {len(undone.entries)} changes of {undone.run}."
    if undone.kept:
        text += f"\nLeft as they are, since they have changed again: {', '.join(undone.kept)}."
    call.answer(asdict(undone), text)


def compact(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")] = False,
) -> None:
    """Move what is old to the archive, drop expired checkpoints, check the mirror."""
    from agent_memory.app import maintain

    call = call_of(context)
    with call.app() as app:
        result = maintain.compact(app, dry_run=dry_run)
    would = "would be " if dry_run else ""
    text = (
        f"{result.entries_archived} entries {would}moved to the archive, "
        f"{result.checkpoints_expired} expired checkpoints {would}removed."
    )
    if result.moves_finished:
        text += f"\n{result.moves_finished} interrupted moves {would}finished."
    if result.mirror_repaired:
        text += "\nThe mirror differed from the pages and was rebuilt."
    call.answer(asdict(result), text)


def status(context: typer.Context) -> None:
    """Show what is set up and how things stand."""
    from agent_memory.app import maintain

    call = call_of(context)
    with call.app() as app:
        found = maintain.status(app)
    lines = [
        f"Memory      {found.memory_folder}{'' if found.exists else '  (not there yet)'}",
        f"Workspace   {found.workspace}",
        f"Transcripts {', '.join(found.transcript_folders) or 'none found yet'}",
        f"Chats       {found.conversations_found} found, {found.conversations_taken} taken",
        f"Watcher     {found.watcher or 'not running'}",
    ]
    for agent, counts in found.entries.items():
        held = ", ".join(f"{count} {category}" for category, count in counts.items())
        lines.append(f"Agent       {agent}: {held or 'no entries'}")
    lines += [f"Warning     {warning}" for warning in found.warnings]
    call.answer(asdict(found), "\n".join(lines))


def config_show(context: typer.Context) -> None:
    """List every setting, its value, and where the value comes from."""
    call = call_of(context)
    with call.app() as app:
        rows = {key: {"value": found.value, "source": found.source} for key, found in app.settings.items()}
    width = max(len(key) for key in rows)
    text = "\n".join(f"{key:{width}}  {row['value']!s:10}  {row['source']}" for key, row in rows.items())
    call.answer({"settings": rows}, text)
