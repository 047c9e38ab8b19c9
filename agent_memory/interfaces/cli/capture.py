"""Commands that take conversations: ``process`` once, ``watch`` for ever."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Call, Command, Progress, call_of, remark
from agent_memory.interfaces.cli.words import tr

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.ingest import Options, Tally
    from agent_memory.app.reflected import Reflected
    from agent_memory.app.watch import Watch

Agent = Annotated[
    str | None,
    typer.Option("--agent", "-a", metavar="NAME", autocompletion=complete.agents, help="Whose pages to write."),
]
Transcripts = Annotated[
    Path | None, typer.Option("--transcripts-dir", metavar="PATH", help="Read this folder of transcripts.")
]
Workspace = Annotated[
    str | None, typer.Option("--workspace", metavar="PATH", help="The project's folder, if it is not this one.")
]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {"process": process, "watch": watch}


def process(
    context: typer.Context,
    agent: Agent = None,
    threshold: Annotated[
        float | None, typer.Option(metavar="MINUTES", help="Without a write for this long, a chat counts as idle.")
    ] = None,
    transcripts_dir: Transcripts = None,
    workspace: Workspace = None,
    source: Annotated[str | None, typer.Option(metavar="NAME", help="Read only this editor's chats.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Read everything again; nothing is taken twice.")] = False,
    reflect: Annotated[
        bool, typer.Option("--reflect", help="Then let a model reflect on the exchanges, after saying what it costs.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be found; write nothing.")] = False,
) -> None:
    """Take the backlog of conversations, once."""
    from datetime import timedelta

    from agent_memory.app import ingest, reflecting

    call = call_of(context)
    flags = {"process__threshold_min": threshold, "workspace__agent": agent}
    progress = Progress(tr("Reading conversations"))
    with call.app(workspace=workspace, **flags) as app:
        options = ingest.Options(
            agent=app.agent,
            idle_after=timedelta(minutes=app.settings.number("process.threshold_min")),
            transcripts=transcripts_dir,
            sources=ingest.sources_named(source),
            full=full,
            dry=dry_run,
        )
        if reflect:
            reflecting.check_model(app)
        try:
            tally = ingest.process(app, options, advance=progress.advance)
        finally:
            progress.close()
        reflected = _reflect(app, options) if reflect else None
    tell(call, tally, dry_run=dry_run, reflected=reflected)


def tell(call: Call, tally: Tally, *, dry_run: bool, reflected: Reflected | None = None) -> None:
    """Say what a run over conversations came to; end with 1 if one of them could not be read, or no model answers."""
    for trouble in [] if call.as_json else tally.errors:
        remark(f"{trouble.path}{f':{trouble.line}' if trouble.line else ''}: {trouble.message}")
    for alarm in [] if call.as_json else tally.alarms:
        remark(alarm.sentence)
    value, text = asdict(tally), _tally_text(tally, dry_run)
    if reflected is not None:
        value["reflection"], text = asdict(reflected), f"{text}\n{_reflected_text(reflected)}".rstrip()
    call.answer(value, text)
    if tally.failed or (reflected is not None and reflected.gave_up):
        raise typer.Exit(1)


def _reflect(app: App, options: Options) -> Reflected:
    """Say what reflecting would cost, and, unless this is a rehearsal, do it."""
    from agent_memory.app import reflecting
    from agent_memory.app.reflected import Reflected

    dues = reflecting.backlog(app, options)
    cost = reflecting.estimate(app, dues)
    counts = {"count": cost.calls + cost.recorded, "known": cost.recorded}
    price = tr(", at most {cost} by your prices", cost=f"{cost.cost:.4g}") if cost.cost else ""
    tokens = {"most": f"{cost.tokens:,}", "price": price, "left": f"{cost.tokens_left:,}"}
    remark(
        tr("To reflect on: {count} exchanges, {known} of them answered already.", **counts)
        + " "
        + tr("Tokens: {most} at most{price}; {left} left for today.", **tokens)
    )
    if options.dry:
        return Reflected(cost)
    progress = Progress(tr("Reflecting"))
    try:
        return reflecting.reflect(app, dues, cost, advance=progress.advance)
    finally:
        progress.close()


def _reflected_text(reflected: Reflected) -> str:
    parts = {
        tr("Reflected"): reflected.outcomes,
        tr("Stored of that"): reflected.stored,
        tr("Told of what stood"): reflected.refined,
        tr("Not stored"): {
            tr("said before"): reflected.duplicates,
            tr("facts without a profile"): reflected.facts,
        },
        tr("Not believed"): reflected.dropped,
    }
    counted = {title: {what: count for what, count in counts.items() if count} for title, counts in parts.items()}
    lines = [
        f"{title}: {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}."
        for title, counts in counted.items()
        if counts
    ]
    if reflected.gave_up:
        lines.append(tr("Given up after three failures in a row; what is left waits for the next time."))
    return "\n".join(lines)


def watch(
    context: typer.Context,
    agent: Agent = None,
    wait_for_transcripts: Annotated[
        bool, typer.Option("--wait-for-transcripts", help="Wait until the editor has written its first transcript.")
    ] = False,
    idle_timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Without a write for this long, a chat counts as idle.")
    ] = None,
    debounce: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="After a write, wait this long for more.")
    ] = None,
    transcripts_dir: Transcripts = None,
    workspace: Workspace = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what went wrong.")] = False,
) -> None:
    """Take conversations as they are written, until stopped."""
    from agent_memory.app import watch as watching

    call = call_of(context)
    flags = {"watch__idle_timeout_s": idle_timeout, "watch__debounce_s": debounce, "workspace__agent": agent}

    def report(tally: Tally) -> None:
        if not quiet:
            call.answer(asdict(tally), _tally_text(tally, dry=False))

    with call.app(workspace=workspace, **flags) as app:
        ended = watching.watch(
            app,
            transcripts=transcripts_dir,
            wait_for_transcripts=wait_for_transcripts,
            quiet=quiet,
            on_start=_end_with_the_terminal(os.getppid()),
            report=report,
        )
    if not quiet:
        remark(ended)


def _end_with_the_terminal(parent: int) -> Callable[[Watch], None]:
    """Return what makes a watcher end on a signal, and with its terminal and ``parent``, who started it."""
    # Whoever starts us with nohup wants us to outlive the terminal, and what ran in it.
    on_our_own = hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    names = ("SIGINT", "SIGTERM", "SIGBREAK", *(() if on_our_own else ("SIGHUP",)))

    def on_start(running: Watch) -> None:
        running.deserted = lambda: not on_our_own and os.getppid() != parent
        for name in names:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: running.stop())

    return on_start


def _tally_text(tally: Tally, dry: bool) -> str:
    if not tally.sessions_found and not tally.sessions_processed:
        return tr("No conversations found for this workspace.")
    names = ("decisions", "lessons", "tasks", "handoffs")
    found = ", ".join(f"{getattr(tally, name)} {tr(name)}" for name in names)
    took = "Would take {found} from {count} conversations." if dry else "Took {found} from {count} conversations."
    lines = [tr(took, found=found, count=tally.sessions_processed)]
    if tally.sessions_up_to_date:
        lines.append(tr("{count} conversations were up to date.", count=tally.sessions_up_to_date))
    asides = {
        tr("said before"): tally.duplicates,
        tr("secrets taken out"): tally.redactions,
        tr("lines skipped"): tally.skipped_lines,
    }
    lines += [f"{count} {what}." for what, count in asides.items() if count]
    return "\n".join(lines)
