"""Commands that set a workspace up and take that back: ``init`` and ``uninstall``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli.output import Command, Progress, call_of, confirmed, remark
from agent_memory.interfaces.cli.words import told, tr

if TYPE_CHECKING:
    from pathlib import Path

    from agent_memory.app.container import App
    from agent_memory.app.removal import Purge
    from agent_memory.app.setup import Done, Part

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the differences; write nothing.")]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {"init": init, "uninstall": uninstall}


def init(
    context: typer.Context,
    yes: Yes = False,
    dry_run: DryRun = False,
    editor: Annotated[str | None, typer.Option(metavar="NAME", help="cursor or vscode; default: both.")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="PART", help="Set up this part; may be repeated.")] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="Leave this part out; may be repeated.")
    ] = None,
    allow_automatic_tasks: Annotated[
        bool, typer.Option("--allow-automatic-tasks", help="Let tasks of this workspace start without being asked for.")
    ] = False,
    merge_driver: Annotated[
        bool,
        typer.Option("--merge-driver", help="Have git merge pages entry by entry; this is a setting of the clone."),
    ] = False,
) -> None:
    """Set this workspace up: its memory, your editor, and what past chats hold."""
    from agent_memory.app import setup

    call = call_of(context)
    rows = setup.rows_for(editor, only or [], without or [])
    if allow_automatic_tasks:
        rows = (*rows, *(row for row in setup.rows_for(editor, ["automatic-tasks"], []) if row not in rows))
    with call.app() as app:
        language = setup.language_of(app)
    with call.app(vault__language=language) as app:
        parts = setup.plan(app, rows)
        place, is_new = str(app.workspace), not app.folder.root.exists()
        made = [tr("{folder}/  the memory, as Markdown that is yours", folder=app.folder.root)] * is_new
        if dry_run:
            _tell(call, place, parts, "\n".join(made + _diffs(parts)) or tr("Nothing to do."))
            return
        plan = [f"    {line}" for line in made] + _planned(parts)
        if not (yes or _agreed(plan, tr("In {place}:", place=place), tr("Set this up?"))):
            return
        progress = Progress(tr("Reading conversations"))
        try:
            done = setup.init(app, rows, advance=progress.advance)
        finally:
            progress.close()
        if warning := setup.obstacle(app):
            remark(told(warning))
        _git(app, wanted=merge_driver)
    _tell(call, place, done.parts, _done_text(done, place), chats=_chats(done))


def _agreed(plan: Sequence[str], title: str, question: str) -> bool:
    """Show what would be done, and ask; nothing needs no asking."""
    if not plan:
        return True
    remark("\n".join([title, *plan]))
    agreed = confirmed(question, "--yes")
    if not agreed:
        remark(tr("Left as it is."))
    return agreed


def uninstall(
    context: typer.Context,
    yes: Yes = False,
    dry_run: DryRun = False,
    purge: Annotated[bool, typer.Option("--purge", help="Delete the memory too, for good.")] = False,
) -> None:
    """Take out of the editor's files what init has put there; the memory stays."""
    from agent_memory.app import merging, removal, setup

    call = call_of(context)
    with call.app() as app:
        parts, place, memory = setup.plan_removal(app), str(app.workspace), app.folder.root
        going = removal.plan(app) if purge and memory.is_dir() else None
        plan = _planned(parts) + (
            ["    " + tr("{folder}/  all that is remembered, for good", folder=memory)] if going else []
        )
        if dry_run:
            doomed = [f"delete {memory / path}" for path in going.gone] if going else []
            _tell(call, place, parts, "\n".join(_diffs(parts) + doomed) or tr("Nothing to do."), purged=going)
            return
        if not (yes or _agreed(plan, tr("In {place}, out of:", place=place), tr("Take this back?"))):
            return
        parts = setup.uninstall(app)
        if merging.take_back(app):
            remark(tr("Git merges pages as any text again."))
        done = removal.purge(app) if going else None
    _tell(call, place, parts, _gone_text(parts, memory, done), purged=done)


def _gone_text(parts: Sequence[Part], memory: Path, done: Purge | None) -> str:
    gone = sum(part.changes and part.state != "left alone" for part in parts)
    first = tr("Taken out of {count} files.", count=gone)
    if done:
        first += " " + tr("Your memory is deleted; what git has of it stays there.")
    elif memory.is_dir():
        first += " " + tr("Your memory stays in {memory}.", memory=memory)
    kept = [tr("Left as it is: {path}, which is not ours.", path=memory / path) for path in done.kept] if done else []
    return "\n".join([first, *_left(parts), *kept])


def _git(app: App, *, wanted: bool) -> None:
    """Have git merge pages by us if that is wanted; where it might be, say how."""
    from agent_memory.app import merging

    if wanted:
        agreed = merging.set_up(app)
        done, failed = "Git merges pages entry by entry here.", "Git cannot be set up: this is no repository."
        remark(tr(done if agreed else failed))
    elif merging.is_offered(app):
        remark(tr("Git can merge pages entry by entry: agent-memory init --merge-driver"))


def _planned(parts: Sequence[Part]) -> list[str]:
    return [f"    {part.row.path}  {tr(part.row.does)}" for part in parts if part.changes]


def _diffs(parts: Sequence[Part]) -> list[str]:
    return [part.diff.removesuffix("\n") for part in parts if part.changes]


def _left(parts: Sequence[Part]) -> list[str]:
    said = [part for part in parts if part.why or part.state == "changed by hand"]
    return [
        tr("Left as it is: {path}.", path=part.row.path) + " " + told(part.why or "You have changed it.")
        for part in said
    ]


def _done_text(done: Done, place: str) -> str:
    written = [part for part in done.parts if part.changes and not part.why]
    tally = done.tally
    found = tr("{decisions} decisions, {lessons} lessons and {tasks} tasks", **_chats(done))
    is_new = [tr("Set up {place}.", place=place), *_planned(written)]
    lines = is_new if written else [tr("{place} is set up already.", place=place)]
    if tally.sessions_processed:
        lines.append(tr("{found} from {count} past chats.", found=found, count=tally.sessions_processed))
    lines += [tr("No past chats were found for this workspace.")] if not tally.sessions_found else []
    lines += [f"{trouble.path}: {trouble.message}" for trouble in tally.errors]
    return "\n".join([*lines, *(alarm.sentence for alarm in tally.alarms), *_left(done.parts)])


def _chats(done: Done) -> dict[str, int]:
    names = ("sessions_found", "sessions_processed", "decisions", "lessons", "tasks")
    return {name: getattr(done.tally, name) for name in names}


def _tell(
    call: Any,
    place: str,
    parts: Sequence[Part],
    text: str,
    chats: dict[str, int] | None = None,
    purged: Purge | None = None,
) -> None:
    rows = [
        {"part": part.row.name, "path": part.row.path, "state": part.state, "changes": part.changes, "why": part.why}
        for part in parts
    ]
    more: dict[str, Any] = {"chats": chats} if chats is not None else {}
    if purged is not None:
        more["memory"] = {"deleted": purged.gone, "left": purged.kept}
    call.answer({"workspace": place, "files": rows, **more}, text)
