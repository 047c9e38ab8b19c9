"""Commands that set a workspace up and take that back: ``init`` and ``uninstall``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent_memory.interfaces.cli.output import Command, Progress, call_of, confirmed, remark

if TYPE_CHECKING:
    from agent_memory.app.container import App
    from agent_memory.app.purge import Purge
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
        if dry_run:
            _tell(call, place, parts, "".join(part.diff for part in parts if part.changes) or "Nothing to do.")
            return
        plan = [f"    {app.folder.root}/  the memory, as Markdown that is yours"] * is_new + _planned(parts)
        if plan and not yes:
            remark("\n".join([f"In {place}:", *plan]))
            if not confirmed("Set this up?", "--yes"):
                remark("Left as it is.")
                return
        progress = Progress("Reading conversations")
        try:
            done = setup.init(app, rows, advance=progress.advance)
        finally:
            progress.close()
        if warning := setup.obstacle(app):
            remark(warning)
        _git(app, wanted=merge_driver)
    _tell(call, place, done.parts, _done_text(done, place), chats=_chats(done))


def uninstall(
    context: typer.Context,
    yes: Yes = False,
    dry_run: DryRun = False,
    purge: Annotated[bool, typer.Option("--purge", help="Delete the memory too, for good.")] = False,
) -> None:
    """Take out of the editor's files what init has put there; the memory stays."""
    from agent_memory.app import merging, setup
    from agent_memory.app import purge as purges

    call = call_of(context)
    with call.app() as app:
        parts, place, memory = setup.plan_removal(app), str(app.workspace), app.folder.root
        going = purges.plan(app) if purge and memory.is_dir() else None
        plan = _planned(parts) + ([f"    {memory}/  all that is remembered, for good"] if going else [])
        if dry_run:
            diffs = [part.diff for part in parts if part.changes]
            doomed = [f"delete {memory / path}\n" for path in going.gone] if going else []
            _tell(call, place, parts, "".join(diffs + doomed) or "Nothing to do.", purged=going)
            return
        if plan and not yes:
            remark("\n".join([f"In {place}, out of:", *plan]))
            if not confirmed("Take this back?", "--yes"):
                remark("Left as it is.")
                return
        parts = setup.uninstall(app)
        if merging.take_back(app):
            remark("Git merges pages as any text again.")
        done = purges.purge(app) if going else None
    gone = sum(part.changes and part.state != "left alone" for part in parts)
    fate = (
        f"Your memory stays in {memory}." if done is None else "Your memory is deleted; what git has of it stays there."
    )
    kept = [f"Left as it is: {memory / path}, which is not ours." for path in done.kept] if done else []
    _tell(call, place, parts, "\n".join([f"Taken out of {gone} files. {fate}", *_left(parts), *kept]), purged=done)


def _git(app: App, *, wanted: bool) -> None:
    """Have git merge pages by us if that is wanted; where it might be, say how."""
    from agent_memory.app import merging

    if wanted:
        agreed = merging.set_up(app)
        remark("Git merges pages entry by entry here." if agreed else "Git cannot be set up: this is no repository.")
    elif merging.is_offered(app):
        remark("Git can merge pages entry by entry: agent-memory init --merge-driver")


def _planned(parts: Sequence[Part]) -> list[str]:
    return [f"    {part.row.path}  {part.row.does}" for part in parts if part.changes]


def _left(parts: Sequence[Part]) -> list[str]:
    said = [part for part in parts if part.why or part.state == "changed by hand"]
    return [f"Left as it is: {part.row.path}. {part.why or 'You have changed it.'}" for part in said]


def _done_text(done: Done, place: str) -> str:
    written = [part for part in done.parts if part.changes and not part.why]
    tally = done.tally
    found = f"{tally.decisions} decisions, {tally.lessons} lessons and {tally.tasks} tasks"
    lines = [f"Set up {place}.", *_planned(written)] if written else [f"{place} is set up already."]
    lines += [f"{found} from {tally.sessions_processed} past chats."] if tally.sessions_processed else []
    lines += ["No past chats were found for this workspace."] if not tally.sessions_found else []
    lines += [f"{trouble.path}: {trouble.message}" for trouble in tally.errors]
    return "\n".join([*lines, *(alarm.sentence for alarm in tally.alarms), *_left(done.parts)])


def _chats(done: Done) -> dict[str, int]:
    tally = done.tally
    counts = {"decisions": tally.decisions, "lessons": tally.lessons, "tasks": tally.tasks}
    return {"sessions_found": tally.sessions_found, "sessions_processed": tally.sessions_processed, **counts}


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
