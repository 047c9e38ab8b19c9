"""Commands of trust: what is never taken, and what is taken out of everything."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from agent_memory.interfaces.cli.care import forgetting_text, forgotten
from agent_memory.interfaces.cli.given import piped
from agent_memory.interfaces.cli.output import Command, Progress, call_of, remark
from agent_memory.interfaces.cli.words import told, tr

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.excluding import Excluded


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {"pause": pause, "resume": resume, "exclude": exclude, "purge-secret": purge_secret}


def pause(context: typer.Context) -> None:
    """Take nothing of what is said from now on, until resume."""
    from agent_memory.app import pause as pausing

    call = call_of(context)
    with call.app() as app:
        since = pausing.pause(app)
    told = "Paused since {time} UTC. What is said is not taken, not later either."
    lines = [tr(told, time=f"{since:%Y-%m-%d %H:%M}"), tr("agent-memory resume ends it.")]
    call.answer({"paused_since": since.isoformat(timespec="seconds")}, "\n".join(lines))


def resume(context: typer.Context) -> None:
    """Go on taking what is said; what was said in the pause is passed over for good."""
    from agent_memory.app import pause as pausing

    call, progress = call_of(context), Progress(tr("Passing over what was said"))
    with call.app() as app:
        try:
            tally = pausing.resume(app, advance=progress.advance)
        finally:
            progress.close()
    troubles = [] if tally is None else [one for one in tally.errors if one.line is None]
    for trouble in [] if call.as_json else troubles:
        remark(f"{trouble.path}: {trouble.message} " + tr("If it was written to in the pause, exclude it."))
    text = tr("Nothing was paused." if tally is None else "Going on. What was said in the pause is passed over.")
    call.answer({"resumed": tally is not None, "unread": [trouble.path for trouble in troubles]}, text)
    if troubles:
        raise typer.Exit(1)


def exclude(
    context: typer.Context,
    pattern: Annotated[
        str | None, typer.Argument(metavar="[PATTERN]", help="An id, a path or a title; * stands for anything.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the pattern away again.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Forget what was taken before, without asking.")] = False,
) -> None:
    """Never take the conversations that fit a pattern, or list the patterns."""
    from agent_memory.app import excluding

    call, gone = call_of(context), None
    with call.app() as app:
        if pattern is None:
            done = excluding.Excluded(excluding.Exclusions.of(app).patterns)
        else:
            done = (excluding.include if remove else excluding.exclude)(app, pattern)
        if done.memories:
            gone = _forgotten(app, [memory.id for memory in done.memories], unasked=forget)
    value = {
        "patterns": list(done.patterns),
        "conversations": list(done.conversations),
        "taken": [memory.id for memory in done.memories],
        "forgotten": gone is not None,
    }
    call.answer(value, _excluded_text(done, pattern, gone))


def _forgotten(app: App, entries: list[str], *, unasked: bool) -> str | None:
    """Forget entries and say what went; None where nobody is there to say yes, or somebody says no."""
    from agent_memory.app.forget import words_of_all
    from agent_memory.errors import UsageError

    words = words_of_all(app, entries)
    if not unasked:
        remark(tr("{count} entries were taken from it before:", count=len(entries)))
    try:
        done = forgotten(app, words, unasked=unasked, flag="--forget")
    except UsageError:
        return None
    return forgetting_text(done, words) if done else None


def _excluded_text(done: Excluded, pattern: str | None, gone: str | None) -> str:
    if pattern is None:
        return "\n".join(done.patterns) or tr("Nothing is excluded.")
    counts = {"patterns": len(done.patterns), "chats": len(done.conversations)}
    lines = [tr("{patterns} patterns; {chats} conversations fit this one.", **counts)]
    if done.memories:
        left = "{count} entries that were taken from it stay: agent-memory forget ID, or exclude again with --forget."
        lines.append(gone or tr(left, count=len(done.memories)))
    return "\n".join(lines)


def purge_secret(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say where it stands; change nothing.")] = False,
) -> None:
    """Take a secret, given on standard input or typed unseen, out of everything, and prove that it is gone."""
    from agent_memory.app import purge as purging

    call, secret = call_of(context), _secret()
    with call.app() as app:
        done = purging.look(app, secret) if dry_run else purging.purge(app, secret)
    places = [f"    {place}" for place in done.found]
    stood = "It stands in {count} files." if dry_run else "It stood in {count} files."
    lines = [tr(stood, count=len(done.found)), *places]
    if not dry_run:
        scanned = {"files": done.files, "bytes": f"{done.bytes:,}", "forms": done.forms, "left": len(done.left)}
        none = "Looked again at {files} files, {bytes} bytes, in {forms} encodings: nowhere."
        some = "Looked again at {files} files, {bytes} bytes, in {forms} encodings: LEFT in {left}."
        lines.append(tr(some if done.left else none, **scanned))
        lines += [f"    {place}" for place in done.left]
    lines += [tr("Beyond reach: {what}", what=told(sentence)) for sentence in done.beyond]
    call.answer(asdict(done), "\n".join(lines))
    if done.left and not dry_run:
        raise typer.Exit(1)


def _secret() -> str:
    """Return what is piped in or typed unseen: a command line stays in a shell's history."""
    if sys.stdin.isatty():
        return str(typer.prompt(tr("The secret"), hide_input=True, err=True))
    return piped().strip("\r\n")
