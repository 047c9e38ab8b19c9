"""Commands on the vault by hand: agents, the shared project page, and entries."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.given import piped, words
from agent_memory.interfaces.cli.output import Command, call_of, confirmed, remark, snippet, stamp, warn_of, whole
from agent_memory.interfaces.cli.words import tr

Agent = Annotated[str, typer.Argument(metavar="AGENT", autocompletion=complete.agents)]
Category = Annotated[str, typer.Argument(metavar="CATEGORY", autocompletion=complete.categories)]
Id = Annotated[str, typer.Argument(metavar="ID", autocompletion=complete.ids)]
Content = Annotated[str | None, typer.Option("--content", metavar="TEXT", help="The words.")]
File = Annotated[Path | None, typer.Option("--file", "-f", metavar="PATH", help="A file with the words.")]


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    project = typer.Typer(help="The page that every agent shares.", rich_markup_mode=None)
    project.command("show")(project_show)
    project.command("edit")(project_edit)
    project.command("refresh")(project_refresh)
    project.command("explain")(project_explain)
    vault = typer.Typer(help="Entries by hand.", rich_markup_mode=None)
    vault.command("list")(list_entries)
    vault.command("get")(get_entry)
    vault.command("add")(add_entry)
    vault.command("edit")(edit_entry)
    vault.command("delete")(delete_entry)
    vault.command("accept")(accept_entry)
    vault.command("reject")(reject_entry)
    return {"agents": agents, "project": project, "vault": vault}


def agents(context: typer.Context) -> None:
    """List the agents that have pages."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        found = vault.agents(app)
    call.answer({"agents": found}, "\n".join(found) or tr("No agents yet."))


def project_show(context: typer.Context) -> None:
    """Print the page that every agent shares."""
    call = call_of(context)
    with call.app() as app:
        text, path = app.shelf.project_text(), app.folder.project
    answer = {"path": str(path), "content": text, "exists": path.exists()}
    call.answer(answer, text.rstrip("\n") or tr("There is no _project.md yet."))


def project_edit(context: typer.Context) -> None:
    """Open that page in $EDITOR, or replace it by what comes on standard input."""
    from agent_memory.app import project

    call = call_of(context)
    with call.app() as app:
        path = app.folder.project
        if sys.stdin.isatty():
            project.edit(app)
        else:
            warn_of(project.replace(app, piped()))
    call.answer({"path": str(path)}, tr("Saved {path}.", path=path))


def project_refresh(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the block; write nothing.")] = False,
) -> None:
    """Bring the block that is ours up to date: the stack, and decisions tagged #project; the rest stays."""
    from agent_memory.app import project

    call = call_of(context)
    with call.app() as app:
        done, path = project.refresh(app, dry=dry_run), app.folder.project
    if too_long := done.words > project.MAX_WORDS:
        remark(
            tr(
                "The page has {words} words; over {most} it costs each briefing more than it gives.",
                words=done.words,
                most=project.MAX_WORDS,
            )
        )
    told = tr("Refreshed {path}.", path=path) if done.changed else tr("{path} is as it should be.", path=path)
    text = "\n".join(done.lines) if dry_run else told
    answer = {"path": str(path), "changed": done.changed, "words": done.words, "too_long": too_long}
    call.answer({**answer, "lines": list(done.lines), "dry_run": dry_run}, text or tr("There is nothing to say in it."))


def project_explain(
    context: typer.Context,
    workspace: Annotated[
        str | None, typer.Option("--workspace", metavar="PATH", help="The project's folder, if it is not this one.")
    ] = None,
) -> None:
    """Say which folders of chats count for this workspace, which do not, and why."""
    from agent_memory.app import project

    call = call_of(context)
    with call.app(workspace=workspace) as app:
        found, place = project.explain(app), str(app.workspace)
    marks = {"yes": tr("counts"), "no": tr("left out"), "unclear": tr("unclear, left out")}
    rows = [f"{marks[one.ours]}: {one.folder}\n    {one.why}" for one in found]
    answer = {"workspace": place, "folders": [asdict(one) for one in found]}
    call.answer(answer, "\n".join([tr("Chats about {place}:", place=place), *(rows or [tr("none found.")])]))


def list_entries(
    context: typer.Context,
    agent: Agent,
    category: Category,
    proposed: Annotated[bool, typer.Option("--proposed", help="What waits to be accepted or rejected.")] = False,
) -> None:
    """List the entries of a page."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        found = vault.entries(app, agent, category, "proposed" if proposed else "active")
    rows = [
        {
            "id": memory.id,
            "date": stamp(memory),
            "tags": list(memory.tags),
            "status": memory.status or "active",
            "snippet": snippet(memory.body),
        }
        for memory in found
    ]
    width = max((len(memory.id) for memory in found), default=0)
    text = "\n".join(f"{row['id']:{width}}  {row['date']}  {row['snippet']}" for row in rows)
    call.answer({"agent": agent, "category": category, "entries": rows}, text or tr("No entries."), rows=True)


def get_entry(context: typer.Context, agent: Agent, category: Category, entry_id: Id) -> None:
    """Print one entry."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        memory = vault.entry(app, agent, category, whole(app, entry_id, agent, category))
    call.answer(vault.entry_fields(memory), memory.body)


def add_entry(
    context: typer.Context,
    agent: Agent,
    category: Category,
    content: Content = None,
    file: File = None,
    tags: Annotated[str, typer.Option(metavar="A,B", help="Tags, with commas between.")] = "",
) -> None:
    """Write a new entry; the words come from --content, --file or standard input."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        written = vault.add(app, agent, category, words(content, file), tags.split(","))
    warn_of(written.redactions)
    call.answer(vault.entry_fields(written.memory), written.memory.id)


def edit_entry(
    context: typer.Context, agent: Agent, category: Category, entry_id: Id, content: Content = None, file: File = None
) -> None:
    """Replace the words of an entry."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        written = vault.edit(app, agent, category, whole(app, entry_id, agent, category), words(content, file))
    warn_of(written.redactions)
    call.answer(vault.entry_fields(written.memory), tr("Saved {id}.", id=written.memory.id))


def delete_entry(
    context: typer.Context,
    agent: Agent,
    category: Category,
    entry_id: Id,
    force: Annotated[bool, typer.Option("--force", help="Do not ask.")] = False,
) -> None:
    """Delete an entry; `undo` brings it back."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        memory = vault.entry(app, agent, category, whole(app, entry_id, agent, category))
        if not force and not confirmed(tr("Delete “{words}”?", words=snippet(memory.body))):
            remark(tr("Left as it is."))
            return
        memory = vault.delete(app, agent, category, memory.id)
    call.answer({"deleted": memory.id, "agent": agent, "category": category}, tr("Deleted {id}.", id=memory.id))


def accept_entry(context: typer.Context, agent: Agent, category: Category, entry_id: Id) -> None:
    """Let a proposal count."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        memory = vault.accept(app, agent, category, whole(app, entry_id, agent, category))
    call.answer(vault.entry_fields(memory), tr("Accepted {id}.", id=memory.id))


def reject_entry(context: typer.Context, agent: Agent, category: Category, entry_id: Id) -> None:
    """Drop a proposal, for good."""
    from agent_memory.app import vault

    call = call_of(context)
    with call.app() as app:
        memory = vault.reject(app, agent, category, whole(app, entry_id, agent, category))
    call.answer({"rejected": memory.id, "agent": agent, "category": category}, tr("Rejected {id}.", id=memory.id))
