"""Commands that are another face of the product, which the entry point knows how to run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent_memory.interfaces.cli import complete
from agent_memory.interfaces.cli.output import Command, call_of


def commands() -> dict[str, Command]:
    """Return the commands of this module by name."""
    return {"tui": tui, "viewer": viewer, "mcp": mcp, "hook": hook, "merge-driver": merge_driver}


def tui(
    context: typer.Context,
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="NAME", help="Only this agent's entries.")
    ] = None,
) -> None:
    """Show the memory on this terminal, to read, search and care for."""
    call = call_of(context)
    raise typer.Exit(call.faces["tui"](call.directory, agent))


def mcp(
    context: typer.Context,
    workspace: Annotated[
        str | None, typer.Option("--workspace", "-w", metavar="PATH", help="The project's folder; default: this one.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", metavar="NAME", autocompletion=complete.agents, help="Whose memory.")
    ] = None,
) -> None:
    """Serve the memory to an MCP client over standard input and output."""
    call = call_of(context)
    call.faces["mcp"](call.directory, workspace, agent)


def viewer(
    context: typer.Context,
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The first to try; 0: any.")] = 3737,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; default: 127.0.0.1.")] = "",
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let other computers in; needs --token.")
    ] = False,
    token: Annotated[str, typer.Option(metavar="TEXT", help="What everybody who asks must know.")] = "",
) -> None:
    """Show the memory in the browser, and serve it to programs over HTTP."""
    call = call_of(context)
    call.faces["viewer"](call.directory, host, port, opens=opens, remote=allow_remote, token=token)


def hook(
    context: typer.Context,
    editor: Annotated[str, typer.Argument(metavar="EDITOR")],
    event: Annotated[str, typer.Argument(metavar="EVENT")],
) -> None:
    """Answer an editor's event: JSON in, JSON out, always with 0 and at once."""
    call_of(context).faces["hook"](editor, event)


def merge_driver(
    context: typer.Context,
    base: Annotated[Path, typer.Argument(metavar="%O", help="The common ancestor's version.")],
    ours: Annotated[Path, typer.Argument(metavar="%A", help="Our version, which is replaced.")],
    theirs: Annotated[Path, typer.Argument(metavar="%B", help="The other side's version.")],
    path: Annotated[str, typer.Argument(metavar="%P", help="Where the file stands in the repository.")],
    label: Annotated[str, typer.Argument(metavar="[%Y]", help="What git calls the other side.")] = "",
) -> None:
    """Merge a page for git, entry by entry: 1 where a conflict is left."""
    from agent_memory.app import merging

    call, is_clean = call_of(context), merging.merge(base, ours, theirs, path, label)
    if call.as_json:  # git passes on whatever is said
        call.answer({"merged": is_clean}, "")
    if not is_clean:
        raise typer.Exit(1)
