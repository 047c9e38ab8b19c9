"""Commands of moving: from flat notes, from the npm package, from conversations elsewhere; and to other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agent_memory.interfaces.cli.capture import Agent, Transcripts, Workspace, tell
from agent_memory.interfaces.cli.output import Call, Command, Progress, call_of, patience
from agent_memory.interfaces.cli.words import tr

if TYPE_CHECKING:
    from agent_memory.app.tally import Report, Row

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]

SHOWN: Final = 5


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    taking = typer.Typer(help="Take in what other programs have.", rich_markup_mode=None)
    taking.command("npm")(import_npm)
    taking.command("conversations")(import_conversations)
    giving = typer.Typer(help="Give the memory to other programs.", rich_markup_mode=None)
    giving.command("obsidian")(export_obsidian)
    giving.command("json")(export_json)
    return {"migrate": migrate, "import": taking, "export": giving}


def migrate(context: typer.Context, dry_run: DryRun = False) -> None:
    """Turn flat notes, one <Agent>.md for everything, into pages; the notes are kept as .bak."""
    from agent_memory.app import migrate as migrating

    call = call_of(context)
    with call.app() as app, patience(tr("Moving in")):
        report = migrating.migrate(app, dry=dry_run)
    _answer(call, report, dry=dry_run)


def import_npm(
    context: typer.Context, transcripts_dir: Transcripts = None, workspace: Workspace = None, dry_run: DryRun = False
) -> None:
    """Take over a memory folder of the npm package: entries stay, nothing is extracted again."""
    from agent_memory.app import npm

    call = call_of(context)
    with call.app(workspace=workspace) as app, patience(tr("Moving in")):
        report = npm.import_npm(app, dry=dry_run, transcripts=transcripts_dir)
    _answer(call, report, dry=dry_run)


def import_conversations(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Conversations, or folders of them.")],
    agent: Agent = None,
    dry_run: DryRun = False,
) -> None:
    """Take conversations that lie elsewhere; what was taken already is not taken again."""
    from agent_memory.app import ingest

    call = call_of(context)
    progress = Progress(tr("Reading conversations"))
    with call.app(workspace__agent=agent) as app:
        options = ingest.Options(app.agent, timedelta(0), dry=dry_run, verb="import conversations")
        try:
            tally = ingest.import_conversations(app, options, paths, advance=progress.advance)
        finally:
            progress.close()
    tell(call, tally, dry_run=dry_run)


def export_obsidian(
    context: typer.Context, path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder for the notes.")]
) -> None:
    """Write a note for each memory; only what has changed is written, and only own notes are deleted."""
    from agent_memory.app import export

    call = call_of(context)
    with call.app() as app, patience(tr("Writing notes")):
        done = export.obsidian(app, path)
    counts = {"written": len(done.taken), "same": done.unchanged, "deleted": len(done.pruned)}
    lines = [tr("{written} notes written, {same} as they were, {deleted} deleted.", **counts)]
    call.answer(asdict(done), "\n".join([*lines, *_left(done.skipped)]))


def export_json(
    context: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="The file; without it, standard output.")
    ] = None,
) -> None:
    """Give out everything as JSON."""
    from agent_memory.app import export

    call = call_of(context)
    with call.app() as app:
        if path is None:
            whole = export.as_json(app)
            call.answer(whole, json.dumps(whole, ensure_ascii=False, indent=2))
            return
        changed = export.write_json(app, path)
    told = tr("Wrote {path}.", path=path) if changed else tr("{path} is as it should be.", path=path)
    call.answer({"path": str(path), "changed": changed}, told)


def _answer(call: Call, report: Report, *, dry: bool) -> None:
    took = "Would take {what}: {why}." if dry else "Took {what}: {why}."
    lines = [tr(took, what=row.what, why=row.why.rstrip(".")) for row in report.taken]
    text = "\n".join([*lines, *_left(report.skipped)]) or tr("There was nothing to do.")
    call.answer({**asdict(report), "dry_run": dry}, text)


def _left(skipped: list[Row]) -> list[str]:
    """Return a line for each reason, with the first of those that it holds for."""
    lines = []
    for why, rows in groupby(sorted(skipped, key=lambda row: row.why), key=lambda row: row.why):
        names = [row.what for row in rows]
        more = " " + tr("and {count} more", count=len(names) - SHOWN) if len(names) > SHOWN else ""
        told = {"names": ", ".join(names[:SHOWN]) + more, "why": why.rstrip(".")}
        lines.append(tr("Left {names}: {why}.", **told))
    return lines
