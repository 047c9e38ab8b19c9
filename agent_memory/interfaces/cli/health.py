"""Commands that look: how things stand, what is wrong and mends it, what it all comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli.output import Call, Command, call_of, confirmed, remark, snippet, whole

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.doctor import Finding


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {command.__name__: command for command in (verify, doctor, check, status, stats)}


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
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended, after copying what that touches.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fix: do not ask.")] = False,
) -> None:
    """Say what is wrong, where, and what mends it."""
    from agent_memory.app import checks
    from agent_memory.app import doctor as doctors

    call = call_of(context)
    with call.app() as app:
        if restore is not None:
            back = doctors.restore(app, whole(app, restore, gone=True))
            call.answer({"restored": back.id, "page": back.page.path}, f"{back.id} is back in {back.page.path}.")
            return
        if fix:
            _mend(call, app, yes=yes)
            return
        found = checks.examine(app)
    findings = found.findings
    serious = any(one.serious for one in findings)
    value = {"healthy": not serious, "findings": list(map(asdict, findings)), "checked": found.facts}
    call.answer(value, "\n".join(_finding_lines(findings)) or "All is well.")
    if serious:
        raise typer.Exit(1)


def _finding_lines(findings: Iterable[Finding]) -> list[str]:
    ordered = sorted(findings, key=lambda one: not one.serious)
    return [f"{'!' if one.serious else '-'} {one.where}: {one.what}\n    {one.mend}" for one in ordered]


def _mend(call: Call, app: App, *, yes: bool) -> None:
    from agent_memory.app import mending

    plan = mending.plan(app)
    for finding in plan:
        remark(f"    {finding.fix}: {finding.where}  {finding.what}")
    if plan and not yes and not confirmed("Copy what this touches, and mend it?", "--yes"):
        remark("Left as it is.")
        return
    done = mending.mend(app, plan)
    lines = [
        f"Mended {len(done.mended)}; copies are in {done.backup}." if done.mended else "Nothing that mends itself."
    ]
    value = {"mended": list(map(asdict, done.mended)), "backup": done.backup, "findings": list(map(asdict, done.left))}
    call.answer(value, "\n".join([*lines, *_finding_lines(done.left)]))
    if any(one.serious for one in done.left):
        raise typer.Exit(1)


def check(context: typer.Context) -> None:
    """Look at what is in git, for CI: health of the pages, secrets in them, size; end with 1 on findings."""
    from agent_memory.app import checks

    call = call_of(context)
    with call.app() as app:
        findings = checks.for_ci(app)
    value = {"healthy": not findings, "findings": list(map(asdict, findings))}
    call.answer(value, "\n".join(_finding_lines(findings)) or "All is well.")
    if findings:
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
    if found.paused_since:
        lines.append(f"Capture     paused since {found.paused_since}; what is said is not taken (agent-memory resume)")
    set_up = {path: state for path, state in found.editor_files.items() if state != "missing"}
    lines += [f"Editor      {path}: {state}" for path, state in set_up.items()]
    if not set_up:
        lines.append("Editor      not set up (agent-memory init)")
    for agent, counts in found.entries.items():
        held = ", ".join(f"{count} {category}" for category, count in counts.items())
        lines.append(f"Agent       {agent}: {held or 'no entries'}")
    lines += [f"Warning     {warning}" for warning in found.warnings]
    call.answer(asdict(found), "\n".join(lines))


def stats(context: typer.Context) -> None:
    """Show what the memory holds, what is told of it, what models cost, and how it hangs together."""
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
    held = _count_lines(asdict(found.memories))
    call.answer(asdict(found), "\n".join([*held, *asked, *_fabric_lines(asdict(found.fabric))]))


def _count_lines(held: dict[str, Any]) -> list[str]:
    from agent_memory.app.counting import chart

    lines = [f"{'Agent':11} {agent}: {_listed(counts)}" for agent, counts in held["active"].items()]
    months = held["by_month"]
    for category in sorted({category for counts in months.values() for category in counts}):
        numbers = [counts.get(category, 0) for counts in months.values()]
        lines.append(f"{category:11} |{chart(numbers)}|  {sum(numbers)}")
    if months:
        lines.append(f"{'':11} {min(months)} to {max(months)}")
    lines.append(f"{'Written by':11} {_listed(held['written_by']) or 'nobody yet'}")
    lines.append(f"{'Taken':11} {_listed(held['outcomes']) or 'nothing yet'}")
    for agent, sizes in held["briefings"].items():
        lines.append(f"{'Briefing':11} {agent}: {', '.join(f'{kind} {size} tokens' for kind, size in sizes.items())}")
    oldest = ", ".join(held["never_oldest"])
    never = f"{held['never']} never{f', the oldest {oldest}' if oldest else ''}"
    return [*lines, f"{'Recalled':11} {held['recalled']} notes, lessons and procedures; {never}"]


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items())


def _fabric_lines(fabric: dict[str, Any]) -> list[str]:
    last_run, last = fabric.pop("last_run"), fabric.pop("last")
    counted = ", ".join(f"{count} {what}" for what, count in fabric.items())
    came_to = ", ".join(f"{count} {what}" for what, count in (last or {}).items())
    ran = f"last at {last_run}: {came_to}" if last_run else "never ran"
    return [f"Fabric      {counted}", f"Consolidation {ran}"]
