"""Commands that look: how things stand, what is wrong and mends it, what it all comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Call, Command, call_of, confirmed, patience, remark, snippet, whole
from agent_memory.interfaces.cli.words import told, tr

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
    with call.app() as app, patience(tr("Checking")):
        checked = verifying.verify(app)
    counts = {finding: sum(one.finding == finding for one in checked) for finding in ("verified", "changed", "gone")}
    changed = [one.memory for one in checked if one.finding == "changed"]
    lines = [tr("{verified} verified, {changed} changed, {gone} gone.", **counts)]
    lines += [f"    {tr('changed')}: {memory.page.path} {memory.id}  {snippet(memory.body)}" for memory in changed]
    rows = [{"id": one.memory.id, "page": one.memory.page.path, "finding": one.finding} for one in checked]
    call.answer({**counts, "entries": rows}, "\n".join(lines))


def doctor(
    context: typer.Context,
    restore: Annotated[
        str | None,
        typer.Option(
            "--restore",
            metavar="ID",
            autocompletion=complete.ids,
            help="Put an entry back that is in no page any more.",
        ),
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
            call.answer(
                {"restored": back.id, "page": back.page.path},
                tr("{id} is back in {page}.", id=back.id, page=back.page.path),
            )
            return
        if fix:
            _mend(call, app, yes=yes)
            return
        with patience(tr("Checking")):
            found = checks.examine(app)
    findings = found.findings
    serious = any(one.serious for one in findings)
    value = {"healthy": not serious, "findings": list(map(asdict, findings)), "checked": found.facts}
    call.answer(value, "\n".join(_finding_lines(findings)) or tr("All is well."))
    if serious:
        raise typer.Exit(1)


def _finding_lines(findings: Iterable[Finding]) -> list[str]:
    ordered = sorted(findings, key=lambda one: not one.serious)
    return [f"{'!' if one.serious else '-'} {one.where}: {told(one.what)}\n    {told(one.mend)}" for one in ordered]


def _mend(call: Call, app: App, *, yes: bool) -> None:
    from agent_memory.app import mending

    plan = mending.plan(app)
    for finding in plan:
        remark(f"    {finding.fix}: {finding.where}  {told(finding.what)}")
    if plan and not yes and not confirmed(tr("Copy what this touches, and mend it?"), "--yes"):
        remark(tr("Left as it is."))
        return
    done = mending.mend(app, plan)
    mended = tr("Mended {count}; copies are in {folder}.", count=len(done.mended), folder=done.backup)
    lines = [mended if done.mended else tr("Nothing that mends itself.")]
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
    call.answer(value, "\n".join(_finding_lines(findings)) or tr("All is well."))
    if findings:
        raise typer.Exit(1)


def status(context: typer.Context) -> None:
    """Show what is set up and how things stand."""
    from agent_memory.app import status as standing
    from agent_memory.app.setup import WITHOUT_US

    call = call_of(context)
    with call.app() as app:
        found = standing.status(app)
    chats = {"found": found.conversations_found, "taken": found.conversations_taken}
    set_up = not WITHOUT_US.issuperset(found.editor_files.values())
    rows = [
        (tr("Memory"), f"{found.memory_folder}{'' if found.exists else '  ' + tr('(not there yet)')}"),
        (tr("Workspace"), found.workspace),
        (tr("Transcripts"), ", ".join(found.transcript_folders) or tr("none found yet")),
        (tr("Chats"), tr("{found} found, {taken} taken", **chats)),
        (tr("Watcher"), found.watcher or tr("not running")),
        *((tr("Editor"), f"{path}: {state}") for path, state in found.editor_files.items() if set_up),
        *([] if set_up else [(tr("Editor"), tr("not set up (agent-memory init)"))]),
    ]
    if found.paused_since:
        paused = "paused since {time}; what is said is not taken (agent-memory resume)"
        rows.append((tr("Capture"), tr(paused, time=found.paused_since)))
    for agent, counts in found.entries.items():
        held = ", ".join(f"{count} {category}" for category, count in counts.items())
        rows.append((tr("Agent"), f"{agent}: {held or tr('no entries')}"))
    rows += [(tr("Warning"), told(warning)) for warning in found.warnings]
    width = max(11, *(len(title) for title, _ in rows))
    lines = [f"{title:{width}} {text}" for title, text in rows]
    call.answer(asdict(found), "\n".join(lines))


def stats(context: typer.Context) -> None:
    """Show what the memory holds, what is told of it, what models cost, and how it hangs together."""
    from agent_memory.app import stats as counting

    call = call_of(context)
    with call.app() as app:
        found = counting.stats(app)
    used = {"used": f"{found.tokens_today:,}", "most": f"{found.daily_token_cap:,}"}
    lines = [f"{tr('Today'):11} {tr('{used} of {most} tokens', **used)}"]
    for purpose, one in found.purposes.items():
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in one.outcomes.items())
        told = [outcomes]
        if one.prompt_tokens + one.reply_tokens:  # else it is a part of another call, or nothing that was paid for
            told.append(_spent(one))
        if one.answers:
            times = {"half": f"{one.median_s:.1f}", "most": f"{one.p95_s:.1f}"}
            told.append(tr("half of the answers within {half} s, nearly all within {most} s", **times))
        if one.failures_in_a_row:
            told.append(tr("the last {count} calls failed", count=one.failures_in_a_row))
        lines += [f"{title:11} {text}" for title, text in zip([purpose, *[""] * 3], told, strict=False)]
    asked = lines if found.purposes else [tr("No model was ever asked.")]
    held = _count_lines(asdict(found.memories))
    call.answer(asdict(found), "\n".join([*held, *asked, *_fabric_lines(asdict(found.fabric))]))


def _spent(one: Any) -> str:
    sent, received, cost = f"{one.prompt_tokens:,}", f"{one.reply_tokens:,}", f"{one.cost:.4g}"
    return tr("{sent} tokens sent, {received} received, cost {cost}", sent=sent, received=received, cost=cost)


def _count_lines(held: dict[str, Any]) -> list[str]:
    from agent_memory.app.counting import chart

    lines = [f"{tr('Agent'):11} {agent}: {_listed(counts)}" for agent, counts in held["active"].items()]
    months = held["by_month"]
    for category in sorted({category for counts in months.values() for category in counts}):
        numbers = [counts.get(category, 0) for counts in months.values()]
        lines.append(f"{category:11} |{chart(numbers)}|  {sum(numbers)}")
    if months:
        lines.append(f"{'':11} {tr('{first} to {last}', first=min(months), last=max(months))}")
    lines.append(f"{tr('Written by'):11} {_listed(held['written_by']) or tr('nobody yet')}")
    lines.append(f"{tr('Taken'):11} {_listed(held['outcomes']) or tr('nothing yet')}")
    for agent, sizes in held["briefings"].items():
        told = ", ".join(tr("{kind} {size} tokens", kind=kind, size=size) for kind, size in sizes.items())
        lines.append(f"{tr('Briefing'):11} {agent}: {told}")
    oldest = ", ".join(held["never_oldest"])
    known = {"count": held["recalled"], "never": held["never"]}
    recalled = tr("{count} notes, lessons and procedures; {never} never", **known)
    recalled += tr(", the oldest {ids}", ids=oldest) if oldest else ""
    return [*lines, f"{tr('Recalled'):11} {recalled}"]


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items())


def _fabric_lines(fabric: dict[str, Any]) -> list[str]:
    last_run, last = fabric.pop("last_run"), fabric.pop("last")
    counted = ", ".join(f"{count} {what}" for what, count in fabric.items())
    came_to = ", ".join(f"{count} {what}" for what, count in (last or {}).items())
    ran = tr("last at {time}: {what}", time=last_run, what=came_to) if last_run else tr("never ran")
    return [f"{tr('Fabric'):11} {counted}", f"{tr('Consolidation')} {ran}"]
