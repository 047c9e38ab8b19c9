"""What was learnt, by hand: lessons and procedures, links and votes, and having lessons made."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Command, call_of, patience, snippet, whole
from agent_memory.interfaces.cli.words import tr

Id = Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids, help="An entry.")]
Query = Annotated[list[str] | None, typer.Argument(metavar="[QUERY]...", help="Words to look for.")]
One = Annotated[
    str | None, typer.Option("--id", metavar="ID", autocompletion=complete.ids, help="One of them, in full.")
]
Most = Annotated[int | None, typer.Option("-k", metavar="N", help="How many at most.")]
Agent = Annotated[
    str | None,
    typer.Option(
        "--agent", "-a", metavar="NAME", autocompletion=complete.agents, help="Whose; default: workspace.agent."
    ),
]

# Two groups of the same two commands: what the group, finding in it, and letting go of one of it are for.
SHELVES: Final = {
    "lessons": (
        "Lessons, those that were distilled and others.",
        "Find lessons by what they say and when they come to mind, or show one by its id.",
        "Have a lesson told no more; its id still finds it.",
    ),
    "procedures": (
        "Procedures: steps that have worked, never run by themselves.",
        "Find procedures by their steps and when they come to mind, or show one by its id.",
        "Have a procedure told no more; its id still finds it.",
    ),
}


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    found: dict[str, Command] = {"vote": vote, "consolidate": consolidate}
    for shelf, (about, finds, ends) in SHELVES.items():
        found[shelf] = group = typer.Typer(help=about, rich_markup_mode=None)
        group.command("recall", help=finds)(recall)
        group.command("deprecate", help=ends)(deprecate)
    found["links"] = links = typer.Typer(help="What memories have to do with each other.", rich_markup_mode=None)
    links.command("show")(show_links)
    links.command("add")(add_link)
    links.command("remove")(remove_link)
    return found


def _shelf(context: typer.Context) -> Literal["lessons", "procedures"]:
    """Return the group that a command was called in."""
    return "lessons" if context.parent and context.parent.info_name == "lessons" else "procedures"


def deprecate(context: typer.Context, entry_id: Id) -> None:
    """Have one of the group told no more."""
    from agent_memory.app import lessons

    call, shelf = call_of(context), _shelf(context)
    with call.app() as app:
        memory = lessons.deprecate(app, shelf, whole(app, entry_id))
    told = tr("{id} is told no more.", id=memory.id)
    call.answer({"id": memory.id, "status": memory.status}, f"{told}  {snippet(memory.body)}")


def recall(
    context: typer.Context, query: Query = None, entry_id: One = None, k: Most = None, agent: Agent = None
) -> None:
    """Find what the group has, or show one of it."""
    from agent_memory.app import lessons

    call, shelf, text = call_of(context), _shelf(context), " ".join(query or [])
    with call.app() as app:
        if entry_id is not None:
            found = [lessons.by_id(app, shelf, whole(app, entry_id))]
        else:
            found = lessons.recall(app, shelf, text, k=k, agent=agent)
        rows = [lessons.fields(app, memory) for memory in found]
    lines = [_lines(row, whole=entry_id is not None) for row in rows]
    nothing = tr("No lessons." if shelf == "lessons" else "No procedures.")
    call.answer({"query": text, shelf: rows}, "\n".join(lines) or nothing, rows=entry_id is None)


def _lines(row: dict[str, Any], *, whole: bool) -> str:
    tags, parents = "".join(f" #{tag}" for tag in row["tags"]), ", ".join(row["parents"])
    content = row["content"] if whole else f"  {snippet(row['content'])}"
    more = ["  " + tr("when: {signs}", signs=row["activation"])] if row["activation"] else []
    more += ["  " + tr("from: {parents}", parents=parents)] if whole and parents else []
    return "\n".join([f"{row['id']}  {row['date'][:10]}{tags}{_status(row)}", content, *more])


def _status(row: dict[str, Any]) -> str:
    return "" if row["status"] == "active" else f"  ({row['status']})"


def show_links(context: typer.Context, entry_id: Id) -> None:
    """Show what an entry leads to (->), and what leads to it (<-)."""
    from agent_memory.app import tending

    call, arrows = call_of(context), {"to": "->", "from": "<-"}
    with call.app() as app:
        entry_id = whole(app, entry_id)
        rows = [tending.link_fields(link) for link in tending.links(app, entry_id)]
    lines = [
        f"{arrows[row['direction']]} {row['kind']} {row['id']}{_status(row)}\n   {snippet(row['snippet'])}".rstrip()
        for row in rows
    ]
    call.answer({"id": entry_id, "links": rows}, "\n".join(lines) or tr("No links."), rows=True)


def add_link(
    context: typer.Context,
    entry_id: Id,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="relates-to, caused-by, references, contradicts, duplicates or supersedes."
        ),
    ],
    other: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids, help="What it leads to.")],
) -> None:
    """Draw a link; what an entry supersedes is told no more."""
    from agent_memory.app import tending

    call = call_of(context)
    with call.app() as app:
        entry_id, other = whole(app, entry_id), whole(app, other)
        tending.link(app, entry_id, kind, other)
    call.answer({"id": entry_id, "kind": kind, "to": other}, f"{entry_id} {kind} {other}.")


def remove_link(
    context: typer.Context,
    entry_id: Id,
    other: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids, help="What it leads to.")],
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only links of this kind.")] = None,
) -> None:
    """Take links away; what an entry had superseded counts again."""
    from agent_memory.app import tending

    call = call_of(context)
    with call.app() as app:
        entry_id, other = whole(app, entry_id), whole(app, other)
        count = tending.unlink(app, entry_id, other, kind)
    call.answer({"id": entry_id, "removed": count}, tr("{id} leads to {other} no more.", id=entry_id, other=other))


def vote(
    context: typer.Context,
    direction: Annotated[Literal["up", "down"], typer.Argument(help="up: it helped; down: it was wrong.")],
    entry_id: Id,
) -> None:
    """Say whether a memory helped; votes fade with time."""
    from agent_memory.app import tending

    call = call_of(context)
    with call.app() as app:
        memory, score = tending.vote(app, whole(app, entry_id), direction)
    call.answer(
        {"id": memory.id, "votes": round(score, 2)},
        tr("{id} has {score}.", id=memory.id, score=f"{score:+.2f}") + f"  {snippet(memory.body)}",
    )


def consolidate(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")] = False,
) -> None:
    """Make lessons of what was said of one thing, draw links, let go of lessons that nobody needs."""
    from agent_memory.app.consolidate import consolidate as run

    call = call_of(context)
    with call.app() as app, patience(tr("Consolidating")):
        done = run(app, dry_run=dry_run)
    out_of = "{made} lesson out of {clusters} clusters of {entries} entries;"
    out_of_more = "{made} lessons out of {clusters} clusters of {entries} entries;"
    made = {"made": len(done.made), "clusters": done.clusters, "entries": done.candidates}
    also = {"links": done.links, "superseded": done.superseded, "gone": len(done.let_go)}
    first = tr(out_of if len(done.made) == 1 else out_of_more, **made)
    rest = tr("{links} links, {superseded} superseded, {gone} let go.", **also)
    lines = [f"{tr('Would be: ') if dry_run else ''}{first} {rest}"]
    if not done.candidates and (done.young or done.spent):
        waiting = tr("Too young yet: {young}; made a lesson of before: {spent}.", young=done.young, spent=done.spent)
        lines.append(f"    {waiting}")
    for one in done.made:
        lines.append(
            f"    {one.id}  {snippet(one.principle)}\n        {tr('from {parents}', parents=', '.join(one.parents))}"
        )
        lines += [f"        {number}. {snippet(step)}" for number, step in enumerate(one.steps, 1)]
    lines += ["    " + tr("{id} is deprecated: {why}", id=entry, why=why) for entry, why in done.let_go]
    call.answer({**asdict(done), "declined": done.declined}, "\n".join(lines), rows=True)
