"""Commands of care: what was done and can be taken back, what is to be forgotten, upkeep."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Command, call_of, confirmed, patience, remark, snippet, whole
from agent_memory.interfaces.cli.words import told, tr

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.forget import Forgetting, Words


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {command.__name__: command for command in (changes, undo, forget, compact)}


def changes(
    context: typer.Context,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only from this day on, as 2026-03-16.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, help="How many runs at most.")] = 20,
) -> None:
    """List what was done to the vault and why, by conversation, newest first."""
    from agent_memory.app import changes as history

    call = call_of(context)
    with call.app() as app:
        runs = history.changes(app, since=history.day(since), limit=limit)
    lines = []
    for conversation, listed in history.by_conversation(runs).items():
        lines.append(conversation or tr("By hand, and upkeep"))
        for run, change in listed:
            undone = "  " + tr("(undone)") if run.undone else ""
            lines.append(f"  {run.at:%Y-%m-%d %H:%M}  {change.op:8} {change.page} {change.id}  {change.snippet}")
            did = tr("{verb}, run {run}", verb=run.verb, run=run.run)
            lines.append(f"      {did}{undone}: {told(change.reason)}")
    rows = [{**asdict(run), "at": run.at.isoformat()} for run in runs]
    call.answer({"runs": rows}, "\n".join(lines) or tr("No changes."), rows=True)


def undo(
    context: typer.Context,
    target: Annotated[
        str | None,
        typer.Argument(metavar="[ID|RUN]", autocompletion=complete.ids, help="An entry, or a run; default: the last."),
    ] = None,
) -> None:
    """Take changes back; what was changed again since stays, and is named."""
    from agent_memory.app import changes as history

    call = call_of(context)
    with call.app() as app:
        undone = history.undo(app, whole(app, target, gone=True) if target else None)
    count = len(undone.entries)
    one, more = "Took back {count} change of {run}.", "Took back {count} changes of {run}."
    text = tr(one if count == 1 else more, count=count, run=undone.run)
    if undone.kept:
        text += "\n" + tr("Left as they are, since they have changed again: {kept}.", kept=", ".join(undone.kept))
    call.answer(asdict(undone), text)


def forget(
    context: typer.Context,
    entry_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", autocompletion=complete.ids, help="An entry.")
    ] = None,
    match: Annotated[str | None, typer.Option("--match", metavar="TEXT", help="Whatever has these words.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed; change nothing.")] = False,
) -> None:
    """Remove words everywhere and for good; what a person wrote is named and left."""
    from agent_memory.app import forget as forgetting

    call = call_of(context)
    with call.app() as app:
        words = forgetting.words_of(app, whole(app, entry_id) if entry_id else None, match)
        done = forgetting.preview(app, words) if dry_run else forgotten(app, words, unasked=force)
    if done is None:
        return
    value = {
        "removed": [memory.id for memory in done.removed],
        "trimmed": [memory.id for memory, _ in done.trimmed],
        "kept": list(done.kept),
    }
    call.answer(value, forgetting_text(done, words, done=not dry_run))


def forgotten(app: App, words: Words, *, unasked: bool, flag: str = "--force") -> Forgetting | None:
    """Forget words, once a person who has seen what that does says yes; None if none does.

    Raises:
        UsageError: Nobody is there to be asked.
    """
    from agent_memory.app import forget as forgetting

    if not unasked:
        remark(forgetting_text(forgetting.preview(app, words), words, done=False))
        if not confirmed(tr("Forget this? It cannot be undone."), flag):
            remark(tr("Left as it is."))
            return None
    return forgetting.forget(app, words)


def forgetting_text(found: Forgetting, words: Words, *, done: bool = True) -> str:
    """Say what goes, or went, and of what was not named that it goes for words that it shares."""
    would = "Would remove {removed} entries; {trimmed} would lose lines. Their words are not taken again."
    did = "Removed {removed} entries; {trimmed} lost lines. Their words are not taken again."
    lines = [tr(did if done else would, removed=len(found.removed), trimmed=len(found.trimmed))]
    for memory in found.removed:
        shares = f"{tr('(shares words)')}  " if words.entries and memory.id not in words.entries else ""
        lines.append(f"    {memory.page.path} {memory.id}  {shares}{snippet(memory.body)}")
    lines += [f"    {memory.page.path} {memory.id}  {tr('(some lines)')}" for memory, _ in found.trimmed]
    lines += [tr("Yours, and left as it is: {place}", place=place) for place in found.kept]
    return "\n".join([*lines, tr("Your editor still has the conversation itself, and git what was committed.")])


def compact(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")] = False,
) -> None:
    """Shorten conversations and pages, remove what is expired or twice, check the mirror; no word is lost."""
    from agent_memory.app import maintain

    call = call_of(context)
    with call.app() as app, patience(tr("Compacting")):
        done = maintain.compact(app, dry_run=dry_run, legacy=True)
    for trouble in [] if call.as_json else done.troubles:
        remark(f"{trouble.path}: {trouble.message}")
    counts = {
        tr("expired checkpoints"): done.checkpoints_cleaned,
        tr("conversations trimmed"): done.conversations_trimmed,
        tr("entries moved to the archive"): done.vault_entries_merged,
        tr("legacy files removed"): done.legacy_files_cleaned,
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or tr("nothing to do")
    lines = [f"{tr('Would be: ') if dry_run else ''}{said}.", *(f"    {line}" for line in done.plan)]
    if done.index_rebuilt:
        lines.append(tr("The mirror differed from the pages and was rebuilt."))
    call.answer(asdict(done), "\n".join(lines))
    if done.troubles:
        raise typer.Exit(1)
