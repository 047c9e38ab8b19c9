"""Commands of trust and care: what was done and can be taken back, what is wrong, what is to be forgotten."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from agent_memory.interfaces.cli.output import Command, call_of, confirmed, remark, snippet, whole


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    named = (changes, undo, forget, verify, doctor, compact, status, stats)
    return {command.__name__: command for command in named}


def changes(
    context: typer.Context,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only from this day on, as 2026-03-16.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, help="How many runs at most.")] = 20,
) -> None:
    """List what was done to the vault, newest first."""
    from agent_memory.app import changes as history

    call = call_of(context)
    with call.app() as app:
        runs = history.changes(app, since=history.day(since), limit=limit)
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
    from agent_memory.app import changes as history

    call = call_of(context)
    with call.app() as app:
        undone = history.undo(app, whole(app, target, gone=True) if target else None)
    count = len(undone.entries)
    text = f"Took back {count} {'change' if count == 1 else 'changes'} of {undone.run}."
    if undone.kept:
        text += f"\nLeft as they are, since they have changed again: {', '.join(undone.kept)}."
    call.answer(asdict(undone), text)


def forget(
    context: typer.Context,
    entry_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="An entry.")] = None,
    match: Annotated[str | None, typer.Option("--match", metavar="TEXT", help="Whatever has these words.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
) -> None:
    """Remove words everywhere and for good; what a person wrote is named and left."""
    from agent_memory.app import forget as forgetting

    call = call_of(context)
    with call.app() as app:
        words = forgetting.words_of(app, whole(app, entry_id) if entry_id else None, match)
        done = forgetting.preview(app, words)
        if not force:
            remark(_forgetting_text(done, "Would remove", "would lose"))
            if not confirmed("Forget this? It cannot be undone."):
                remark("Left as it is.")
                return
        done = forgetting.forget(app, words)
    value = {
        "removed": [memory.id for memory in done.removed],
        "trimmed": [memory.id for memory, _ in done.trimmed],
        "kept": list(done.kept),
    }
    call.answer(value, _forgetting_text(done, "Removed", "lost"))


def _forgetting_text(done: Any, removed: str, lost: str) -> str:
    lines = [
        f"{removed} {len(done.removed)} entries; {len(done.trimmed)} {lost} lines. Their words are not taken again."
    ]
    lines += [f"    {memory.page.path} {memory.id}  {snippet(memory.body)}" for memory in done.removed]
    lines += [f"    {memory.page.path} {memory.id}  (some lines)" for memory, _ in done.trimmed]
    lines += [f"Yours, and left as it is: {place}" for place in done.kept]
    return "\n".join([*lines, "Your editor still has the conversation itself, and git what was committed."])


def verify(context: typer.Context) -> None:
    """Check where each memory came from against its conversation, while that exists."""
    from agent_memory.app import verify as verifying

    call = call_of(context)
    with call.app() as app:
        checked = verifying.verify(app)
    counts = {finding: sum(one.finding == finding for one in checked) for finding in ("verified", "changed", "gone")}
    changed = [one.memory for one in checked if one.finding == "changed"]
    lines = [f"{counts['verified']} verified, {counts['changed']} changed, {counts['gone']} gone."]
    lines += [f"    changed: {memory.page.path} {memory.id}  {snippet(memory.body)}" for memory in changed]
    rows = [{"id": one.memory.id, "page": one.memory.page.path, "finding": one.finding} for one in checked]
    call.answer({**counts, "entries": rows}, "\n".join(lines))


def doctor(
    context: typer.Context,
    restore: Annotated[
        str | None, typer.Option("--restore", metavar="ID", help="Put an entry back that is in no page any more.")
    ] = None,
) -> None:
    """Say what is wrong, where, and what mends it."""
    from agent_memory.app import doctor as doctors
    from agent_memory.app import hooks

    call = call_of(context)
    with call.app() as app:
        if restore is not None:
            back = doctors.restore(app, whole(app, restore, gone=True))
            call.answer({"restored": back.id, "page": back.page.path}, f"{back.id} is back in {back.page.path}.")
            return
        findings, answered = doctors.examine(app), hooks.last_of_each(app)
    lines = [
        f"{'!' if one.serious else '-'} {one.where}: {one.what}\n    {one.mend}"
        for one in sorted(findings, key=lambda one: not one.serious)
    ]
    serious = any(one.serious for one in findings)
    told = [f"Hook {event} last answered: {sentence}." for event, sentence in answered.items()]
    found = {"healthy": not serious, "findings": list(map(asdict, findings)), "hooks": answered}
    call.answer(found, "\n".join([*(lines or ["All is well."]), *told]))
    if serious:
        raise typer.Exit(1)


def compact(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")] = False,
) -> None:
    """Shorten conversations and pages, remove what is expired or twice, check the mirror; no word is lost."""
    from agent_memory.app import maintain

    call = call_of(context)
    with call.app() as app:
        done = maintain.compact(app, dry_run=dry_run, legacy=True)
    for trouble in [] if call.as_json else done.troubles:
        remark(f"{trouble.path}: {trouble.message}")
    counts = {
        "expired checkpoints": done.checkpoints_cleaned,
        "conversations trimmed": done.conversations_trimmed,
        "entries moved to the archive": done.vault_entries_merged,
        "legacy files removed": done.legacy_files_cleaned,
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing to do"
    lines = [f"{'Would be: ' if dry_run else ''}{said}.", *(f"    {line}" for line in done.plan)]
    if done.index_rebuilt:
        lines.append("The mirror differed from the pages and was rebuilt.")
    call.answer(asdict(done), "\n".join(lines))
    if done.troubles:
        raise typer.Exit(1)


def status(context: typer.Context) -> None:
    """Show what is set up and how things stand."""
    from agent_memory.app import status as standing

    call = call_of(context)
    with call.app() as app:
        found = standing.status(app)
    lines = [
        f"Memory      {found.memory_folder}{'' if found.exists else '  (not there yet)'}",
        f"Workspace   {found.workspace}",
        f"Transcripts {', '.join(found.transcript_folders) or 'none found yet'}",
        f"Chats       {found.conversations_found} found, {found.conversations_taken} taken",
        f"Watcher     {found.watcher or 'not running'}",
    ]
    set_up = any(state != "missing" for state in found.editor_files.values())
    lines += [f"Editor      {path}: {state}" for path, state in found.editor_files.items() if set_up]
    if not set_up:
        lines.append("Editor      not set up (agent-memory init)")
    for agent, counts in found.entries.items():
        held = ", ".join(f"{count} {category}" for category, count in counts.items())
        lines.append(f"Agent       {agent}: {held or 'no entries'}")
    lines += [f"Warning     {warning}" for warning in found.warnings]
    call.answer(asdict(found), "\n".join(lines))


def stats(context: typer.Context) -> None:
    """Show what models were asked and what it cost, and how the memory hangs together."""
    from agent_memory.app import stats as counting

    call = call_of(context)
    with call.app() as app:
        found = counting.stats(app)
    lines = [f"Today       {found.tokens_today:,} of {found.daily_token_cap:,} tokens"]
    for purpose, one in found.purposes.items():
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in one.outcomes.items())
        lines.append(f"{purpose:11} {outcomes}")
        lines.append(f"{'':11} {one.prompt_tokens:,} tokens sent, {one.reply_tokens:,} received, cost {one.cost:.4g}")
        if one.answers:
            lines.append(
                f"{'':11} half of the answers within {one.median_s:.1f} s, nearly all within {one.p95_s:.1f} s"
            )
        if one.failures_in_a_row:
            lines.append(f"{'':11} the last {one.failures_in_a_row} calls failed")
    asked = lines if found.purposes else ["No model was ever asked."]
    call.answer(asdict(found), "\n".join([*asked, *_fabric_lines(asdict(found.fabric))]))


def _fabric_lines(fabric: dict[str, Any]) -> list[str]:
    last_run, last = fabric.pop("last_run"), fabric.pop("last")
    counted = ", ".join(f"{count} {what}" for what, count in fabric.items())
    came_to = ", ".join(f"{count} {what}" for what, count in (last or {}).items())
    ran = f"last at {last_run}: {came_to}" if last_run else "never ran"
    return [f"Fabric      {counted}", f"Consolidation {ran}"]
